package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	"example.com/assay/graph/temporal"
	"example.com/assay/graph/temporal/temporaltest"
)

// A both is a graph of a case that runs in this process and on Temporal.
type both struct {
	id      string
	build   func(c *calls) *graph.StateGraph[board]
	in      update
	answers map[string][]any
}

// everywhere are the graphs of all cases that a workflow can run: those with an input and
// without options of their own. Facts take errors apart or stop runs from inside; of an
// error, only the text and the kind leave a worker.
func everywhere(t *testing.T) []both {
	var all []both
	for _, r := range rows() {
		all = append(all, both{r.id, func(*calls) *graph.StateGraph[board] { return r.build() }, r.in, nil})
	}
	for _, d := range dialogues() {
		all = append(all, both{d.id, func(c *calls) *graph.StateGraph[board] { return d.build(t, c) }, update{log.Add("in")}, d.answers})
	}
	return all
}

// ran is what a run shows wherever it runs.
type ran struct {
	mu    sync.Mutex
	lines []updated // updates in their order
	state string
	calls map[string]int
}

type updated struct {
	namespace string
	step      int
	text      string
}

func (s *ran) add(ev graph.Event[json.RawMessage]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ev.Kind == graph.NodeUpdate {
		data, err := ev.UpdateJSON()
		s.lines = append(s.lines, updated{ev.Namespace, ev.Step, fmt.Sprintf("%s/%s %d %s %v", ev.Namespace, ev.Node, ev.Step, data, err)})
	}
}

// ordered are the updates in their order. Those of one superstep inside a subgraph have
// none: its nodes run side by side even where this graph runs one at a time.
func (s *ran) ordered() (texts []string) {
	for from := 0; from < len(s.lines); {
		first, to := s.lines[from], from+1
		for first.namespace != "" && to < len(s.lines) && s.lines[to].namespace == first.namespace && s.lines[to].step == first.step {
			to++
		}
		group := texts[len(texts):]
		for _, l := range s.lines[from:to] {
			group = append(group, l.text)
		}
		slices.Sort(group)
		texts, from = append(texts, group...), to
	}
	return texts
}

// ends reads the state that a run left.
func (s *ran) ends(t *testing.T, app graph.App, thread string, c *calls) {
	t.Helper()
	at, err := app.State(t.Context(), graph.Key{Thread: thread})
	if err != nil {
		t.Fatal(err)
	}
	s.state, s.calls = string(at.State), c.count
}

// answering returns answers to questions, each the next for its text.
func answering(answers map[string][]any) func(t *testing.T, p graph.PendingInterrupt) json.RawMessage {
	given := map[string]int{}
	return func(t *testing.T, p graph.PendingInterrupt) json.RawMessage {
		t.Helper()
		text := string(p.Payload)
		if given[text] >= len(answers[text]) {
			t.Fatalf("%s is asked %d times", text, given[text]+1)
		}
		data, err := json.Marshal(answers[text][given[text]])
		if err != nil {
			t.Fatal(err)
		}
		given[text]++
		return data
	}
}

// here runs a graph in this process, one node at a time.
func (b both) here(t *testing.T) *ran {
	t.Helper()
	var c calls
	var s ran
	app, answer := compileOn(t, memory.New(), b.build(&c)).App(), answering(b.answers)
	opts := &graph.RunOptions{Thread: "1", Concurrency: 1}
	in, err := json.Marshal(b.in)
	if err != nil {
		t.Fatal(err)
	}
	for events := app.Stream(t.Context(), in, opts); events != nil; {
		var asked *graph.InterruptedError
		for ev, err := range events {
			if err != nil && !errors.As(err, &asked) {
				t.Fatal(err)
			}
			s.add(ev)
		}
		if events = nil; asked != nil {
			opts.Resume = nil
			for _, p := range asked.Pending {
				opts.Resume = append(opts.Resume, graph.ReplyTo(p.ID, answer(t, p)))
			}
			events = app.StreamResume(t.Context(), nil, opts)
		}
	}
	s.ends(t, app, "1", &c)
	return &s
}

// TestConformanceOnTemporal: each graph comes to the same state, by the same updates in the
// same order and as many calls of its nodes and effects, on a Temporal server as here.
func TestConformanceOnTemporal(t *testing.T) {
	conn, queue := temporaltest.Dial(t), temporaltest.Queue(t)
	saver := memory.New()
	client := temporal.NewClient(conn, &temporal.ClientOptions{Queue: queue})
	all := everywhere(t)
	apps, counts, there := make([]graph.App, len(all)), make([]calls, len(all)), make([]ran, len(all))
	for i, b := range all {
		app, err := b.build(&counts[i]).Compile(&graph.CompileOptions{Name: fmt.Sprint("g", i)})
		if err != nil {
			t.Fatal(err)
		}
		apps[i] = app.App()
	}
	observe := func(r temporal.Run, _ string) (func(graph.Event[json.RawMessage]), func(context.Context) error) {
		i := slices.IndexFunc(apps, func(a graph.App) bool { return a.Name() == r.Graph })
		return there[i].add, func(context.Context) error { return nil }
	}
	temporaltest.Serve(t, conn, temporal.Apps(apps...), temporal.WorkerOptions{Checkpointer: saver, Queue: queue, Concurrency: 1, Observe: observe})
	for i, b := range all {
		t.Run(b.id, func(t *testing.T) {
			in, err := json.Marshal(b.in)
			if err != nil {
				t.Fatal(err)
			}
			thread, answer := fmt.Sprint(queue, i), answering(b.answers)
			if err := client.Start(t.Context(), temporal.Run{Graph: apps[i].Name(), Fingerprint: apps[i].Fingerprint(), Thread: thread, Input: in}); err != nil {
				t.Fatal(err)
			}
			for {
				at, err := client.Wait(t.Context(), thread)
				if err != nil {
					t.Fatal(err)
				}
				if at.Phase == temporal.Ended {
					break
				}
				if at.Phase != temporal.Waiting {
					t.Fatalf("%+v", at)
				}
				var replies []temporal.Reply
				for _, p := range at.Pending {
					replies = append(replies, temporal.Reply{ID: p.ID, Value: answer(t, p)})
				}
				if err := client.Answer(t.Context(), thread, replies...); err != nil {
					t.Fatal(err)
				}
			}
			there[i].ends(t, apps[i].With(saver), thread, &counts[i])
			here := b.here(t)
			if there[i].state != here.state {
				t.Errorf("state %s\nin process %s", there[i].state, here.state)
			}
			if diff := differ(here.ordered(), there[i].ordered()); diff != "" {
				t.Errorf("updates (-in process +on Temporal):\n%s", diff)
			}
			if diff := differ(here.calls, there[i].calls); diff != "" {
				t.Errorf("calls (-in process +on Temporal):\n%s", diff)
			}
		})
	}
	if !strings.Contains(fmt.Sprint(there[len(all)-1].ordered()), "flow") {
		t.Error("the last case has no updates: nothing was compared")
	}
}
