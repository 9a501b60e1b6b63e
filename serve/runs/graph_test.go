package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
)

// A run is carried out with what was opened for it, which is closed after it, also when it
// fails. Settings that the graph does not have are refused.
func TestOpenedForEachRun(t *testing.T) {
	g, other := chain(t, "g", "a"), chain(t, "g", "a", "b")
	var opened, closed []string
	g.Settings = []runs.Setting{{Name: "corpus"}}
	g.Open = func(ctx context.Context, tenant string, r runs.Run) (runs.Opening, error) {
		choice := string(r.Spec.Settings["corpus"])
		opened = append(opened, tenant+" "+choice)
		o := runs.Opening{App: g.App, Close: func() error {
			closed = append(closed, choice)
			return nil
		}}
		switch choice {
		case `"none"`:
			return o, errors.New("there is no such corpus")
		case `"other"`:
			o.App = other.App
		case `"late"`:
			late, cancel := context.WithCancel(ctx)
			cancel()
			o.Context = late
		}
		return o, nil
	}
	s := manager(t, g)
	run := func(choice string) runs.Run {
		t.Helper()
		r := begin(t, s, runs.Spec{Graph: "g", Input: json.RawMessage("[]"), Settings: map[string]json.RawMessage{"corpus": json.RawMessage(choice)}})
		return wait(t, s, r.ID)
	}
	if r := run(`"mine"`); r.Status != runs.Success {
		t.Errorf("%+v", r)
	}
	if r := run(`"none"`); r.Status != runs.Errored || !strings.Contains(r.Error, "no such corpus") {
		t.Errorf("%+v", r)
	}
	if r := run(`"other"`); r.Status != runs.Errored || !strings.Contains(r.Error, "fingerprint") {
		t.Errorf("%+v", r)
	}
	if r := run(`"late"`); r.Status != runs.Errored || !strings.Contains(r.Error, "context canceled") {
		t.Errorf("%+v", r)
	}
	if got := strings.Join(opened, ", "); got != `default "mine", default "none", default "other", default "late"` {
		t.Errorf("opened %s", got)
	}
	if got := strings.Join(closed, ", "); got != `"mine", "other", "late"` {
		t.Errorf("closed %s", got)
	}
	if unknown := g.Unknown(map[string]json.RawMessage{"colour": nil, "corpus": nil}); !slices.Equal(unknown, []string{"colour"}) {
		t.Errorf("unknown settings: %v", unknown)
	}
}

// A run has the outcome that its graph reads from the state at the end, also when its thread is
// removed; one that failed has the reason of its node, without the nodes around it.
func TestOutcome(t *testing.T) {
	inner := graph.NewStateGraph(talkLines)
	inner.AddNode("say", func(_ context.Context, s talk) (graph.Update[talk], error) {
		if slices.Contains(s.Lines, "wrong") {
			return nil, errors.New("no schema was given")
		}
		return graph.Update[talk]{talkLines.Add("said")}, nil
	})
	inner.AddEdge(graph.Start, "say")
	in, err := inner.Compile(&graph.CompileOptions{Name: "in"})
	if err != nil {
		t.Fatal(err)
	}
	outer := graph.NewStateGraph(talkLines)
	graph.AddMappedSubgraph(outer, "mind", in, func(s talk) graph.Update[talk] { return graph.Update[talk]{talkLines.Add(s.Lines...)} }, func(s talk) graph.Update[talk] { return graph.Update[talk]{talkLines.Add("over")} })
	outer.AddEdge(graph.Start, "mind")
	app, err := outer.Compile(&graph.CompileOptions{Name: "g"})
	if err != nil {
		t.Fatal(err)
	}
	s := manager(t, runs.Graph{Name: "g", App: app.App(), Outcome: func(state json.RawMessage) string {
		var end struct{ Lines []string }
		if err := json.Unmarshal(state, &end); err != nil {
			t.Error(err)
		}
		return strings.Join(end.Lines, " ")
	}})
	for _, temporary := range []bool{false, true} {
		r := wait(t, s, begin(t, s, runs.Spec{Graph: "g", Temporary: temporary, Input: input(t, app.App(), `{"lines":["right"]}`)}).ID)
		if r.Status != runs.Success || r.Outcome != "right over" || r.Reason != "" {
			t.Errorf("temporary %t: %+v", temporary, r)
		}
	}
	r := wait(t, s, begin(t, s, runs.Spec{Graph: "g", Input: input(t, app.App(), `{"lines":["wrong"]}`)}).ID)
	if r.Outcome != "" || r.Reason != "no schema was given" || !strings.Contains(r.Error, `running node "mind"`) {
		t.Errorf("%+v", r)
	}
}

func input(t *testing.T, app graph.App, values string) json.RawMessage {
	t.Helper()
	data, err := app.Values(json.RawMessage(values))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A node reads the record of its run, with settings that its graph does not name.
func TestFromContext(t *testing.T) {
	lines := graph.NewStateGraph(talkLines)
	lines.AddNode("say", func(ctx context.Context, _ talk) (graph.Update[talk], error) {
		r, ok := runs.FromContext(ctx)
		return graph.Update[talk]{talkLines.Add(fmt.Sprintf("%v %s", ok, r.Settings["user_id"]))}, nil
	})
	lines.AddEdge(graph.Start, "say")
	app, err := lines.Compile(&graph.CompileOptions{Name: "g"})
	if err != nil {
		t.Fatal(err)
	}
	s := manager(t, runs.Graph{Name: "g", App: app.App()})
	r := begin(t, s, runs.Spec{Graph: "g", Input: json.RawMessage("[]"), Settings: map[string]json.RawMessage{"user_id": json.RawMessage(`"ann"`)}})
	wait(t, s, r.ID)
	at, _, err := s.State(t.Context(), r.Thread, "")
	if err != nil || !strings.Contains(string(at.State), `true \"ann\"`) {
		t.Errorf("%v: %s", err, at.State)
	}
	if _, ok := runs.FromContext(t.Context()); ok {
		t.Error("there is no run here")
	}
}

// What a graph inside a node does is told of the node around it, to those who ask for tokens
// and to nobody else.
func TestSteps(t *testing.T) {
	inner := graph.NewStateGraph(talkLines, talkWho, talkWait)
	inner.AddNode("look", func(context.Context, talk) (graph.Update[talk], error) { return nil, nil })
	inner.AddNode("find", func(context.Context, talk) (graph.Update[talk], error) {
		return graph.Update[talk]{talkLines.Add("found")}, nil
	})
	inner.AddEdge(graph.Start, "look")
	inner.AddEdge("look", "find")
	child, err := inner.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	outer := graph.NewStateGraph(talkLines, talkWho, talkWait)
	outer.AddNode("hear", func(context.Context, talk) (graph.Update[talk], error) { return nil, nil })
	outer.AddSubgraph("search", child)
	outer.AddEdge(graph.Start, "hear")
	outer.AddEdge("hear", "search")
	app, err := outer.Compile(&graph.CompileOptions{Name: "g"})
	if err != nil {
		t.Fatal(err)
	}
	g := runs.Graph{Name: "g", App: app.App(), Steps: func(ev graph.Event[json.RawMessage]) string {
		if ev.Kind != graph.NodeStart {
			return ""
		}
		return ev.Namespace + "." + ev.Node
	}}
	s := manager(t, g)
	for modes, want := range map[graph.Mode]string{
		graph.Tokens: "run_attempt checkpoint checkpoint node_update.hear checkpoint run_steps.search=search.look run_steps.search=search.find node_update.search checkpoint",
		graph.Values: "run_attempt checkpoint values checkpoint node_update.hear checkpoint node_update.search values checkpoint",
	} {
		r := begin(t, s, runs.Spec{Graph: "g", Input: json.RawMessage("[]"), Modes: modes})
		var got, tasks []string
		for ev, err := range s.Events(t.Context(), r.ID, 0) {
			if err != nil {
				t.Fatal(err)
			}
			one := ev.Kind
			if ev.Node != "" {
				one += "." + ev.Node
			}
			if ev.Text != "" {
				one += "=" + ev.Text
			}
			if got = append(got, one); ev.Node == "search" {
				tasks = append(tasks, fmt.Sprint(ev.Tasks, ev.Step))
			}
		}
		if said := strings.Join(got, " "); said != want {
			t.Errorf("%s\nwant\n%s", said, want)
		}
		if len(slices.Compact(tasks)) != 1 {
			t.Errorf("the node's events are of the tasks %q", tasks)
		}
	}
}
