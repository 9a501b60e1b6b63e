package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"example.com/assay/llm"
)

// An app is one start of the program with all that it takes from outside.
type app struct {
	stdin   io.Reader
	stdout  *screen
	stderr  *screen
	env     environment
	now     func() time.Time
	random  io.Reader
	signals <-chan os.Signal // interrupts; nil for none
	release func()           // gives signals back to the system, so that a second one ends the program

	onSignal atomic.Pointer[func()] // takes signals while a session asks; nil for the end of the program

	// models makes the model of each known name.
	models map[string]func() llm.Model

	verbose bool // -v
	printed bool // a JSON document went to stdout

	// failed is the document of a verb for an error before it had a result. Default:
	// the general one.
	failed func(error) any
}

// finish reports an error once and turns it into the exit code. With --json a run
// without a result prints what its verb says of failures, or the general document.
func (a *app) finish(err error, args []string) int {
	advised := withAdvice(err)
	code := exitCode(err)
	told := err == nil || isSilent(err)
	if !told {
		fmt.Fprintf(a.stderr, "agent: %v\n", advised)
	}
	switch {
	case err == nil || a.printed || !wantsJSON(args):
	case a.failed != nil:
		a.printJSON(a.failed(err))
	case !told:
		a.printJSON(failure{Schema: 1, Status: "failed", Error: advised.Error()})
	}
	if a.stdout.err != nil {
		fmt.Fprintf(a.stderr, "agent: writing the output: %v\n", a.stdout.err)
		code = max(code, exitFailed)
	}
	return code
}

// wantsJSON reports whether a command line asks for JSON, also one whose
// flags cannot be parsed.
func wantsJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.ContainsFunc(args, func(arg string) bool {
		value, given := strings.CutPrefix(arg, "--json=")
		yes, err := strconv.ParseBool(value)
		return arg == "--json" || given && err == nil && yes
	})
}

// failure is the document of a verb that failed before it had a result.
type failure struct {
	Schema int    `json:"schema"`
	Status string `json:"status"` // "failed"
	Error  string `json:"error"`
}

// printJSON prints the one document of a run. Text stays readable: <, > and &
// are not escaped.
func (a *app) printJSON(v any) {
	a.printed = true
	e := json.NewEncoder(a.stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil && a.stdout.err == nil {
		a.stdout.err = err
	}
}

// errInterrupted is the cause with which a signal cancels. It is a
// context.Canceled.
var errInterrupted error = interruption{os.Interrupt}

type interruption struct{ signal os.Signal }

func (i interruption) Error() string {
	if i.signal == syscall.SIGTERM {
		return "terminated"
	}
	return "interrupted"
}

func (interruption) Unwrap() error { return context.Canceled }

// interruptible returns a context that the first signal cancels; the second
// one ends the program. While onSignal is set, signals go there instead. The
// returned function waits for the goroutine.
func (a *app) interruptible(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for {
			select {
			case sig := <-a.signals:
				if handle := a.onSignal.Load(); handle != nil {
					(*handle)()
					continue
				}
				a.release()
				cancel(interruption{sig})
				return
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		close(done)
		<-finished
		cancel(nil)
	}
}

// logger returns the log of a run: silent without -v.
func (a *app) logger() zerolog.Logger {
	if !a.verbose {
		return zerolog.Nop()
	}
	return zerolog.New(zerolog.ConsoleWriter{
		Out: a.stderr, NoColor: !a.stderr.colour, PartsExclude: []string{zerolog.TimestampFieldName},
	})
}

// warn tells the person something that does not stop the run. Errors among the
// arguments come with what to type about them.
func (a *app) warn(format string, args ...any) {
	args = slices.Clone(args)
	for i, arg := range args {
		if err, ok := arg.(error); ok {
			args[i] = withAdvice(err)
		}
	}
	fmt.Fprintf(a.stderr, "agent: "+format+"\n", args...)
}

// note is a warning of what is being done.
func (a *app) note(what string) { a.warn("%s", what) }

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNoEvidence  = 3
	exitInterrupted = 130
	exitTerminated  = 143 // by SIGTERM
)

// A usageError is a command line, variable or configuration that cannot be
// meant.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// silent is an exit code whose reason was printed already.
type silent int

func (s silent) Error() string { return fmt.Sprintf("ending with exit code %d", int(s)) }

// also is err, with what went wrong afterwards if something did. A silent err
// stays silent when nothing did.
func also(err, late error) error {
	if late == nil {
		return err
	}
	return errors.Join(err, late)
}

// isSilent reports whether there is nothing more to say of an error. One that
// was joined with others still has to be told.
func isSilent(err error) bool {
	_, ok := err.(silent)
	return ok
}

func exitCode(err error) int {
	if err == nil {
		return exitDone
	}
	if code, ok := errors.AsType[silent](err); ok {
		return int(code)
	}
	if _, ok := errors.AsType[usageError](err); ok {
		return exitUsage
	}
	if i, ok := errors.AsType[interruption](err); ok && i.signal == syscall.SIGTERM {
		return exitTerminated
	}
	if errors.Is(err, context.Canceled) {
		return exitInterrupted
	}
	return exitFailed
}

// count is "1 file" or "3 files".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
