package session

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"sync/atomic"
)

// A terminal marks pasted text if it supports bracketed paste, as xterm defines it. Other
// terminals send it like typed text, but in one piece.
const (
	pasteOn  = "\x1b[?2004h"
	pasteOff = "\x1b[?2004l"
)

var pasteBegins, pasteEnds = []byte("\x1b[200~"), []byte("\x1b[201~")

// lineMark replaces a line break inside an edited line, since the editor ends a line at
// every real one.
const lineMark = "↵"

// newLines are what terminals send for Alt-Enter.
var newLines = [][]byte{[]byte("\x1b\r"), []byte("\x1b\n")}

const keyInterrupt = 0x03 // Ctrl-C

// A paster makes one line of pasted text: line breaks become marks, and the person sends
// the line. So does Alt-Enter. Other keys pass through.
type paster struct {
	typed  atomic.Bool // something else than Ctrl-C came
	inside bool
	held   []byte // possibly the beginning of a bracket
	marks  []byte // line breaks at the end of a paste so far
}

// next turns a chunk of input into what the editor reads.
func (p *paster) next(chunk []byte) []byte {
	in := append(p.held, chunk...)
	p.held = nil
	if bytes.ContainsFunc(chunk, func(r rune) bool { return r != keyInterrupt }) {
		p.typed.Store(true)
	}
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
		case (p.inside || len(rest) > 1) && len(rest) < len(bracket) && bytes.HasPrefix(bracket, rest):
			p.held = bytes.Clone(rest)
			return out
		case !p.inside && slices.ContainsFunc(newLines, func(keys []byte) bool { return bytes.HasPrefix(rest, keys) }):
			out = append(append(out, p.marks...), lineMark...)
			p.marks = nil
			i += 2
			continue
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

// goesOn reports whether input begins with a line break and more text follows.
func goesOn(rest []byte) bool {
	after := bytes.TrimLeft(rest, "\r\n")
	return len(after) < len(rest) && len(after) > 0 && (after[0] >= ' ' || after[0] == '\t') && after[0] != 0x7f
}

// pasted is a byte of a paste for the editor, which must not take control characters for
// keys.
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

// unmarked restores the line breaks of a paste in an edited line.
func unmarked(line string) string { return strings.ReplaceAll(line, lineMark, "\n") }

// pasteAware lets the editor read a terminal through a paster. The editor takes its
// input from os.Stdin when it is made, and sets the terminal's mode by its number,
// which stays.
func pasteAware(tty *os.File, start func()) (*paster, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p := &paster{}
	os.Stdin = r
	start()
	os.Stdin = tty
	go func() {
		// Nothing ends the read of a terminal but its end, or that of the program.
		defer func() { _ = w.Close() }() // the editor then reads the end of its input
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
	return p, nil
}
