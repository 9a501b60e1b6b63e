package react_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	"example.com/assay/graph/store"
	storememory "example.com/assay/graph/store/memory"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/nodes/react"
)

// seen are the texts of a request, a line each.
func seen(req llm.Request) string {
	var b strings.Builder
	for _, m := range req.Messages {
		b.WriteString(string(m.Role) + " " + m.Text)
		for _, c := range m.Calls {
			b.WriteString(" " + c.Name)
		}
		for _, r := range m.Results {
			b.WriteString(" =" + r.Text)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestTrim(t *testing.T) {
	look := echo(t, "look")
	m := says(calls(`look {"town":"a"}`), text("One."), text("Two."), text("Three."))
	app := compile(t, m, []react.Tool{look}, &react.Options{Before: []react.Step{react.Trim(20)}})
	for _, said := range []string{"First?", "Second?", "Third?"} {
		run(t, app, said)
	}
	reqs := m.Requests()
	if got := seen(reqs[1]); got != "user First?\nassistant  look\ntool  =look of a\n" {
		t.Errorf("what the person said last is always there: %q", got)
	}
	if got := seen(reqs[3]); got != "user Second?\nassistant Two.\nuser Third?\n" {
		t.Errorf("%q", got)
	}
	snap, err := app.State(t.Context(), graph.Key{Thread: "t"})
	if err != nil || len(snap.State.Messages) != 8 {
		t.Errorf("%v: %d messages are kept", err, len(snap.State.Messages))
	}
}

func TestClearResults(t *testing.T) {
	m := says(calls(`look {"town":"a"}`), calls(`look {"town":"b"}`), text("Done."))
	s := run(t, compile(t, m, []react.Tool{echo(t, "look")}, &react.Options{Before: []react.Step{react.ClearResults(1)}}), "Go")
	if got := seen(m.Requests()[2]); !strings.Contains(got, "=(left out") || !strings.Contains(got, "=look of b") || strings.Contains(got, "look of a") {
		t.Errorf("%q", got)
	}
	if s.Messages[2].Results[0].Text != "look of a" {
		t.Error(shown(s))
	}
}

func TestSummarise(t *testing.T) {
	sums := &llmtest.Script{Answers: map[string][]llmtest.Answer{"summarise": {text("They asked for a.")}}}
	m := says(calls(`look {"town":"a"}`), text("One."), text("Two."))
	app := compile(t, m, []react.Tool{echo(t, "look")}, &react.Options{Before: []react.Step{react.Summarise(sums, 25, 1)}})
	run(t, app, "First?")
	s := run(t, app, "Second?")
	if got := seen(m.Requests()[2]); got != "user Summary of the conversation so far:\nThey asked for a.\nuser Second?\n" || len(s.Messages) != 7 {
		t.Errorf("%q\n%s", got, shown(s))
	}
	if s.Usage.Calls != 4 {
		t.Errorf("usage %+v", s.Usage)
	}
}

func TestChooseTools(t *testing.T) {
	m := says(text("x"))
	choose := react.ChooseTools(func(context.Context, react.State) ([]string, error) { return []string{"b"}, nil })
	run(t, compile(t, m, []react.Tool{echo(t, "a"), echo(t, "b")}, &react.Options{Before: []react.Step{choose}}), "Go")
	if got := m.Requests()[0].Tools; len(got) != 1 || got[0].Name != "b" {
		t.Errorf("%+v", got)
	}
}

func TestRedact(t *testing.T) {
	secret := tool(t, "look", func(context.Context, town) (string, error) { return "card 4111-1111", nil })
	m := says(calls(`look {"town":"a"}`), text("Done."))
	s := run(t, compile(t, m, []react.Tool{secret}, &react.Options{Before: []react.Step{react.Redact(regexp.MustCompile(`\d{4}-\d{4}`))}}), "Is it 4222-2222?")
	for _, req := range m.Requests() {
		if got := seen(req); strings.Contains(got, "1111") || strings.Contains(got, "2222") {
			t.Errorf("%q", got)
		}
	}
	if got := shown(s); strings.Contains(got, "1111") || !strings.Contains(got, "card [redacted]") {
		t.Error(got)
	}
}

func TestStopWhenStuck(t *testing.T) {
	one, other := calls(`look {"town":"a"}`), calls(`look {"town":"b"}`)
	m := says(one, other, one, one, one, text("never"))
	s := run(t, compile(t, m, []react.Tool{echo(t, "look")}, &react.Options{Before: []react.Step{react.StopWhenStuck(3)}}), "Go")
	if m.Total() != 5 || !strings.Contains(s.Ended, "same calls 3 times") {
		t.Errorf("%d calls of the model, ended %q", m.Total(), s.Ended)
	}
}

func TestAnswerIn(t *testing.T) {
	type forecast struct {
		Town string `json:"town"`
		Rain bool   `json:"rain"`
	}
	writes := &llmtest.Script{Answers: map[string][]llmtest.Answer{"answer_in_schema": {text(`{"town":1}`), text("```json\n{\"town\":\"Oslo\",\"rain\":true}\n```")}}}
	s := run(t, compile(t, says(text("It rains in Oslo.")), nil, &react.Options{After: []react.Step{react.AnswerIn[forecast](writes)}}), "Go")
	got, err := react.Decode[forecast](s)
	if err != nil || got != (forecast{"Oslo", true}) {
		t.Errorf("%v: %+v", err, got)
	}
	if _, err := react.Decode[forecast](react.State{Ended: "closed"}); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("%v", err)
	}
}

func agentOf(t *testing.T, name string, m llm.Model, tools ...react.Tool) *graph.Compiled[react.State] {
	t.Helper()
	g, err := react.New(m, tools, &react.Options{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	app, err := g.Compile(&graph.CompileOptions{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return app
}

// A supervisor sees the answers of its agents; they see the task alone. What an agent
// asks a person is asked on the supervisor's thread.
func TestSupervisor(t *testing.T) {
	script := &llmtest.Script{Answers: map[string][]llmtest.Answer{
		"agent":  {calls(`painter {"task":"paint a"}`, `writer {"task":"write b"}`), text("Both are done.")},
		"paints": {calls(`look {"town":"a"}`), text("painted")},
		"writes": {text("written")},
	}}
	asks := echo(t, "look")
	asks.Approve = react.Always
	painter, err := react.AsTool("painter", "Paints.", agentOf(t, "paints", script, asks))
	if err != nil {
		t.Fatal(err)
	}
	writer, err := react.AsTool("writer", "Writes.", agentOf(t, "writes", script))
	if err != nil {
		t.Fatal(err)
	}
	g, err := react.Supervisor(script, []react.Tool{painter, writer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	app, err := g.Compile(&graph.CompileOptions{Checkpointer: memory.New()})
	if err != nil {
		t.Fatal(err)
	}
	_, err = app.Invoke(t.Context(), react.Say("Go"), onThread)
	id := approvals(t, app, err)[0].ID
	s, err := app.Resume(t.Context(), nil, &graph.RunOptions{Thread: "t", Resume: []graph.Answer{graph.ReplyTo(id, react.Decide(react.Decision{Type: react.Approve}))}})
	if err != nil {
		t.Fatal(err)
	}
	if s.Messages[2].Results[0].Text != "painted" || s.Messages[3].Results[0].Text != "written" || react.Answer(s) != "Both are done." {
		t.Error(shown(s))
	}
	if script.Calls("writes") != 1 || script.Calls("paints") != 2 {
		t.Errorf("a finished agent ran again: %d, %d", script.Calls("writes"), script.Calls("paints"))
	}
}

func TestSwarm(t *testing.T) {
	script := &llmtest.Script{Answers: map[string][]llmtest.Answer{
		"front": {calls(`look {"town":"a"}`, `hand_over_to_back {}`)},
		"back":  {text("I am the back."), text("Still the back.")},
	}}
	to, err := react.Handoff("back", "For hard questions.")
	if err != nil {
		t.Fatal(err)
	}
	g, err := react.Swarm("front", map[string]*graph.Compiled[react.State]{
		"front": agentOf(t, "front", script, to, echo(t, "look")), "back": agentOf(t, "back", script),
	})
	if err != nil {
		t.Fatal(err)
	}
	app, err := g.Compile(&graph.CompileOptions{Checkpointer: memory.New()})
	if err != nil {
		t.Fatal(err)
	}
	s := run(t, app, "Hard?")
	if react.Answer(s) != "I am the back." || s.Active != "back" {
		t.Errorf("active %q\n%s", s.Active, shown(s))
	}
	if got := seen(script.Requests()[1]); got != "user Hard?\nassistant  look hand_over_to_back\ntool  =look of a =handed over to back\n" {
		t.Errorf("%q", got)
	}
	if s = run(t, app, "And?"); react.Answer(s) != "Still the back." || script.Calls("front") != 1 {
		t.Error(shown(s))
	}
	if s.Usage.Calls != 3 {
		t.Errorf("usage %+v", s.Usage)
	}
	if _, err := react.Swarm("none", nil); err == nil {
		t.Error("a swarm of nobody")
	}
}

// Without an embedder, notes are found by their words.
func TestRecallByWords(t *testing.T) {
	kept, err := storememory.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := react.Memory(kept, []string{"ann"}, &react.MemoryOptions{Notes: 1})
	if err != nil {
		t.Fatal(err)
	}
	m := says(calls(`remember {"text":"Ann eats no fish."}`, `remember {"text":"The office opens at nine."}`, `remember {"text":"Bo likes tea."}`), text("Noted."))
	run(t, compile(t, m, tools, nil), "Remember.")
	m = says(calls(`recall {"about":"When do offices open?"}`), text("At nine."))
	s := run(t, compile(t, m, tools, nil), "When?")
	if got := s.Messages[2].Results[0].Text; !strings.Contains(got, "opens at nine") || strings.Contains(got, "fish") {
		t.Error(got)
	}
}

func TestMemory(t *testing.T) {
	kept, err := storememory.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	ann := []string{"users", "ann"}
	tools, err := react.Memory(kept, ann, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := says(calls(`remember {"text":"Ann eats no fish."}`, `remember {"text":"Ann eats no fish."}`), text("Noted."))
	run(t, compile(t, m, tools, nil), "I eat no fish.")
	found, err := kept.Search(t.Context(), store.Query{Namespace: ann})
	if err != nil || len(found) != 1 {
		t.Fatalf("%v: %+v", err, found)
	}
	m = says(calls(`recall {"about":"food"}`), calls(`forget {"id":"`+found[0].Item.Key+`"}`, `forget {"id":"none"}`), text("Done."))
	s := run(t, compile(t, m, tools, nil), "Forget it.")
	if !strings.Contains(s.Messages[2].Results[0].Text, "Ann eats no fish.") || s.Messages[4].Results[0].Text != "forgotten" || !s.Messages[5].Results[0].Failed {
		t.Error(shown(s))
	}
	if found, err := kept.Search(t.Context(), store.Query{Namespace: ann}); err != nil || len(found) != 0 {
		t.Errorf("%v: %+v", err, found)
	}
}
