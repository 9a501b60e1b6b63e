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
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/memory/qa"
	"example.com/assay/nodes/research"
	"example.com/assay/state"
)

var update = flag.Bool("update", false, "rewrite golden files")

// testApp is an app with buffers for streams and nothing of the machine's.
func testApp(home string) (a *cli.App, stdout, stderr *bytes.Buffer) {
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	a = newApp(strings.NewReader(""), stdout, stderr, []string{cli.EnvHome + "=" + home})
	a.Now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	a.Random = bytes.NewReader(make([]byte, 1000))
	return a, stdout, stderr
}

// ingestText makes the corpus "default" of one markdown file.
func ingestText(t *testing.T, home, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "permits.md")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	a, _, stderr := testApp(home)
	if code := execute(t.Context(), a, []string{"ingest", file}); code != cli.ExitDone {
		t.Fatalf("ingest: exit code %d: %s", code, stderr)
	}
	return file
}

const permits = `# Lantern permits

## Elements of a valid permit

A valid lantern permit has three elements:

1. a written application to the harbour office;
2. payment of the lantern fee in full;
3. an inspection of the lantern by a wardkeeper.

## Expiry

A lantern permit expires after two winters. The holder may renew the permit before it expires, except where the lantern failed an inspection.
`

const permitQuestion = "What are the elements of a valid lantern permit?"

// The plain rendering of an answer is what scripts and people read from a
// pipe: it changes on purpose only.
func TestPlainAnswer(t *testing.T) {
	home := t.TempDir()
	file := ingestText(t, home, permits)
	a, stdout, stderr := testApp(home)
	if code := execute(t.Context(), a, []string{"ask", permitQuestion}); code != cli.ExitDone {
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

// On a terminal the same answer has escape sequences, fits the width, and the
// live line is gone in the end; NO_COLOR leaves no styles.
func TestTerminalAnswer(t *testing.T) {
	home := t.TempDir()
	ingestText(t, home, permits)
	for _, colour := range []bool{true, false} {
		a, stdout, stderr := testApp(home)
		a.Stdout.TTY, a.Stdout.Width, a.Stdout.Colour = true, 60, colour
		a.Stderr.TTY, a.Stderr.Width = true, 40
		if code := execute(t.Context(), a, []string{"ask", permitQuestion}); code != cli.ExitDone {
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

func TestWithoutSources(t *testing.T) {
	for in, want := range map[string]string{
		"a":                        "a",
		"a\n\n## Sources\n\n- [1]": "a\n",
		"a\n\n## Sources\n\n- [1]\n\n---\n\n**Answer: (A)**": "a\n\n\n---\n\n**Answer: (A)**",
		"“x\n## Sources\ny”\n\n## Sources\n\n- [1]":          "“x\n## Sources\ny”\n",
	} {
		if got := render.WithoutSources(in); got != want {
			t.Errorf("withoutSources(%q) = %q, want %q", in, got, want)
		}
	}
}

// Every verb explains itself with examples, and the examples can be typed.
func TestExamples(t *testing.T) {
	a, _, _ := testApp(t.TempDir())
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
			b, _, _ := testApp(t.TempDir())
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

// full is a stream on which there is no room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestFailedOutput(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"version", "--json"}, {"graph", "research"}} {
		a, _, stderr := testApp(t.TempDir())
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
		a, stdout, _ := testApp(home)
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

// Without a terminal, progress is a line a second at most, and none with JSON.
func TestIngestProgress(t *testing.T) {
	a, _, stderr := testApp(t.TempDir())
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
	a.Stderr.TTY, a.Stderr.Width = true, 60
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

// testEngine is an engine on the default corpus, without memory.
func testEngine(t *testing.T, home string) *asker {
	t.Helper()
	a, _, _ := testApp(home)
	s := config.Settings{Home: home, Corpus: config.DefaultCorpus, Model: "offline", Threshold: .7}
	e, err := openAsker(t.Context(), a, s, config.Cassette{}, open.PlainExchange(a, s))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// A run that was stopped between two steps answers with the first.
func TestStoppedRun(t *testing.T) {
	home := t.TempDir()
	ingestText(t, home, permits)
	e := testEngine(t, home)
	final := state.Agent{
		Objective: "Two things?", Injection: state.Injection{Safe: true}, Usage: state.ModelUsage{Calls: 3},
		Plan: []state.Step{
			{ID: 1, Phase: "One", Status: state.StepCompleted, Answer: "“a” [Source 1] and [Source 2]", Confidence: .8},
			{ID: 2, Phase: "Two", Status: state.StepPending, Answer: "not yet"},
		},
	}
	got := e.result(final, cli.ErrInterrupted)
	if want := "### Step 1: One\n\n“a” [Query 1][Source 1] and [Query 1][Source 2]"; got.Answer != want || got.Status != state.StatusCancelled {
		t.Errorf("status %s, answer %q, want %q", got.Status, got.Answer, want)
	}
	if m := got.Metrics; m.Calls != 3 || m.StepsCompleted != 1 || m.StepsPending != 1 || !m.HasAnswer {
		t.Errorf("metrics: %+v", m)
	}
	if got := e.result(state.Agent{}, cli.ErrInterrupted).Answer; got != "" {
		t.Errorf("nothing was found, the answer is %q", got)
	}
}

// A memory that was edited by hand is not served, whatever it says.
func TestUnsoundMemory(t *testing.T) {
	home := t.TempDir()
	ingestText(t, home, permits)
	e := testEngine(t, home)
	answers, err := qa.Open(t.Context(), qa.Path(home, "unsound"), &qa.Options{Embed: e.Corpus.Embed})
	if err != nil {
		t.Fatal(err)
	}
	defer answers.Close()
	now := []qa.Condition{{Name: "key", Value: "key"}}
	mem := research.NewMemory(answers, e.Corpus, now)
	final, err := e.pipeline.Run(t.Context(), permitQuestion, nil)
	if err != nil || len(final.Plan) == 0 || len(final.Plan[0].Citations) == 0 || len(final.Plan[0].Citations[0].Quotes) == 0 {
		t.Fatalf("no citation to tamper with: %v", err)
	}
	tamper := map[string]func(*state.Step){
		"none":           func(*state.Step) {},
		"status":         func(s *state.Step) { s.Status = state.StepFailed },
		"citation high":  func(s *state.Step) { s.Citations[0].N = 99 },
		"citation zero":  func(s *state.Step) { s.Citations[0].N = 0 },
		"passage range":  func(s *state.Step) { s.Hits[s.Citations[0].N-1].Passage.Start = 1 << 40 },
		"passage text":   func(s *state.Step) { s.Hits[s.Citations[0].N-1].Passage.Text += "!" },
		"passage id":     func(s *state.Step) { s.Hits[s.Citations[0].N-1].Passage.ID = "gone" },
		"quote text":     func(s *state.Step) { s.Citations[0].Quotes[0].Text = "made up" },
		"quote negative": func(s *state.Step) { s.Citations[0].Quotes[0].Start = -5 },
		"quote reversed": func(s *state.Step) { s.Citations[0].Quotes[0].End = s.Citations[0].Quotes[0].Start - 1 },
	}
	for name, change := range tamper {
		step := final.Plan[0]
		step.Hits = slices.Clone(step.Hits)
		step.Citations = slices.Clone(step.Citations)
		step.Citations[0].Quotes = slices.Clone(step.Citations[0].Quotes)
		change(&step)
		question := "What is " + strings.ReplaceAll(name, " ", "") + "?"
		if err := mem.Store(t.Context(), question, research.Recall{Question: question, Answer: "x", Steps: []state.Step{step}}, 1); err != nil {
			t.Fatal(err)
		}
		_, ok, err := mem.Lookup(t.Context(), question)
		if err != nil || ok != (name == "none") {
			t.Errorf("%s: served %v, error %v", name, ok, err)
		}
	}
	if _, err := answers.Store(t.Context(), qa.Entry{Question: "Torn?", Payload: []byte(`[1]`), Conditions: now}); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := mem.Lookup(t.Context(), "Torn?"); ok || err != nil {
		t.Errorf("a payload of another form: served %v, error %v", ok, err)
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
