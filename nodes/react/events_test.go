package react_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/nodes/react"
	"example.com/assay/skills"
	"example.com/assay/state/event"
)

// eventsOf are the payloads of a run's events of one name.
func eventsOf[T any](t *testing.T, app *graph.Compiled[react.State], name string) []T {
	t.Helper()
	var out []T
	for ev, err := range app.Stream(t.Context(), react.Say("Go"), &graph.RunOptions{Thread: "t", Modes: graph.Custom}) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(ev.Data), "SECRET") {
			t.Errorf("an event shows what was said: %s", ev.Data)
		}
		if ev.Name != name {
			continue
		}
		var e T
		if err := json.Unmarshal(ev.Data, &e); err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

// Each call of a tool is an event that shows nothing of it.
func TestEventsOfTools(t *testing.T) {
	look := tool(t, "look", func(_ context.Context, in town) (string, error) {
		if in.Town == "b" {
			return "", errors.New("no")
		}
		return "SECRET", nil
	})
	m := says(calls(`look {"town":"a"}`, `look {"town":"b"}`), calls(`look {"town":"SECRET"}`), text("SECRET"))
	got := eventsOf[llm.ToolEvent](t, compile(t, m, []react.Tool{look}, &react.Options{AtOnce: 1}), llm.EventToolCall)
	want := []llm.ToolEvent{
		{Skill: "agent", Tool: "look", Round: 1, ArgumentChars: 12, ResultChars: 6, OK: true},
		{Skill: "agent", Tool: "look", Round: 1, ArgumentChars: 12, ResultChars: 2, Error: "no"},
		{Skill: "agent", Tool: "look", Round: 2, ArgumentChars: 17, ResultChars: 6, OK: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tool calls (-want +got):\n%s", diff)
	}
}

// An agent can ask with a rendered skill: each request and each event of a call has
// what it was rendered from.
func TestOrigin(t *testing.T) {
	origin := llm.Origin{SkillHash: "abc", Vars: json.RawMessage(`{"n":1}`)}
	m := &llmtest.Script{Answers: map[string][]llmtest.Answer{skills.SynthesizeAndCite: {calls(`look {"town":"a"}`), text("Done.")}}}
	app := compile(t, m, []react.Tool{echo(t, "look")}, &react.Options{Name: skills.SynthesizeAndCite, Origin: origin})
	for _, e := range eventsOf[event.Call](t, app, event.ModelCall) {
		if e.Skill != skills.SynthesizeAndCite || e.SkillHash != "abc" {
			t.Errorf("event %+v", e)
		}
	}
	for _, req := range m.Requests() {
		if diff := cmp.Diff(origin, req.Origin); diff != "" || m.Total() != 2 {
			t.Errorf("after %d calls (-want +got):\n%s", m.Total(), diff)
		}
	}
}

// A blank answer is asked for once more, also between calls; a second one ends the run.
func TestBlankAnswers(t *testing.T) {
	m := says(calls(`look {"town":"a"}`), text(" "), calls(`look {"town":"b"}`), text("Done."))
	app := compile(t, m, []react.Tool{echo(t, "look")}, nil)
	var repaired []bool
	for _, e := range eventsOf[event.Call](t, app, event.ModelCall) {
		repaired = append(repaired, e.Repaired)
	}
	if diff := cmp.Diff([]bool{false, false, true, false}, repaired); diff != "" {
		t.Errorf("repairs (-want +got):\n%s", diff)
	}
	snap, err := app.State(t.Context(), graph.Key{Thread: "t"})
	if err != nil || react.Answer(snap.State) != "Done." || snap.State.Usage.ParseFailures != 1 {
		t.Errorf("%v\n%s%+v", err, shown(snap.State), snap.State.Usage)
	}
	app = compile(t, says(text(""), text("")), nil, nil)
	if _, err := app.Invoke(t.Context(), react.Say("Go"), onThread); !errors.As(err, new(*llm.ParseError)) {
		t.Errorf("two blank answers: %v", err)
	}
}

// A model that fails ends the run; what was saved stays.
func TestAModelThatFails(t *testing.T) {
	app := compile(t, says(calls(`look {"town":"a"}`), llmtest.Answer{Err: &llm.StatusError{Provider: "p", Status: 400}}), []react.Tool{echo(t, "look")}, nil)
	s, err := app.Invoke(t.Context(), react.Say("Go"), onThread)
	if !errors.As(err, new(*llm.StatusError)) || len(s.Messages) != 3 || s.Usage.Calls != 1 {
		t.Errorf("%v\n%s%+v", err, shown(s), s.Usage)
	}
}

// The end of the context ends the run with its cause, and not the model's turn.
func TestCancelledWhileToolsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("the user left")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, why)
		defer cancel()
		wait := tool(t, "wait", func(ctx context.Context, _ town) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		})
		m := says(calls(`wait {"town":"a"}`, `wait {"town":"b"}`), text("late"))
		if _, err := compile(t, m, []react.Tool{wait}, nil).Invoke(ctx, react.Say("Go"), onThread); !errors.Is(err, why) || m.Total() != 1 {
			t.Errorf("error %v after %d calls", err, m.Total())
		}
	})
}

// A tool may ask a person: the question reaches the run and not the model.
func TestAToolMayAskAPerson(t *testing.T) {
	asks := tool(t, "look", func(ctx context.Context, in town) (string, error) {
		return graph.Interrupt[string](ctx, "which "+in.Town, in)
	})
	m := says(calls(`look {"town":"a"}`), text("Done."))
	app := compile(t, m, []react.Tool{asks}, nil)
	_, err := app.Invoke(t.Context(), react.Say("Go"), onThread)
	if e, ok := errors.AsType[*graph.InterruptedError](err); !ok || len(e.Pending) != 1 || e.Pending[0].Key != "which a" {
		t.Fatalf("error %v", err)
	}
	s, err := app.Resume(t.Context(), nil, &graph.RunOptions{Thread: "t", Resume: []graph.Answer{graph.Reply("the north")}})
	if err != nil || s.Messages[2].Results[0].Text != "the north" || m.Total() != 2 {
		t.Errorf("%v after %d calls\n%s", err, m.Total(), shown(s))
	}
}
