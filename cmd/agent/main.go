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
)

func main() {
	os.Exit(systemApp().run(context.Background(), os.Args[1:]))
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
