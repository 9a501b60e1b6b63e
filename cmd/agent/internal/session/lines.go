package session

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/peterh/liner"

	"example.com/assay/cmd/agent/internal/cli"
)

// A lineReader gives a session its lines. next returns io.EOF at their end, and errAborted when
// Ctrl-C discarded the line: untouched then reports that nothing was typed since the Ctrl-C before.
type lineReader interface {
	next() (string, error)
	untouched() bool
	drop() // drops a begun line, on a terminal that edits lines itself
	remember(line string)
	close() error
}

var errAborted = errors.New("aborted")

const prompt = "agent> "

// newLineReader returns an editor on a terminal whose lines may be redrawn, and reads plain lines
// otherwise. complete lists the completions of a line; nil for none.
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

// plainLines reads a pipe, or a terminal that edits lines itself. On such a terminal a backslash at
// the end of a line joins the next one.
type plainLines struct {
	lines   *bufio.Scanner
	prompts io.Writer // io.Discard for a pipe
	n       int
	dropped atomic.Bool // the part of the line that was read so far
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

// An editor reads a terminal with line editing, and a history that is kept between sessions.
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

// A history is the file of typed lines, the oldest first. Marks stand for line breaks in them. A
// session without a usable file says so once and goes on.
type history struct {
	path  string // "" for a file that cannot be read, which must not be replaced
	typed []string
	warn  func(format string, args ...any)
}

// readHistory returns the lines of earlier sessions.
func readHistory(path string, warn func(format string, args ...any)) (*history, []string) {
	h := &history{path: path, warn: warn}
	lines, damaged, err := h.read()
	switch {
	case err != nil:
		h.path = ""
		warn("reading the history: %v; this session keeps none", err)
	case damaged > 0:
		warn("the history %s is damaged: %s left out", path, cli.Count(damaged, "line"))
	}
	return h, lines
}

// read returns the lines that an editor can show, and the number of others.
func (h *history) read() (lines []string, damaged int, _ error) {
	data, err := os.ReadFile(h.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, err
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case !utf8.ValidString(line) || strings.ContainsFunc(line, unicode.IsControl):
			damaged++
		case line != "":
			lines = append(lines, line)
		}
	}
	return lines[max(len(lines)-liner.HistoryLimit, 0):], damaged, nil
}

// add remembers a line, and returns it with marks for its line breaks.
func (h *history) add(line string) string {
	line = strings.ReplaceAll(line, "\n", lineMark)
	h.typed = append(h.typed, line)
	return line
}

// save appends the lines of this session to the file, which other sessions may have changed.
func (h *history) save() {
	if h.path == "" || len(h.typed) == 0 {
		return
	}
	lines, _, err := h.read()
	if err == nil {
		lines = append(lines, h.typed...)
		lines = lines[max(len(lines)-liner.HistoryLimit, 0):]
		err = cli.WriteFile(h.path, []byte(strings.Join(lines, "\n")+"\n"), 0o600)
	}
	if err != nil {
		h.warn("writing the history: %v", err)
	}
}

// awaitLine reads the next line. It returns when the session is cancelled, but the read stays
// blocked: nothing can end it.
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

// These switch bracketed paste on and off, as xterm defines it: the terminal marks pasted text.
// Terminals without it send a paste like typed text, but in one piece.
const (
	pasteOn  = "\x1b[?2004h"
	pasteOff = "\x1b[?2004l"
)

var pasteBegins, pasteEnds = []byte("\x1b[200~"), []byte("\x1b[201~")

// lineMark stands for a line break inside an edited line, since a real one ends the line.
const lineMark = "↵"

// newLines are the sequences that terminals send for Alt-Enter.
var newLines = [][]byte{[]byte("\x1b\r"), []byte("\x1b\n")}

const keyInterrupt = 0x03 // Ctrl-C

// A paster makes one line of pasted text: its line breaks become marks, and the person sends the
// line. Alt-Enter becomes a mark, too. Other keys pass through.
type paster struct {
	typed  atomic.Bool // a key other than Ctrl-C came
	inside bool
	held   []byte // may be the beginning of a bracket
	marks  []byte // marks of line breaks at the end of the paste so far
}

// next turns a chunk of input into the bytes for the editor.
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

// pasted turns a byte of a paste into the bytes for the editor, which would take control characters
// for keys.
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

// pasteAware lets the editor read a terminal through a paster. The editor takes its input from
// os.Stdin when it is made; it sets the terminal's mode by file descriptor, which stays the same.
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
		// Only the end of the terminal or of the program ends its read.
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
