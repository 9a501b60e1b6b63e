package ask

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph"
	"example.com/assay/memory/qa"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/research/recall"
	"example.com/assay/state"
)

// A run that was stopped at a node goes on there, in another process.
func TestResumeAfterStop(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	open := func() *Asker {
		a, _, _ := clitest.App(home)
		s := config.Default(false)
		s.Home, s.Saves = home, true
		e, err := New(t.Context(), a, s, config.Cassette{}, open.PlainExchange(a, s))
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
	const text = "What are the three elements of a valid lantern permit?"
	whole, err := open().Ask(t.Context(), Question{Text: text, Thread: "whole"})
	if err != nil || whole.Status != state.StatusAnswered {
		t.Fatal(whole.Status, err)
	}
	for _, node := range []string{research.NodeClassify, research.NodeRetrieve, research.NodeEvaluate} {
		t.Run(node, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			stop := errors.New("stopped by the test")
			stopAt := func(ev graph.Event[json.RawMessage]) {
				if ev.Kind == graph.NodeStart && ev.Node == node {
					cancel(stop)
				}
			}
			if _, err := open().Ask(ctx, Question{Text: text, Thread: node, Observe: stopAt}); !errors.Is(err, stop) {
				t.Fatal(err)
			}
			var ran []string
			resumed, err := open().Ask(t.Context(), Question{Thread: node, Resume: true, Observe: func(ev graph.Event[json.RawMessage]) {
				if ev.Kind == graph.NodeUpdate {
					ran = append(ran, ev.Node)
				}
			}})
			if err != nil || resumed.Answer != whole.Answer || resumed.Question != text {
				t.Errorf("error %v, answer to %q:\n%s\nwant\n%s", err, resumed.Question, resumed.Answer, whole.Answer)
			}
			if slices.Contains(ran, research.NodeDetectInjection) || node == research.NodeEvaluate && slices.Contains(ran, research.NodeRetrieve) {
				t.Errorf("what was done is done again: %q", ran)
			}
		})
	}
}

// testEngine is an engine on the default corpus, without memory.
func testEngine(t *testing.T, home string) *Asker {
	t.Helper()
	a, _, _ := clitest.App(home)
	s := config.Settings{Home: home, Corpus: config.DefaultCorpus, Model: "offline", Threshold: .7}
	e, err := New(t.Context(), a, s, config.Cassette{}, open.PlainExchange(a, s))
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

// A run that was stopped between two steps answers with the first step.
func TestStoppedRun(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	e := testEngine(t, home)
	final := state.Agent{
		Objective: "Two things?", Injection: state.Injection{Safe: true}, Usage: state.ModelUsage{Calls: 3},
		Plan: []state.Step{
			{ID: 1, Phase: "One", Status: state.StepCompleted, Answer: "“a” [Source 1] and [Source 2]", Confidence: .8},
			{ID: 2, Phase: "Two", Status: state.StepPending, Answer: "not yet"},
		},
	}
	stopped := func(final state.Agent) *state.Answer {
		data, err := json.Marshal(final)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := e.Pipeline.Instance().Answer(data, cli.ErrInterrupted, e.Corpus)
		if err != nil {
			t.Fatal(err)
		}
		return answer.Common()
	}
	got := stopped(final)
	if want := "### Step 1: One\n\n“a” [Query 1][Source 1] and [Query 1][Source 2]"; got.Answer != want || got.Status != state.StatusCancelled {
		t.Errorf("status %s, answer %q, want %q", got.Status, got.Answer, want)
	}
	if m := got.Metrics; m.Calls != 3 || m.StepsCompleted != 1 || m.StepsPending != 1 || !m.HasAnswer {
		t.Errorf("metrics: %+v", m)
	}
	if got := stopped(state.Agent{}).Answer; got != "" {
		t.Errorf("nothing was found, the answer is %q", got)
	}
}

// A remembered answer that was edited by hand is not served, whatever it says.
func TestUnsoundMemory(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	e := testEngine(t, home)
	answers, err := qa.Open(t.Context(), qa.Path(home, "unsound"), &qa.Options{Embed: e.Corpus.Embed})
	if err != nil {
		t.Fatal(err)
	}
	defer answers.Close()
	now := []qa.Condition{{Name: "key", Value: "key"}}
	mem := recall.New(answers, e.Corpus, now)
	final, err := e.Pipeline.Run(t.Context(), clitest.PermitQuestion, nil)
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
