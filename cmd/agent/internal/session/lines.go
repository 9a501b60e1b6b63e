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
	"path/filepath"
	"runtime"
	"strings"

	"github.com/peterh/liner"

	"example.com/assay/cmd/agent/internal/cli"
)

// A lineReader gives a session its lines. next returns io.EOF at their end, and errAborted
// when Ctrl-C discarded the line.
type lineReader interface {
	next() (string, error)
	remember(line string)
	close() error
}

var errAborted = errors.New("aborted")

const prompt = "agent> "

// newLineReader offers line editing at a terminal, and reads plain lines otherwise.
func newLineReader(a *cli.App, history string) lineReader {
	if cli.IsTerminal(a.Stdin) && a.Stdout.TTY && liner.TerminalSupported() {
		return newEditor(a, history)
	}
	lines := bufio.NewScanner(a.Stdin)
	lines.Buffer(nil, cli.MaxQuestion+1)
	return &plainLines{lines: lines}
}

// plainLines reads a pipe.
type plainLines struct {
	lines *bufio.Scanner
	n     int
}

func (p *plainLines) next() (string, error) {
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

func (p *plainLines) remember(string) {}

func (p *plainLines) close() error { return nil }

// editor reads a terminal with line editing and a history that is kept between sessions.
type editor struct {
	state *liner.State
	path  string // of the history
	out   io.Writer
	warn  func(format string, args ...any)
}

func newEditor(a *cli.App, history string) *editor {
	e := &editor{path: history, out: a.Stdout, warn: a.Warn}
	start := func() { e.state = liner.NewLiner() }
	if tty, ok := a.Stdin.(*os.File); !ok || runtime.GOOS == "windows" {
		start()
	} else if err := pasteAware(tty, start); err != nil {
		e.warn("a paste of several lines will be several questions: %v", err)
		start()
	}
	fmt.Fprint(e.out, pasteOn)
	e.state.SetCtrlCAborts(true)
	e.state.SetCompleter(completeCommand)
	data, err := os.ReadFile(history)
	if err == nil {
		_, err = e.state.ReadHistory(bytes.NewReader(data))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		e.warn("reading the history %s: %v", history, err)
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

func (e *editor) remember(line string) {
	e.state.AppendHistory(strings.ReplaceAll(line, "\n", lineMark))
}

// close restores the terminal and writes the history. A history that cannot be written is
// only a warning.
func (e *editor) close() error {
	fmt.Fprint(e.out, pasteOff)
	err := e.state.Close()
	var history bytes.Buffer
	_, saved := e.state.WriteHistory(&history)
	if saved == nil && history.Len() > 0 {
		saved = cli.WriteFile(e.path, history.Bytes(), 0o600)
	}
	if saved != nil {
		e.warn("writing the history %s: %v", filepath.Base(e.path), saved)
	}
	if err != nil {
		return fmt.Errorf("restoring the terminal: %w", err)
	}
	return nil
}

// completeCommand lists the slash commands that begin with a line.
func completeCommand(line string) []string {
	var out []string
	for _, c := range slashCommands {
		if strings.HasPrefix("/"+c.name, line) && line != "" {
			out = append(out, "/"+c.name)
		}
	}
	return out
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
