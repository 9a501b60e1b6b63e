package main

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/graph/trace"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/llm/offline"
	"example.com/assay/state"
)

const harbourRules = `# Harbour rules

Every keeper must store the lantern records of the harbour for seven years after the last voyage.

The baker must wear a white hat and clean shoes whenever the oven is open to visitors.
`

const (
	keeping = "How long must a keeper store the lantern records?"
	nowhere = "What must a diver wear below the ice?"
)

// An endCase is a command and how it ends.
type endCase struct {
	name   string
	args   []string
	model  func() llm.Model // answers instead of the offline model; nil for that
	limits *llm.ControlOptions
	stop   bool // a signal comes with the first call
	want   state.Status
	cause  state.Cause
	code   int
	words  string // in the text
}

// checkEnd runs a command as JSON, as text and with a trace, and checks that all of them say the
// same.
func checkEnd(t *testing.T, home string, c endCase) {
	t.Helper()
	run := func(args ...string) (code int, stdout, stderr string) {
		a, out, errs := clitest.App(home)
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		model := llm.Model(offline.New(nil))
		if c.model != nil {
			model = c.model()
		}
		if c.stop {
			model = stopping{cancel}
		}
		if c.limits != nil {
			model = llm.NewControls(c.limits).WrapNamed("m", model)
		}
		a.Models[offline.Name] = func() llm.Model { return model }
		code = execute(ctx, a, append(args, c.args...))
		return code, out.String(), errs.String()
	}
	file := filepath.Join(t.TempDir(), "run.jsonl")
	verb, rest := c.args[0], c.args[1:]
	c.args = rest
	if verb == "edges" {
		verb, c.args = "edges verify", rest[1:]
	}
	verbs := strings.Fields(verb)
	code, stdout, stderr := run(append(verbs, "--json", "--trace", file)...)
	end := endIn(t, []byte(stdout))
	if code != c.code || end.Status != c.want || end.Cause != c.cause {
		t.Errorf("exit code %d, %s, %q; want %d, %s, %q: %s%s", code, end.Status, end.Cause, c.code, c.want, c.cause, stdout, stderr)
	}
	if end.Status == state.StatusNoEvidence && (end.Searched == nil || len(end.Searched.Queries) == 0) {
		t.Errorf("where was searched? %+v", end.Searched)
	}
	if c.want != state.StatusRejected { // a rejected run has no trace
		data, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer data.Close()
		records, err := trace.Read(data)
		if err != nil || len(records) == 0 {
			t.Fatalf("%d records, %v", len(records), err)
		}
		if last := endIn(t, records[len(records)-1].End); last.Status != c.want || last.Cause != c.cause || (last.Searched == nil) != (end.Searched == nil) {
			t.Errorf("the trace ends as %+v, and the answer as %+v", last, end)
		}
	}
	code, stdout, stderr = run(verbs...)
	if said := flatten(stdout + stderr); code != c.code || !strings.Contains(said, c.words) {
		t.Errorf("as text: exit code %d, want %d and %q: %s%s", code, c.code, c.words, stdout, stderr)
	}
}

// A stopping model is stopped by a signal when it is called.
type stopping struct{ cancel context.CancelCauseFunc }

func (s stopping) Generate(ctx context.Context, _ llm.Request) (llm.Response, error) {
	s.cancel(cli.ErrInterrupted)
	return llm.Response{}, context.Cause(ctx)
}

// A mute model answers nothing.
type mute struct{}

func (mute) Generate(ctx context.Context, _ llm.Request) (llm.Response, error) {
	<-ctx.Done()
	return llm.Response{}, context.Cause(ctx)
}

func TestEndsOfComply(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, harbourRules)
	for _, c := range []endCase{
		{name: "answered", args: []string{"comply", keeping}, want: state.StatusAnswered, words: "seven years"},
		{name: "no evidence", args: []string{"comply", nowhere}, want: state.StatusNoEvidence, code: 3, words: `No evidence: corpus "default" was searched for “` + nowhere + `”`},
		{name: "rejected", args: []string{"comply", "--corpus", "nope", keeping}, want: state.StatusRejected, code: 2, words: `there is no corpus "nope"`},
		{name: "budget", args: []string{"comply", keeping}, limits: &llm.ControlOptions{Budget: llm.BudgetOptions{MaxCalls: 1}}, want: state.StatusUnavailable, cause: state.CauseBudget, code: 1, words: "Could not look: the budget is spent"},
		{name: "time", args: []string{"comply", "--timeout", "1s", keeping}, model: func() llm.Model { return mute{} }, want: state.StatusUnavailable, cause: state.CauseTime, code: 1, words: "Could not look: the time is up"},
		{name: "cancelled", args: []string{"comply", keeping}, stop: true, want: state.StatusCancelled, code: 130, words: "interrupted. Cancelled before the end."},
	} {
		t.Run(c.name, func(t *testing.T) { checkEnd(t, home, c) })
	}
}

func TestComplyLosesCalls(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, harbourRules)
	for _, args := range [][]string{{"comply", keeping}, {"comply", nowhere}, {"comply", "--model-review", keeping}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) { eachCall(t, home, args, nil) })
	}
}

// If one of many questions loses a call, the command says so, and asks it again the next time.
func TestComplyBatchLosesCalls(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	clitest.Ingest(t, home, harbourRules)
	questions, out := filepath.Join(dir, "q.jsonl"), filepath.Join(dir, "audits")
	if err := os.WriteFile(questions, []byte(`{"id": "one", "question": "`+keeping+`"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	calls := runLoopback(t, home, nil, nil, "comply", keeping).calls
	args := []string{"comply", "--questions", questions, "--out", out}
	for _, c := range []struct {
		faults []llmtest.Fault
		code   int
		says   string
	}{
		{failFrom(1, llmtest.Refuse(http.StatusUnauthorized, "")), 1, "question one: Could not look: the key was refused"},
		{failAt(calls, llmtest.Refuse(http.StatusUnauthorized, "")), 3, "question one: Answered, but not whole: the composed answer"},
		{nil, 0, "1 asked, 0 already finished, 0 failed"},
		{nil, 0, "0 asked, 1 already finished, 0 failed"},
	} {
		if got := runLoopback(t, home, c.faults, nil, args...); got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.says) {
			t.Errorf("exit code %d, want %d and %q: %s%s", got.code, c.code, c.says, got.stdout, got.stderr)
		}
	}
}

const trials = `# Smoking

Smoking causes lung cancer in men. Smoking caused lung cancer in each of the trials that followed smokers for ten years.

# Umbrellas

The men carried umbrellas in the rain of the spring.
`

// edgeFile writes a file of one edge.
func edgeFile(t *testing.T, from, to, strength string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "edges.json")
	if err := os.WriteFile(file, []byte(`[{"from_var": "`+from+`", "to_var": "`+to+`", "strength": "`+strength+`"}]`), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestEndsOfEdges(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, trials)
	shown, unread, unknown := edgeFile(t, "smoking", "lung cancer", "strong"), edgeFile(t, "umbrellas", "rain", "weak"), edgeFile(t, "quarks", "gluons", "weak")
	for _, c := range []endCase{
		{name: "answered", args: []string{"edges", "verify", shown}, want: state.StatusAnswered, words: "1 of 1 edges are grounded."},
		{name: "no evidence", args: []string{"edges", "verify", unread}, want: state.StatusNoEvidence, code: 3, words: `No evidence: corpus "default" was searched for “umbrellas rain”, “umbrellas causes rain”`},
		{name: "nothing found", args: []string{"edges", "verify", unknown}, want: state.StatusNoEvidence, code: 3, words: `No evidence: corpus "default" was searched for “quarks gluons”`},
		{name: "rejected", args: []string{"edges", "verify", "--corpus", "nope", shown}, want: state.StatusRejected, code: 2, words: `there is no corpus "nope"`},
		{name: "budget", args: []string{"edges", "verify", shown}, limits: &llm.ControlOptions{Budget: llm.BudgetOptions{MaxCalls: 1}}, want: state.StatusUnavailable, cause: state.CauseBudget, code: 1, words: "Could not look: the budget is spent"},
		{name: "time", args: []string{"edges", "verify", "--timeout", "1s", shown}, model: func() llm.Model { return mute{} }, want: state.StatusUnavailable, cause: state.CauseTime, code: 1, words: "Could not look: the time is up"},
		{name: "cancelled", args: []string{"edges", "verify", shown}, stop: true, want: state.StatusCancelled, code: 130, words: "interrupted. Cancelled before the end."},
	} {
		t.Run(c.name, func(t *testing.T) { checkEnd(t, home, c) })
	}
}

func TestEdgesLoseCalls(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, trials)
	for _, file := range []string{edgeFile(t, "smoking", "lung cancer", "strong"), edgeFile(t, "umbrellas", "rain", "weak")} {
		eachCall(t, home, []string{"edges", "verify", file}, nil)
	}
}

const invoiceSchema = `{"type": "object", "required": ["number", "total"], "properties": {
	"number": {"type": "string", "x-anchor": "Invoice"}, "total": {"type": "number", "x-anchor": "TOTAL"}, "tax": {"type": "number", "x-anchor": "Tax"}}}`

// inventing answers every call for fields with a field that no document holds.
type inventing struct{}

func (inventing) Generate(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{Model: "m", Text: `{"fields":[{"path":"total","value":"77.77","quote":"77.77","row":0,"confidence":0.99}]}`}, nil
}

func extractFiles(t *testing.T) (schema, whole, part, blank string) {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"schema.json": invoiceSchema, "whole.txt": "Invoice: A-17\nTax 1.25\nTOTAL 13.75\n", "part.txt": "TOTAL 13.75\n", "blank.txt": "The harbour lies behind the old mill.\n",
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "schema.json"), filepath.Join(dir, "whole.txt"), filepath.Join(dir, "part.txt"), filepath.Join(dir, "blank.txt")
}

func TestEndsOfExtract(t *testing.T) {
	home := t.TempDir()
	schema, whole, part, blank := extractFiles(t)
	for _, c := range []endCase{
		{name: "answered", args: []string{"extract", "--schema", schema, whole}, want: state.StatusAnswered, words: "A-17"},
		{name: "no evidence", args: []string{"extract", "--schema", schema, blank}, want: state.StatusNoEvidence, code: 3, words: "No evidence: the evidence was searched for “number”, “total”, “tax”"},
		{name: "made up", args: []string{"extract", "--schema", schema, whole}, model: func() llm.Model { return inventing{} }, want: state.StatusUngrounded, code: 3, words: "Answered, but not grounded"},
		{name: "rejected", args: []string{"extract", "--schema", whole, whole}, want: state.StatusRejected, code: 2, words: "whole.txt"},
		{name: "budget", args: []string{"extract", "--schema", schema, part}, limits: &llm.ControlOptions{Budget: llm.BudgetOptions{MaxCalls: 1}}, want: state.StatusUnavailable, cause: state.CauseBudget, code: 1, words: "Could not look: the budget is spent"},
		{name: "time", args: []string{"extract", "--schema", schema, "--timeout", "1s", whole}, model: func() llm.Model { return mute{} }, want: state.StatusUnavailable, cause: state.CauseTime, code: 1, words: "Could not look: the time is up"},
		{name: "cancelled", args: []string{"extract", "--schema", schema, whole}, stop: true, want: state.StatusCancelled, code: 130, words: "interrupted. Cancelled before the end."},
	} {
		t.Run(c.name, func(t *testing.T) { checkEnd(t, home, c) })
	}
}

func TestExtractLosesCalls(t *testing.T) {
	schema, whole, part, blank := extractFiles(t)
	for _, args := range [][]string{{whole}, {part}, {blank}, {"--llm-verification", part}} {
		eachCall(t, t.TempDir(), append([]string{"extract", "--schema", schema}, args...), nil)
	}
}
