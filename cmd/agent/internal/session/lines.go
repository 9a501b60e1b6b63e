package session

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
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
