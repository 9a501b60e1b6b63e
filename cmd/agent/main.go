package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	os.Exit(systemApp().run(context.Background(), os.Args[1:]))
}

// systemApp returns the program as the operating system started it.
func systemApp() *app {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	a := newApp(os.Stdin, os.Stdout, os.Stderr, os.Environ())
	a.signals = signals
	a.release = func() { signal.Reset(os.Interrupt, syscall.SIGTERM) }
	return a
}
