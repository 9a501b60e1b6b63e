package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
)

var update = flag.Bool("update", false, "rewrite golden files")

// Scripts and people read the plain rendering of an answer from a pipe: it changes only on
// purpose.
func TestPlainAnswer(t *testing.T) {
	home := t.TempDir()
	file := clitest.Ingest(t, home, clitest.Permits)
	a, stdout, stderr := clitest.App(home)
	if code := execute(t.Context(), a, []string{"ask", clitest.PermitQuestion}); code != cli.ExitDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	got := strings.ReplaceAll(stdout.String(), file, "DIR/permits.md")
	golden := filepath.Join("testdata", "golden", "answer.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; -update rewrites it):\n%s", golden, diff)
	}
}

// On a terminal the same answer has escape sequences and fits the width, and the live line is
// gone at the end. NO_COLOR removes the styles.
func TestTerminalAnswer(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	for _, colour := range []bool{true, false} {
		a, stdout, stderr := clitest.App(home)
		a.Stdout.TTY, a.Stdout.Width, a.Stdout.Colour = true, 60, colour
		a.Stderr.Live, a.Stderr.Width = true, 40
		if code := execute(t.Context(), a, []string{"ask", clitest.PermitQuestion}); code != cli.ExitDone {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		if got := strings.Contains(stdout.String(), "\x1b["); got != colour {
			t.Errorf("colour %v: escape sequences %v", colour, got)
		}
		live := stderr.String()
		if !strings.Contains(live, "execute/retrieve") || !strings.HasSuffix(live, "\r\x1b[K") {
			t.Errorf("live line: %q", live)
		}
		for line := range strings.SplitSeq(live, "\r\x1b[K") {
			if n := len([]rune(line)); n >= 40 {
				t.Errorf("a live line of %d columns: %q", n, line)
			}
		}
	}
}

func TestRunID(t *testing.T) {
	var ids []string
	random := bytes.NewReader(slices.Repeat([]byte{0xff, 0x00, 0x7f}, 100))
	for i := range 20 {
		id, err := open.NewRunID(time.UnixMilli(1_800_000_000_000+int64(i*i)*1000), random)
		if err != nil {
			t.Fatal(err)
		}
		if len(id) != 26 {
			t.Errorf("%q has %d characters", id, len(id))
		}
		ids = append(ids, id)
	}
	if !slices.IsSorted(ids) {
		t.Errorf("ids do not sort by time: %q", ids)
	}
	if _, err := open.NewRunID(time.Now(), strings.NewReader("short")); err == nil {
		t.Error("no error without randomness")
	}
}

// Every verb explains itself with examples, and the examples can be typed.
func TestExamples(t *testing.T) {
	a, _, _ := clitest.App(t.TempDir())
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		if cmd.Short == "" || cmd.Example == "" {
			t.Errorf("%s has no description or no example", cmd.CommandPath())
		}
		for line := range strings.Lines(cmd.Example) {
			words := strings.Fields(line)
			for _, end := range []string{"|", ">", "<"} {
				if i := slices.Index(words, end); i >= 0 {
					words = words[:i]
				}
			}
			if len(words) == 0 || words[0] != "agent" {
				t.Errorf("%s: example %q does not begin with agent", cmd.CommandPath(), line)
				continue
			}
			b, _, _ := clitest.App(t.TempDir())
			verb, rest, err := rootCommand(b).Find(words[1:])
			if err == nil {
				err = verb.ParseFlags(rest)
			}
			if err == nil && verb.Args != nil && !strings.Contains(line, `"`) {
				err = verb.Args(verb, verb.Flags().Args())
			}
			if err != nil {
				t.Errorf("%s: example %q: %v", cmd.CommandPath(), strings.TrimSpace(line), err)
			}
		}
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	check(rootCommand(a))
}

// full is a stream without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestFailedOutput(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"version", "--json"}, {"graph", "research"}} {
		a, _, stderr := clitest.App(t.TempDir())
		a.Stdout = cli.NewScreen(full{}, a.Env)
		if code := execute(t.Context(), a, args); code != cli.ExitFailed || !strings.Contains(stderr.String(), "writing the output: no space left") {
			t.Errorf("%q: exit code %d, stderr %q", args, code, stderr)
		}
	}
}

// A signal stops a verb that waits for its input.
func TestInterruptWhileReading(t *testing.T) {
	for _, args := range [][]string{{"ask", "--json", "-"}, nil} {
		home, err := sampleHome()
		if err != nil {
			t.Fatal(err)
		}
		a, stdout, _ := clitest.App(home)
		never, writer := io.Pipe()
		a.Stdin = never
		signals := make(chan os.Signal, 1)
		signals <- os.Interrupt
		a.Signals = signals
		if code := execute(t.Context(), a, args); code != cli.ExitInterrupted {
			t.Errorf("%q: exit code %d, want %d", args, code, cli.ExitInterrupted)
		}
		if args != nil && !strings.Contains(stdout.String(), `"status": "cancelled"`) {
			t.Errorf("%q: stdout %q", args, stdout)
		}
		if err := writer.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Without a terminal, progress is at most one line per second, and with JSON there is none.
func TestIngestProgress(t *testing.T) {
	a, _, stderr := clitest.App(t.TempDir())
	now := a.Now()
	a.Now = func() time.Time { now = now.Add(300 * time.Millisecond); return now }
	p := render.NewBar(a, false)
	for i := range 20 {
		p.Update("reading files", i, 20)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(stderr.String(), "\n"); n == 0 || n > 6 {
		t.Errorf("%d lines in 6 seconds:\n%s", n, stderr)
	}
	if !strings.Contains(stderr.String(), "reading files 7/20, 4s left") {
		t.Errorf("what remains is not said:\n%s", stderr)
	}
	stderr.Reset()
	p = render.NewBar(a, true)
	for i := range 20 {
		p.Update("reading files", i, 20)
	}
	if stderr.Len() > 0 {
		t.Errorf("with --json: %q", stderr)
	}
	a.Stderr.Live, a.Stderr.Width = true, 60
	p = render.NewBar(a, false)
	for i := range 20 {
		p.Update(fmt.Sprintf("phase %d", i/10), i%10+1, 10)
		time.Sleep(2 * time.Millisecond)
	}
	p.Update("nothing to do", 0, 0)
	p.Update("too much", 7, 3)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(stderr.String(), "phase 1") {
		t.Errorf("bar: %q", stderr)
	}
}

func TestExitCodes(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want int
	}{
		{nil, 0}, {errors.New("x"), 1}, {cli.Usagef("x"), 2}, {cli.Silent(3), 3}, {cli.ErrInterrupted, 130},
		{fmt.Errorf("asking: %w", context.Canceled), 130}, {cli.TimeoutError(time.Second), 1}, {errors.Join(cli.Silent(3), errors.New("closing")), 3},
	} {
		if got := cli.ExitCode(tt.err); got != tt.want {
			t.Errorf("exitCode(%v) = %d, want %d", tt.err, got, tt.want)
		}
	}
	if cli.IsSilent(errors.Join(cli.Silent(3), errors.New("closing"))) || !cli.IsSilent(cli.Silent(3)) {
		t.Error("an error beside an exit code is told")
	}
}
