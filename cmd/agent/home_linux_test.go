package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
)

// A pipe in the place of a database blocks nothing: doctor names it.
func TestPipeInHome(t *testing.T) {
	place := opened(t)
	path := filepath.Join(place, "threads.db")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"doctor"}, {"doctor", "--deep"}} {
		if code, out, errs := onHome(t, place, args...); code > cli.ExitFailed || !strings.Contains(out, "threads.db") {
			t.Errorf("agent %v: exit code %d, %s%s", args, code, out, errs)
		}
	}
}
