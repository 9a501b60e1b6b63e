package main

import (
	"context"
	"crypto/rand"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"

	"example.com/assay/llm"
	"example.com/assay/llm/offline"
)

func main() {
	a := systemApp()
	os.Exit(a.run(context.Background(), os.Args[1:]))
}

// systemApp returns the program as the operating system started it.
func systemApp() *app {
	// Libraries do not write to standard error. Those of Gemini and OpenTelemetry
	// use the standard logger; the latter has one of its own, too, in which it writes
	// out headers that it cannot parse and that hold the collector's key. What it
	// cannot send is told by tracing.close.
	log.SetOutput(io.Discard)
	otel.SetLogger(logr.Discard())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	a := newApp(os.Stdin, os.Stdout, os.Stderr, os.Environ())
	a.signals = signals
	a.release = func() { signal.Reset(os.Interrupt, syscall.SIGTERM) }
	return a
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
