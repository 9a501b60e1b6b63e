package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
)

// EachLine calls do with each line that a person types or a pipe brings, until the end of the input.
// An error of one line is a warning; from a pipe, the exit code is then that of a failure. Ctrl-C
// ends the context of one line; see [interrupts].
func EachLine(ctx context.Context, a *cli.App, home string, do func(ctx context.Context, line string) error) (err error) {
	lines := newLineReader(a, filepath.Join(home, "history"), nil)
	defer func() { err = cli.Also(err, lines.close()) }()
	failed, err := eachLine(ctx, a, lines, func(ctx context.Context, line string) (bool, error) { return false, do(ctx, line) })
	if err == nil && failed && !interactive(a) {
		return cli.Silent(cli.ExitFailed)
	}
	return err
}

// interactive reports whether a person types and reads.
func interactive(a *cli.App) bool { return cli.IsTerminal(a.Stdin) && a.Stdout.TTY }

// twice is the time within which a second Ctrl-C ends the session.
const twice = 2 * time.Second

// errLeft is the cause when a second Ctrl-C at the prompt ends the session.
var errLeft = errors.New("left with Ctrl-C")

// interrupts decides what Ctrl-C does. The first one drops the line or stops the running question. A
// second one ends the session if it follows within two seconds, or at a prompt where nothing was
// typed since the first.
type interrupts struct {
	a     *cli.App
	leave context.CancelCauseFunc // ends the session
	drop  func()                  // drops the begun line

	mu   sync.Mutex
	last time.Time
	stop context.CancelCauseFunc // stops the running question; nil at the prompt
}

// again reports whether this Ctrl-C is the second of two.
func (i *interrupts) again() bool {
	now := i.a.Now()
	second := !i.last.IsZero() && now.Sub(i.last) <= twice
	i.last = now
	return second
}

// signal takes a Ctrl-C that arrives as a signal: while a question runs, or while the
// terminal edits the lines itself.
func (i *interrupts) signal() {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch again := i.again(); {
	case again && i.stop == nil:
		i.leave(errLeft)
	case again:
		i.leave(cli.ErrInterrupted)
	case i.stop != nil:
		i.stop(cli.ErrInterrupted)
	default:
		i.drop()
		fmt.Fprintln(i.a.Stdout) // after the ^C that the terminal shows
		i.hint()
		fmt.Fprint(i.a.Stdout, prompt)
	}
}

// key takes a Ctrl-C that discarded the line of an editor, and reports whether it ends the session.
func (i *interrupts) key(untouched bool) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	untouched = untouched && !i.last.IsZero()
	if i.again() || untouched {
		return true
	}
	i.hint()
	return false
}

func (i *interrupts) hint() {
	fmt.Fprintln(i.a.Stdout, "Ctrl-C once more, or Ctrl-D, ends the session")
}

// running sets the function that stops the running question, nil at the prompt. A Ctrl-C before the
// question no longer counts.
func (i *interrupts) running(stop context.CancelCauseFunc) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.stop = stop; stop != nil {
		i.last = time.Time{}
	}
}

// eachLine calls do with each line and reports whether a line failed. An error that it returns ended
// the input.
func eachLine(ctx context.Context, a *cli.App, lines lineReader, do func(ctx context.Context, line string) (quit bool, err error)) (failed bool, _ error) {
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	in := &interrupts{a: a, leave: leave, drop: lines.drop}
	if interactive(a) {
		signal := in.signal
		a.OnSignal.Store(&signal)
		defer a.OnSignal.Store(nil)
	}
	for {
		line, err := awaitLine(ctx, lines)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, errLeft):
			if interactive(a) {
				fmt.Fprintln(a.Stdout)
			}
			return failed, nil
		case errors.Is(err, errAborted):
			if in.key(lines.untouched()) {
				return failed, nil
			}
			continue
		case err != nil:
			return failed, err
		}
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		lines.remember(line)
		a.Stdout.Measure()
		one, stop := context.WithCancelCause(ctx)
		in.running(stop)
		quit, err := do(one, line)
		in.running(nil)
		stop(nil)
		if ctx.Err() != nil {
			return failed, context.Cause(ctx)
		}
		if err != nil {
			failed = true
			a.Warn("%v", err)
		}
		if quit {
			return failed, nil
		}
	}
}
