// Command agent answers questions from your own documents, and only with what it can prove: every
// sentence is tied to the bytes of a source.
//
//	agent ask "What must a plaintiff prove for battery?"
//	agent ingest docs/ --corpus handbook
//	agent ask --corpus handbook "How many days of notice are needed?"
//
// This package builds the tree of verbs. Each verb is a package below internal. Streams,
// environment, clock, randomness and signals enter through [cli.App], so that tests run a verb
// inside their own process.
//
// Standard output carries only the result. With --json it is exactly one JSON document, also for a
// failure. Progress, warnings and logs go to standard error. The help of agent lists the exit codes.
//
// The command uses no network unless the settings name a provider, a server or a collector.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/open"
)

func main() {
	a := systemApp()
	os.Exit(execute(context.Background(), a, os.Args[1:]))
}

// systemApp returns the program as the operating system started it.
func systemApp() *cli.App {
	// Libraries must not write to standard error. Those of Gemini and OpenTelemetry use
	// the standard logger. OpenTelemetry has a second one, and writes headers to it that
	// it cannot parse and that hold the collector's key. Spans that could not be sent are
	// reported when the run ends.
	log.SetOutput(io.Discard)
	otel.SetLogger(logr.Discard())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	a := newApp(os.Stdin, os.Stdout, os.Stderr, os.Environ())
	a.Signals = signals
	a.Release = func() { signal.Reset(os.Interrupt, syscall.SIGTERM) }
	return a
}

// execute executes one command line and returns the exit code.
func execute(ctx context.Context, a *cli.App, args []string) int {
	ctx, stop := a.Interruptible(ctx)
	defer stop()
	root := rootCommand(a)
	root.SetArgs(append([]string{}, args...)) // nil would mean the arguments of the process
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	return a.Finish(root.ExecuteContext(ctx), args)
}

func newApp(stdin io.Reader, stdout, stderr io.Writer, environ []string) *cli.App {
	a := cli.New(stdin, stdout, stderr, environ)
	a.Models = open.Local()
	return a
}
