package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"example.com/assay/llm"
	"example.com/assay/llm/offline"
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
}

func newApp(stdin io.Reader, stdout, stderr io.Writer, environ []string) *app {
	env := newEnvironment(environ)
	return &app{
		stdin: stdin, stdout: newScreen(stdout, env), stderr: newScreen(stderr, env), env: env,
		now: time.Now, random: rand.Reader, release: func() {},
		models: map[string]func() llm.Model{
			offline.Name: func() llm.Model { return llm.Limit(llm.DefaultLimit)(offline.New(nil)) },
		},
	}
}

// run executes one command line and returns the exit code.
func (a *app) run(ctx context.Context, args []string) int {
	ctx, stop := a.interruptible(ctx)
	defer stop()
	root := a.rootCommand()
	root.SetArgs(append([]string{}, args...)) // nil would mean those of the process
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	return a.finish(root.ExecuteContext(ctx), args)
}

// finish reports an error once and turns it into the exit code.
func (a *app) finish(err error, args []string) int {
	err = withAdvice(err)
	code := exitCode(err)
	if err != nil && !isSilent(err) {
		fmt.Fprintf(a.stderr, "agent: %v\n", err)
		if wantsJSON(args) && !a.printed {
			a.printFailure(args, err)
		}
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
	return slices.ContainsFunc(args, func(arg string) bool { return arg == "--json" || arg == "--json=true" })
}

// failure is the document of a verb that failed before it had a result.
type failure struct {
	Schema int    `json:"schema"`
	Status string `json:"status"` // "failed"
	Error  string `json:"error"`
}

func (a *app) printFailure(args []string, err error) {
	if i := slices.IndexFunc(args, func(arg string) bool { return !strings.HasPrefix(arg, "-") }); i >= 0 && args[i] == "ask" {
		a.printJSON(failedAnswer("", err))
		return
	}
	a.printJSON(failure{Schema: 1, Status: "failed", Error: err.Error()})
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
