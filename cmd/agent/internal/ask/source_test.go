package ask

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/state"
)

// A source is found by the number with which the answer cites it.
func TestSourceNumbered(t *testing.T) {
	sources := []state.Source{{N: 1, Query: 1, Source: 3}, {N: 2, Query: 2, Source: 3}, {N: 3, Query: 2, Source: 5}}
	for number, want := range map[string]int{"5": 3, "2.3": 2, "1.3": 1} {
		if s, err := SourceNumbered(sources, number); err != nil || s.N != want {
			t.Errorf("%s is source %d, error %v; want %d", number, s.N, err, want)
		}
	}
	for number, want := range map[string]string{"3": "several queries", "9": `no source "9"; known: 1.3, 2.3, 2.5`, "x": "no source"} {
		if _, err := SourceNumbered(sources, number); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; want %q", number, err, want)
		}
	}
	if _, err := SourceNumbered(nil, "1"); err == nil || !strings.Contains(err.Error(), "cites none") {
		t.Errorf("without sources: %v", err)
	}
}

// A text opens at its line in the pager; without any program the error says what to do.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.md")
	if err := os.WriteFile(text, []byte("one\ntwo\nthree\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	less := filepath.Join(dir, "less")
	if err := os.WriteFile(less, []byte("#!/bin/sh\necho opened \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	source := state.Source{Path: text, Start: 8}
	a, stdout, _ := clitest.App(dir)
	a.Env = cli.NewEnvironment([]string{"PAGER=" + less + " -R"})
	if err := OpenSource(t.Context(), a, source); err != nil || stdout.String() != "opened -R +3 "+text+"\n" {
		t.Errorf("error %v, output %q", err, stdout)
	}
	t.Setenv("PATH", dir)
	a.Env = cli.NewEnvironment(nil)
	if err := OpenSource(t.Context(), a, source); err != nil || !strings.HasSuffix(stdout.String(), "\n"+text+", line 3\n") {
		t.Errorf("without a program: %v, %q", err, stdout)
	}
	scan := state.Source{Path: text, Original: "/papers/lease scan.pdf", Page: 4}
	if err := OpenSource(t.Context(), a, scan); err != nil || !strings.HasSuffix(stdout.String(), "\n/papers/lease scan.pdf, page 4\n") {
		t.Errorf("without a display: %v, %q", err, stdout)
	}
	for viewer, want := range map[string]string{less + " --page={page} {file}": "opened --page=4 /papers/lease scan.pdf\n", less: "opened /papers/lease scan.pdf\n"} {
		a.Env = cli.NewEnvironment([]string{"ASSAY_VIEWER=" + viewer})
		if err := OpenSource(t.Context(), a, scan); err != nil || !strings.HasSuffix(stdout.String(), want) {
			t.Errorf("%s: %v, %q", viewer, err, stdout)
		}
	}
}
