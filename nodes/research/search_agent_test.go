package research_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	"example.com/assay/graph/trace"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

// wish is a model's wish to call tools: name, arguments, name …
func wish(calls ...string) llmtest.Answer {
	var a llmtest.Answer
	for i := 0; i < len(calls); i += 2 {
		a.Calls = append(a.Calls, llm.ToolCall{ID: "call" + string(rune('a'+i/2)), Name: calls[i], Arguments: json.RawMessage(calls[i+1])})
	}
	return a
}

// What a reader of the tokens holds at the end is the answer: neither what the model
// said beside its calls, nor a blank answer.
func TestASearchingModelStreams(t *testing.T) {
	answer := llmtest.Answer{Text: "Owners are bound. [Source 1]", Chunks: []string{"Owners are ", "bound. [Source 1]"}}
	for name, answers := range map[string][]llmtest.Answer{
		"at once":      {answer},
		"after a call": {search("own"), answer},
		"not streamed": {search("own"), {Text: answer.Text, Chunks: []string{}}},
		"blank":        {search("own"), {Text: " "}, search("own"), answer},
		"too long":     {search("own"), search("own"), search("own"), answer},
	} {
		m := searching(answers...)
		p, err := research.New(research.Deps{Model: m, Skills: set(t), Corpus: &library{}}, &research.Options{SearchTool: true, SearchRounds: 2, SkipVerification: true})
		if err != nil {
			t.Fatal(err)
		}
		held, repaired := "", 0
		for ev, err := range p.Graph().Stream(t.Context(), research.Input("Which rule binds an owner?"), &graph.RunOptions{Modes: graph.Tokens | graph.Custom}) {
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case ev.Kind == graph.NodeToken:
				held += ev.Text
			case ev.Name == llm.EventTextAgain:
				if held = ""; !strings.Contains(string(ev.Data), skills.SynthesizeAndCite) {
					t.Errorf("%s: payload %s", name, ev.Data)
				}
			case ev.Name == event.ModelCall && strings.Contains(string(ev.Data), `"repaired":true`):
				repaired++
			}
		}
		if held != answer.Text || (repaired == 1) != (name == "blank") || m.Calls(skills.SynthesizeAndCite) != len(answers) {
			t.Errorf("%s: the reader holds %q after %d calls and %d repairs", name, held, m.Calls(skills.SynthesizeAndCite), repaired)
		}
	}
}

// The calls of one message run in their order, also those of several tools.
func TestToolsNumberInTheOrderOfTheCalls(t *testing.T) {
	for range 5 {
		var pages []int
		calls := wish("leaf", `{"page":14}`, research.ToolSearchCorpus, `{"query":"fines"}`, "leaf", `{"page":13}`, research.ToolSearchCorpus, `{"query":"appeals"}`)
		m := searching(calls, llmtest.Answer{Text: "Owners pay. [Source 6]"})
		run := runSearching(t, m, &library{}, research.Options{Tools: []research.Tool{leafing(t, &pages)}})
		if run.err != nil || hits(run.final.Plan[0]) != "p00 p01 p02 p03 p04 p14 p10 p11 p13 p12" {
			t.Fatalf("%s, %v", hits(run.final.Plan[0]), run.err)
		}
	}
}

// The model reads the whole of what it finds.
func TestFoundIsNotCutOff(t *testing.T) {
	long, err := llm.NewTool("long", "Says much.", func(context.Context, struct{}) (string, error) { return strings.Repeat("word ", 10_000), nil })
	if err != nil {
		t.Fatal(err)
	}
	m := searching(wish("long", "{}", research.ToolSearchCorpus, `{"query":"wide"}`), llmtest.Answer{Text: "Owners pay. [Source 6]"})
	if run := runSearching(t, m, wide{}, research.Options{Tools: []research.Tool{{Callable: long}}}); run.err != nil {
		t.Fatal(run.err)
	}
	results := m.Requests()[m.Total()-1].Messages[3].Results
	if len(results) != 2 || len(results[0].Text) < 50_000 || len(results[1].Text) < 50_000 || !json.Valid([]byte(results[1].Text)) {
		t.Errorf("%d results, of %d and %d bytes", len(results), len(results[0].Text), len(results[1].Text))
	}
}

// wide has one passage more than a library, of 50,000 bytes.
type wide struct{}

func (wide) Search(ctx context.Context, q retrieval.Query) (retrieval.Result, error) {
	if q.Primary != "wide" {
		return new(library).Search(ctx, q)
	}
	p := passage(30)
	p.Text = strings.Repeat("word ", 10_000)
	return retrieval.Result{Confidence: .9, Hits: []state.Hit{{Passage: p, Rank: 1}}}, nil
}

// A replay that is live inside a step writes the step's answer from the beginning, so
// that no number is lost that an earlier call gave.
func TestReplayOfASearchingModel(t *testing.T) {
	answers := []llmtest.Answer{wish(research.ToolSearchCorpus, `{"query":"fines"}`), wish("leaf", `{"page":14}`), {Text: "Owners pay. [Source 8]"}}
	opts := research.Options{SearchTool: true, SkipVerification: true, Tools: []research.Tool{leafing(t, new([]int))}}
	run := runSearching(t, searching(answers...), &library{}, opts)
	records, err := trace.Read(strings.NewReader(run.trace))
	if err != nil || run.err != nil {
		t.Fatal(err, run.err)
	}
	for from, calls := range map[string]int{"": 0, "observe": 0, "execute/synthesize": 3, "execute/synthesize/tool_leaf": 3} {
		rec, err := trace.NewRecording(records, &trace.RecordingOptions{From: from})
		if err != nil {
			t.Fatal(err)
		}
		m := searching(answers...)
		p, err := research.New(research.Deps{Model: m, Skills: set(t), Corpus: &library{}}, &opts)
		if err != nil {
			t.Fatal(err)
		}
		final, err := p.Run(t.Context(), "Which rule binds an owner?", &graph.RunOptions{Replay: rec})
		if err != nil || final.Answer != run.final.Answer || hits(final.Plan[0]) != hits(run.final.Plan[0]) || m.Calls(skills.SynthesizeAndCite) != calls {
			t.Errorf("from %q: %d calls, %v: %s", from, m.Calls(skills.SynthesizeAndCite), err, hits(final.Plan[0]))
		}
	}
}

// A tool of a step may ask a person: the run waits and does not take the question for
// a failure of the model. The step's answer is then written from the beginning.
func TestAToolOfAStepMayAskAPerson(t *testing.T) {
	page, err := llm.NewTool("leaf", "Opens a page.", func(ctx context.Context, in numbered) (numbered, error) {
		ok, err := graph.Interrupt[bool](ctx, "may I", in)
		if err == nil && !ok {
			err = errors.New("a person says no")
		}
		return in, err
	})
	if err != nil {
		t.Fatal(err)
	}
	calls := wish(research.ToolSearchCorpus, `{"query":"fines"}`, "leaf", `{"page":14}`)
	m := searching(calls, calls, llmtest.Answer{Text: "Owners pay. [Source 8]"})
	tool := research.Tool{Callable: page, Passages: func(json.RawMessage) ([]state.Passage, error) { return []state.Passage{passage(14)}, nil }}
	p, err := research.New(research.Deps{Model: m, Skills: set(t), Corpus: &library{}},
		&research.Options{SearchTool: true, SkipVerification: true, Tools: []research.Tool{tool}, Checkpointer: memory.New()})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Run(t.Context(), "Which rule binds an owner?", &graph.RunOptions{Thread: "t"})
	asked, ok := errors.AsType[*graph.InterruptedError](err)
	if !ok || len(asked.Pending) != 1 || asked.Pending[0].Key != "may I" {
		t.Fatalf("error %v", err)
	}
	final, err := p.Graph().Resume(t.Context(), nil, &graph.RunOptions{Thread: "t", Resume: []graph.Answer{graph.Reply(true)}})
	if err != nil || len(final.Plan[0].Citations) != 1 || final.Plan[0].Citations[0].Passage != "p14" || m.Calls(skills.SynthesizeAndCite) != 3 {
		t.Errorf("%v after %d calls: %+v", err, m.Calls(skills.SynthesizeAndCite), final.Plan)
	}
}

// The events of a step's model and tools name the skill, and count what was asked.
func TestEventsOfASearchingModel(t *testing.T) {
	run := runSearching(t, searching(search("own"), llmtest.Answer{Text: "Owners are bound. [Source 1]"}), &library{}, research.Options{})
	records, err := trace.Read(strings.NewReader(run.trace))
	if err != nil || run.err != nil {
		t.Fatal(err, run.err)
	}
	synthesize, err := set(t).Get(skills.SynthesizeAndCite)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range records {
		switch {
		case r.Kind == event.ModelCall && strings.Contains(string(r.Data), skills.SynthesizeAndCite):
			if e := decoded[event.Call](t, []json.RawMessage{r.Data})[0]; e.SkillHash != synthesize.Hash || e.Usage.Calls != 1 || !e.OK {
				t.Errorf("%+v", e)
			}
			got = append(got, r.Kind+" in "+r.Namespace)
		case r.Kind == llm.EventToolCall:
			if e := decoded[llm.ToolEvent](t, []json.RawMessage{r.Data})[0]; e.Skill != skills.SynthesizeAndCite || e.Tool != research.ToolSearchCorpus || e.Round != 1 || !e.OK {
				t.Errorf("%+v", e)
			}
			got = append(got, r.Kind+" in "+r.Namespace)
		}
	}
	if want := []string{"model_call in execute/synthesize", "tool_call in execute/synthesize", "model_call in execute/synthesize"}; !slices.Equal(got, want) {
		t.Errorf("events %q", got)
	}
}
