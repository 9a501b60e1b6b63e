package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	os.Exit(systemApp().run(context.Background(), os.Args[1:]))
}

// systemApp returns the program as the operating system started it.
func systemApp() *app {
	log.SetOutput(io.Discard) // the client library of Gemini writes there; this program does not
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	a := newApp(os.Stdin, os.Stdout, os.Stderr, os.Environ())
	a.signals = signals
	a.release = func() { signal.Reset(os.Interrupt, syscall.SIGTERM) }
	return a
}
