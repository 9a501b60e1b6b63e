// Package cli holds one start of the program: its streams, environment, clock and randomness
// enter through an [App], so that tests run a verb inside their own process. It also has what
// every verb needs: errors with exit codes and advice, groups of verbs, and questions from
// standard input.
//
//	return cli.Usagef("--jobs is %d: it must be from 1 to 64", jobs)
//
// It knows no verb, no setting and no pipeline.
package cli

import (
	"bytes"
	"context"
	"crypto/rand"
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

	"example.com/assay/internal/plainjson"
	"example.com/assay/llm"
)

// An App is one start of the program, with everything that it gets from outside.
type App struct {
	Stdin   io.Reader
	Stdout  *Screen
	Stderr  *Screen
	Env     Environment
	Now     func() time.Time
	Random  io.Reader
	Signals <-chan os.Signal // interrupts; nil for none
	Release func()           // returns signals to the system, so that a second one ends the program

	OnSignal atomic.Pointer[func()] // handles Ctrl-C in a session; nil: Ctrl-C ends the program, as other signals do

	// Models makes the models that need no provider, by name.
	Models map[string]func() llm.Model

	Verbose bool // -v
	printed bool // a JSON document went to stdout

	// Failed makes a verb's JSON document for an error before its result. Default: a
	// [Failure].
	Failed func(error) any
}

// New returns a program with these streams and variables, the machine's clock, and no
// models.
func New(stdin io.Reader, stdout, stderr io.Writer, environ []string) *App {
	env := NewEnvironment(environ)
	return &App{Stdin: stdin, Stdout: NewScreen(stdout, env), Stderr: NewScreen(stderr, env), Env: env, Now: time.Now, Random: rand.Reader, Release: func() {}}
}

// Finish reports an error once and turns it into the exit code. With --json a run
// without a result prints the document of Failed.
func (a *App) Finish(err error, args []string) int {
	advised := withAdvice(err)
	code := ExitCode(err)
	told := err == nil || IsSilent(err)
	if !told {
		fmt.Fprintln(a.Stderr, Visible(fmt.Sprintf("agent: %v", advised)))
	}
	switch {
	case err == nil || a.printed || !wantsJSON(args):
	case a.Failed != nil:
		a.PrintJSON(a.Failed(err))
	case !told:
		a.PrintJSON(Failure{Schema: 1, Status: "failed", Error: advised.Error()})
	}
	if a.Stdout.err != nil {
		fmt.Fprintf(a.Stderr, "agent: writing the output: %v\n", a.Stdout.err)
		code = max(code, ExitFailed)
	}
	return code
}

// wantsJSON reports whether a command line asks for JSON, even if its flags cannot be
// parsed.
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

// A Failure is the JSON document of a verb that failed before it had a result.
type Failure struct {
	Schema int    `json:"schema"`
	Status string `json:"status"` // "failed"
	Error  string `json:"error"`
}

// PrintJSON prints the one document of a run. It does not escape <, > and &, so that
// text stays readable.
func (a *App) PrintJSON(v any) {
	a.printed = true
	data, err := Indented(v)
	if err == nil {
		_, err = a.JSONOut().Write(data)
	}
	if err != nil && a.Stdout.err == nil {
		a.Stdout.err = err
	}
}

// Indented encodes v as indented JSON with a line end, and leaves <, > and & as they are.
func Indented(v any) ([]byte, error) {
	data, err := plainjson.Encode(v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = json.Indent(&b, append(data, '\n'), "", "  ")
	return b.Bytes(), err
}

// JSONOut is standard output for JSON. Control characters become escapes, so the values stay the
// same.
func (a *App) JSONOut() io.Writer { return escaping{a.Stdout} }

type escaping struct{ to io.Writer }

func (e escaping) Write(p []byte) (int, error) {
	if _, err := e.to.Write(escaped(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// ErrInterrupted is the cause of a context that an interrupt cancelled. It wraps
// context.Canceled.
var ErrInterrupted error = interruption{os.Interrupt}

type interruption struct{ signal os.Signal }

func (i interruption) Error() string {
	if i.signal == syscall.SIGTERM {
		return "terminated"
	}
	return "interrupted"
}

func (interruption) Unwrap() error { return context.Canceled }

// Interruptible returns a context that the first signal cancels; the second one ends the
// program. While OnSignal is set, it receives interrupts instead. The returned function
// ends the goroutine and waits for it.
func (a *App) Interruptible(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for {
			select {
			case sig := <-a.Signals:
				if handle := a.OnSignal.Load(); handle != nil && sig == os.Interrupt {
					(*handle)()
					continue
				}
				a.Release()
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

// Logger returns the log of a run: silent without -v.
func (a *App) Logger() zerolog.Logger {
	if !a.Verbose {
		return zerolog.Nop()
	}
	return zerolog.New(zerolog.ConsoleWriter{
		Out: a.Stderr, NoColor: !a.Stderr.Colour, PartsExclude: []string{zerolog.TimestampFieldName},
	})
}

// Warn reports something that does not stop the run. Errors among the arguments are
// printed with advice.
func (a *App) Warn(format string, args ...any) {
	args = slices.Clone(args)
	for i, arg := range args {
		if err, ok := arg.(error); ok {
			args[i] = withAdvice(err)
		}
	}
	fmt.Fprintln(a.Stderr, Visible(fmt.Sprintf("agent: "+format, args...)))
}

// Note reports what the program is doing.
func (a *App) Note(what string) { a.Warn("%s", what) }

// Exit codes.
const (
	ExitDone        = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitNoEvidence  = 3
	ExitInterrupted = 130
	exitTerminated  = 143 // by SIGTERM
)

// A UsageError is a mistake in the command line, a variable or the configuration.
type UsageError struct{ error }

func (e UsageError) Unwrap() error { return e.error }

// Usagef makes a usage error, as fmt.Errorf makes an error.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// NotBuilt is the error of a build that was made without a part of the program.
func NotBuilt(part string) error {
	return Usagef("this agent was built without %s (-tags lean); build it without that tag, or install a release", part)
}

// Silent is an exit code whose reason was already printed.
type Silent int

func (s Silent) Error() string { return fmt.Sprintf("ending with exit code %d", int(s)) }

// Also joins err with a later error, if there is one. Without a later error a silent err
// stays silent.
func Also(err, late error) error {
	if late == nil {
		return err
	}
	return errors.Join(err, late)
}

// IsSilent reports whether an error was already reported. An error that joins a silent one
// with others was not.
func IsSilent(err error) bool {
	_, ok := err.(Silent)
	return ok
}

// ExitCode returns the exit code of an error.
func ExitCode(err error) int {
	if err == nil {
		return ExitDone
	}
	if code, ok := errors.AsType[Silent](err); ok {
		return int(code)
	}
	if _, ok := errors.AsType[UsageError](err); ok && !diskFailed(err) {
		return ExitUsage
	}
	if i, ok := errors.AsType[interruption](err); ok && i.signal == syscall.SIGTERM {
		return exitTerminated
	}
	if errors.Is(err, context.Canceled) {
		return ExitInterrupted
	}
	return ExitFailed
}

// Count is "1 file" or "3 files".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Milliseconds is a duration in milliseconds.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
