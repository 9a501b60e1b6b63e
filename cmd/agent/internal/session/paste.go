package session

import (
	"bytes"
	"os"
	"strings"
)

// A terminal marks what is pasted when it was asked to (bracketed paste, as xterm
// defines it). Others send it as if it were typed, but all at once.
const (
	pasteOn  = "\x1b[?2004h"
	pasteOff = "\x1b[?2004l"
)

var pasteBegins, pasteEnds = []byte("\x1b[200~"), []byte("\x1b[201~")

// lineMark stands for a line break within a line that is edited: the editor ends a
// line at every other one.
const lineMark = "↵"

// A paster makes one line of what is pasted: its line breaks become marks, and the
// person sends it off. Keys pass through.
type paster struct {
	inside bool
	held   []byte // the beginning of what may be a bracket
	marks  []byte // line breaks of a paste that nothing has followed yet
}

// next returns what the editor is to read of a chunk of input.
func (p *paster) next(chunk []byte) []byte {
	in := append(p.held, chunk...)
	p.held = nil
	var out []byte
	for i := 0; i < len(in); {
		rest := in[i:]
		bracket := pasteBegins
		if p.inside {
			bracket = pasteEnds
		}
		switch {
		case bytes.HasPrefix(rest, bracket):
			p.inside = !p.inside
			p.marks = nil
			i += len(bracket)
			continue
		case len(rest) > 1 && len(rest) < len(bracket) && bytes.HasPrefix(bracket, rest):
			p.held = bytes.Clone(rest)
			return out
		case p.inside, goesOn(rest):
			out = append(out, p.pasted(rest[0])...)
		default:
			out = append(append(out, p.marks...), rest[0])
			p.marks = nil
		}
		i++
	}
	return out
}

// goesOn reports whether input begins with a line break that text arrived with.
func goesOn(rest []byte) bool {
	after := bytes.TrimLeft(rest, "\r\n")
	return len(after) < len(rest) && len(after) > 0 && (after[0] >= ' ' || after[0] == '\t') && after[0] != 0x7f
}

// pasted is a byte of a paste as the editor may have it. A control character is no
// key there.
func (p *paster) pasted(c byte) []byte {
	switch {
	case c == '\r' || c == '\n':
		if len(p.marks) == 0 {
			p.marks = []byte(lineMark)
		}
		return nil
	case c == '\t':
		c = ' '
	case c < ' ' || c == 0x7f:
		return nil
	}
	out := append(p.marks, c)
	p.marks = nil
	return out
}

// unmarked puts the line breaks of a paste back into an edited line.
func unmarked(line string) string { return strings.ReplaceAll(line, lineMark, "\n") }

// pasteAware lets the editor read a terminal through a paster. The editor takes its
// input from os.Stdin when it is made, and sets the terminal's mode by its number,
// which stays.
func pasteAware(tty *os.File, start func()) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	os.Stdin = r
	start()
	os.Stdin = tty
	go func() {
		// Nothing ends the read of a terminal but its end, or that of the program.
		defer func() { _ = w.Close() }() // the editor then reads the end of its input
		var p paster
		buf := make([]byte, 64<<10)
		for {
			n, err := tty.Read(buf)
			if n > 0 {
				if _, err := w.Write(p.next(buf[:n])); err != nil {
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return nil
}
