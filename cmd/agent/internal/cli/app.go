package cli

import (
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

	"example.com/assay/llm"
)

// An App is one start of the program with all that it takes from outside.
type App struct {
	Stdin   io.Reader
	Stdout  *Screen
	Stderr  *Screen
	Env     Environment
	Now     func() time.Time
	Random  io.Reader
	Signals <-chan os.Signal // interrupts; nil for none
	Release func()           // gives signals back to the system, so that a second one ends the program

	OnSignal atomic.Pointer[func()] // takes signals while a session asks; nil for the end of the program

	// models makes the model of each known name.
	Models map[string]func() llm.Model

	Verbose bool // -v
	printed bool // a JSON document went to stdout

	// failed is the document of a verb for an error before it had a result. Default:
	// the general one.
	Failed func(error) any
}

// New is a program of these streams and variables, by the machine's clock. It has no
// models yet.
func New(stdin io.Reader, stdout, stderr io.Writer, environ []string) *App {
	env := NewEnvironment(environ)
	return &App{Stdin: stdin, Stdout: NewScreen(stdout, env), Stderr: NewScreen(stderr, env), Env: env, Now: time.Now, Random: rand.Reader, Release: func() {}}
}

// Finish reports an error once and turns it into the exit code. With --json a run
// without a result prints what its verb says of failures, or the general document.
func (a *App) Finish(err error, args []string) int {
	advised := withAdvice(err)
	code := ExitCode(err)
	told := err == nil || IsSilent(err)
	if !told {
		fmt.Fprintf(a.Stderr, "agent: %v\n", advised)
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

// Failure is the document of a verb that failed before it had a result.
type Failure struct {
	Schema int    `json:"schema"`
	Status string `json:"status"` // "failed"
	Error  string `json:"error"`
}

// PrintJSON prints the one document of a run. Text stays readable: <, > and &
// are not escaped.
func (a *App) PrintJSON(v any) {
	a.printed = true
	e := json.NewEncoder(a.Stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil && a.Stdout.err == nil {
		a.Stdout.err = err
	}
}

// ErrInterrupted is the cause with which a signal cancels. It is a
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

// Interruptible returns a context that the first signal cancels; the second
// one ends the program. While onSignal is set, signals go there instead. The
// returned function waits for the goroutine.
func (a *App) Interruptible(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for {
			select {
			case sig := <-a.Signals:
				if handle := a.OnSignal.Load(); handle != nil {
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

// Warn tells the person something that does not stop the run. Errors among the
// arguments come with what to type about them.
func (a *App) Warn(format string, args ...any) {
	args = slices.Clone(args)
	for i, arg := range args {
		if err, ok := arg.(error); ok {
			args[i] = withAdvice(err)
		}
	}
	fmt.Fprintf(a.Stderr, "agent: "+format+"\n", args...)
}

// Note is a warning of what is being done.
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

// A UsageError is a command line, variable or configuration that cannot be
// meant.
type UsageError struct{ error }

func (e UsageError) Unwrap() error { return e.error }

// Usagef makes a usage error, as fmt.Errorf makes an error.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// Silent is an exit code whose reason was printed already.
type Silent int

func (s Silent) Error() string { return fmt.Sprintf("ending with exit code %d", int(s)) }

// Also is err, with what went wrong afterwards if something did. A silent err
// stays silent when nothing did.
func Also(err, late error) error {
	if late == nil {
		return err
	}
	return errors.Join(err, late)
}

// IsSilent reports whether there is nothing more to say of an error. One that
// was joined with others still has to be told.
func IsSilent(err error) bool {
	_, ok := err.(Silent)
	return ok
}

// ExitCode is the exit code of an error.
func ExitCode(err error) int {
	if err == nil {
		return ExitDone
	}
	if code, ok := errors.AsType[Silent](err); ok {
		return int(code)
	}
	if _, ok := errors.AsType[UsageError](err); ok {
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
