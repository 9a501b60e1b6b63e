package session

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/peterh/liner"

	"example.com/assay/cmd/agent/internal/cli"
)

// A lineReader gives a session its lines. next returns io.EOF at their end, and errAborted
// when Ctrl-C discarded the line; then untouched reports whether nothing was typed since
// the Ctrl-C before.
type lineReader interface {
	next() (string, error)
	untouched() bool
	drop() // a line that is begun, where the terminal edits lines itself
	remember(line string)
	close() error
}

var errAborted = errors.New("aborted")

const prompt = "agent> "

// newLineReader offers line editing at a terminal whose lines may be redrawn, and reads
// plain lines otherwise. complete returns what a line may become; nil for none.
func newLineReader(a *cli.App, history string, complete func(line string) []string) lineReader {
	if interactive(a) && a.Stdout.Live && liner.TerminalSupported() {
		return newEditor(a, history, complete)
	}
	lines := bufio.NewScanner(a.Stdin)
	lines.Buffer(nil, cli.MaxQuestion+1)
	p := &plainLines{lines: lines, prompts: io.Discard}
	if interactive(a) {
		p.prompts = a.Stdout
	}
	return p
}

// plainLines reads a pipe, or a terminal that edits lines itself. There a backslash at the
// end of a line joins the next one.
type plainLines struct {
	lines   *bufio.Scanner
	prompts io.Writer // io.Discard for a pipe
	n       int
	dropped atomic.Bool // what was read of the line
}

func (p *plainLines) next() (string, error) {
	fmt.Fprint(p.prompts, prompt)
	text := ""
	for {
		line, err := p.line()
		if p.dropped.Swap(false) {
			text = ""
		}
		begun, more := strings.CutSuffix(line, `\`)
		if err != nil || !more || p.prompts == io.Discard {
			return text + line, err
		}
		text += begun + "\n"
		fmt.Fprint(p.prompts, "...... ")
	}
}

func (p *plainLines) line() (string, error) {
	p.n++
	if p.lines.Scan() {
		return p.lines.Text(), nil
	}
	switch err := p.lines.Err(); {
	case err == nil:
		return "", io.EOF
	case errors.Is(err, bufio.ErrTooLong):
		return "", cli.Usagef("standard input:%d: the line is longer than %d bytes; put long texts into a corpus: agent ingest FILE", p.n, cli.MaxQuestion)
	default:
		return "", fmt.Errorf("reading standard input, line %d: %w", p.n, err)
	}
}

func (p *plainLines) untouched() bool { return false }

func (p *plainLines) drop() { p.dropped.Store(true) }

func (p *plainLines) remember(string) {}

func (p *plainLines) close() error { return nil }

// editor reads a terminal with line editing and a history that is kept between sessions.
type editor struct {
	state   *liner.State
	keys    *paster // nil when the editor reads the terminal itself
	history *history
	out     io.Writer
}

func newEditor(a *cli.App, path string, complete func(line string) []string) *editor {
	e := &editor{out: a.Stdout}
	start := func() { e.state = liner.NewLiner() }
	if tty, ok := a.Stdin.(*os.File); !ok || runtime.GOOS == "windows" {
		start()
	} else if keys, err := pasteAware(tty, start); err != nil {
		a.Warn("a paste of several lines will be several questions: %v", err)
		start()
	} else {
		e.keys = keys
	}
	fmt.Fprint(e.out, pasteOn)
	e.state.SetCtrlCAborts(true)
	e.state.SetTabCompletionStyle(liner.TabPrints)
	if complete != nil {
		e.state.SetCompleter(complete)
	}
	var earlier []string
	e.history, earlier = readHistory(path, a.Warn)
	for _, line := range earlier {
		e.state.AppendHistory(line)
	}
	return e
}

func (e *editor) next() (string, error) {
	line, err := e.state.Prompt(prompt)
	if errors.Is(err, liner.ErrPromptAborted) {
		return "", errAborted
	}
	return unmarked(line), err
}

func (e *editor) untouched() bool { return e.keys != nil && !e.keys.typed.Swap(false) }

func (e *editor) drop() {} // Ctrl-C is a key there

func (e *editor) remember(line string) { e.state.AppendHistory(e.history.add(line)) }

// close restores the terminal and writes the history.
func (e *editor) close() error {
	fmt.Fprint(e.out, pasteOff)
	e.history.save()
	if err := e.state.Close(); err != nil {
		return fmt.Errorf("restoring the terminal: %w", err)
	}
	return nil
}

// awaitLine reads the next line, or returns when the session is cancelled. Then the read
// stays blocked: nothing can end it.
func awaitLine(ctx context.Context, r lineReader) (string, error) {
	type read struct {
		line string
		err  error
	}
	done := make(chan read, 1)
	go func() {
		line, err := r.next()
		done <- read{line, err}
	}()
	select {
	case got := <-done:
		return got.line, got.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

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
