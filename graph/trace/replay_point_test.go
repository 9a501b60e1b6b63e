package trace_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
)

// fanOut sends three states to a graph of their own, look -> judge -> judge …,
// where the n-th judges n times; then done. A mark tells runs apart.
func (o *tour) fanOut(t *testing.T, mark string) *graph.Compiled[walk] {
	t.Helper()
	inner := graph.NewStateGraph[walk](seen, fails)
	inner.AddNode("look", o.node("look", "l"+mark))
	inner.AddNode("judge", func(ctx context.Context, s walk) (graph.Update[walk], error) {
		if err := graph.Emit(ctx, "asked", "judge"); err != nil {
			return nil, err
		}
		return o.node(fmt.Sprintf("judge%d", len(s.Seen)), "j"+mark)(ctx, s)
	})
	inner.AddEdge(graph.Start, "look")
	inner.AddConditionalEdges("look", func(_ context.Context, s walk) (graph.Route, error) {
		if s.Seen[0] == "none" {
			return graph.To(graph.End), nil
		}
		return graph.To("judge"), nil
	}, "judge", graph.End)
	inner.AddConditionalEdges("judge", func(_ context.Context, s walk) (graph.Route, error) {
		if len(s.Seen) < 4 && s.Seen[0] == "twice" {
			return graph.To("judge"), nil
		}
		return graph.To(graph.End), nil
	}, "judge", graph.End)
	child, err := inner.Compile(&graph.CompileOptions{Name: "inner"})
	if err != nil {
		t.Fatal(err)
	}
	g := graph.NewStateGraph[walk](seen, fails)
	g.AddNode("plan", o.node("plan", "p"+mark))
	g.AddSubgraph("branch", child)
	g.AddNode("done", o.node("done", "d"+mark))
	g.AddEdge(graph.Start, "plan")
	g.AddConditionalEdges("plan", func(context.Context, walk) (graph.Route, error) {
		var sends []graph.Send[walk]
		for _, name := range []string{"once", "none", "twice"} {
			sends = append(sends, graph.Send[walk]{Node: "branch", State: walk{Seen: []string{name}}})
		}
		return graph.Sends(sends...), nil
	}, "branch")
	g.AddEdge("branch", "done")
	out, err := g.Compile(&graph.CompileOptions{Name: "outer"})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestReplayIsLiveInEachBranch: each of several branches is live from its own
// first picked task on, and those without one are replayed as a whole.
func TestReplayIsLiveInEachBranch(t *testing.T) {
	for _, c := range []struct {
		name      string
		opts      trace.RecordingOptions
		ran, seen string
	}{
		{"records", trace.RecordingOptions{Live: func(r trace.Record) bool { return r.Kind == "asked" }}, "done judge2 judge2 judge3", "p l j! l l j! j! d!"},
		{"node", trace.RecordingOptions{From: "branch/judge"}, "done judge2 judge2 judge3", "p l j! l l j! j! d!"},
		{"one branch", trace.RecordingOptions{Live: func(r trace.Record) bool { return r.Kind == "asked" && r.Places[0].Task == 2 }}, "done judge2 judge3", "p l j l l j! j! d!"},
		{"in its second round", trace.RecordingOptions{Live: func(r trace.Record) bool { return r.Kind == "asked" && r.Places[1].Step == 3 }}, "done judge3", "p l j l l j j! d!"},
		{"branches", trace.RecordingOptions{From: "branch"}, "done judge2 judge2 judge3 look look look", "p l! j! l! l! j! j! d!"},
		{"both", trace.RecordingOptions{From: "plan", Live: func(r trace.Record) bool { return r.Kind == "asked" }}, "done judge2 judge2 judge3 look look look plan", "p! l! j! l! l! j! j! d!"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var first, second tour
			was, _, err := recordRun(t, first.fanOut(t, ""), graph.RunOptions{})
			if err != nil {
				t.Fatal(err)
			}
			rec, err := trace.NewRecording(was, &c.opts)
			if err != nil {
				t.Fatal(err)
			}
			_, end, err := recordRun(t, second.fanOut(t, "!"), graph.RunOptions{Replay: rec})
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(second.ran)
			if got := strings.Join(second.ran, " "); got != c.ran {
				t.Errorf("ran %s, want %s", got, c.ran)
			}
			if got := strings.Join(end.Seen, " "); got != c.seen {
				t.Errorf("seen %s, want %s", got, c.seen)
			}
		})
	}
	var o tour
	was, _, err := recordRun(t, o.fanOut(t, ""), graph.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trace.NewRecording(was, &trace.RecordingOptions{Live: func(trace.Record) bool { return false }}); err == nil {
		t.Error("no error although nothing is picked")
	}
}

// TestReplayedEventsAreMarked: what is told again is told so, and nothing else;
// the normaliser takes the mark away.
func TestReplayedEventsAreMarked(t *testing.T) {
	var o tour
	was, _, err := recordRun(t, o.fanOut(t, ""), graph.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := trace.NewRecording(was, &trace.RecordingOptions{From: "branch/judge"})
	if err != nil {
		t.Fatal(err)
	}
	var marked, others []string
	for ev, err := range o.fanOut(t, "").Stream(t.Context(), graph.Update[walk]{}, &graph.RunOptions{Replay: rec, Modes: graph.Debug, Concurrency: 1}) {
		switch {
		case err != nil:
			t.Fatal(err)
		case ev.Kind == graph.NodeUpdate || ev.Kind == graph.NodeCustom:
			if ev.Replayed {
				marked = append(marked, ev.Node+ev.Name)
			} else {
				others = append(others, ev.Node+ev.Name)
			}
		}
	}
	slices.Sort(marked)
	if got := strings.Join(slices.Compact(marked), " "); got != "look lookgreeting plan plangreeting" {
		t.Errorf("marked: %s", got)
	}
	slices.Sort(others)
	if got := strings.Join(slices.Compact(others), " "); got != "branch done donegreeting judge judgeasked judgegreeting" {
		t.Errorf("not marked: %s", got)
	}
	is, _, err := recordRun(t, o.fanOut(t, ""), graph.RunOptions{Replay: rec})
	if err != nil {
		t.Fatal(err)
	}
	if d, differ := trace.First(was, is); differ {
		t.Errorf("the replay differs: %s", d)
	}
}

// failing is a graph whose subgraph fails in its second node, is tried again, and
// leaves the rest to a handler.
func (o *tour) failing(t *testing.T) *graph.Compiled[walk] {
	t.Helper()
	inner := graph.NewStateGraph[walk](seen, fails)
	inner.AddNode("x", o.node("x", "x"))
	inner.AddNode("y", func(ctx context.Context, s walk) (graph.Update[walk], error) {
		if _, err := o.node("y", "y")(ctx, s); err != nil {
			return nil, err
		}
		return nil, errors.New("y fails")
	})
	inner.AddEdge(graph.Start, "x")
	inner.AddEdge("x", "y")
	child, err := inner.Compile(&graph.CompileOptions{Name: "inner"})
	if err != nil {
		t.Fatal(err)
	}
	g := graph.NewStateGraph[walk](seen, fails)
	g.AddSubgraph("sub", child, graph.NodeOptions[walk]{
		Retry: []graph.RetryPolicy{{MaxAttempts: 2, RetryOn: func(error) bool { return true }}},
		OnError: func(context.Context, walk, error) (graph.Update[walk], error) {
			return graph.Update[walk]{seen.Add("rescued")}, nil
		},
	})
	g.AddNode("z", o.node("z", "z"))
	g.AddEdge(graph.Start, "sub")
	g.AddEdge("sub", "z")
	out, err := g.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestReplayOfAFailureThatWasHandled: what failed and was handled is neither run
// nor handled again.
func TestReplayOfAFailureThatWasHandled(t *testing.T) {
	var first, second tour
	was, end, err := recordRun(t, first.failing(t), graph.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := trace.NewRecording(was, &trace.RecordingOptions{From: "z"})
	if err != nil {
		t.Fatal(err)
	}
	is, again, err := recordRun(t, second.failing(t), graph.RunOptions{Replay: rec})
	if err != nil || strings.Join(again.Seen, " ") != strings.Join(end.Seen, " ") || strings.Join(second.ran, " ") != "z" {
		t.Errorf("ran %q, state %q was %q, error %v", second.ran, again.Seen, end.Seen, err)
	}
	if d, differ := trace.First(was, is); differ {
		t.Errorf("the replay differs: %s", d)
	}
}

// TestReplayOfSeveralGraphsInANode: the events of graphs that one node ran cannot
// be told apart, so that they run when the node does.
func TestReplayOfSeveralGraphsInANode(t *testing.T) {
	compile := func(o *tour) *graph.Compiled[walk] {
		inner := graph.NewStateGraph[walk](seen, fails)
		inner.AddNode("x", o.node("x", "x"))
		inner.AddNode("y", o.node("y", "y"))
		inner.AddEdge(graph.Start, "x")
		inner.AddEdge("x", "y")
		child, err := inner.Compile(&graph.CompileOptions{Name: "inner"})
		if err != nil {
			t.Fatal(err)
		}
		g := graph.NewStateGraph[walk](seen, fails)
		g.AddNode("a", o.node("a", "a"))
		g.AddNode("both", func(ctx context.Context, _ walk) (graph.Update[walk], error) {
			for range 2 {
				if _, err := child.Invoke(ctx, graph.Update[walk]{}, nil); err != nil {
					return nil, err
				}
			}
			return nil, nil
		})
		g.AddEdge(graph.Start, "a")
		g.AddEdge("a", "both")
		out, err := g.Compile(nil)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	var first, second, third tour
	was, _, err := recordRun(t, compile(&first), graph.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := trace.NewRecording(was, &trace.RecordingOptions{From: "both/y"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = recordRun(t, compile(&second), graph.RunOptions{Replay: rec}); err != nil || strings.Join(second.ran, " ") != "x y x y" {
		t.Errorf("ran %q, error %v", second.ran, err)
	}
	if rec, err = trace.NewRecording(was, nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err = recordRun(t, compile(&third), graph.RunOptions{Replay: rec}); err != nil || len(third.ran) > 0 {
		t.Errorf("ran %q, error %v", third.ran, err)
	}
}

// TestLongValuesAreShownWhereTheyPart: the difference of two long texts is seen.
func TestLongValuesAreShownWhereTheyPart(t *testing.T) {
	long := strings.Repeat("word ", 200)
	d := trace.Difference{Event: "node_update", Was: long + "old" + long, Is: long + "new" + long}
	if got := d.String(); !strings.Contains(got, "word old") || !strings.Contains(got, "word new") || len(got) > 1200 {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	was, is := trace.Shorten("short", "shorter", 10)
	if was != "short" || is != "shorter" {
		t.Errorf("%q, %q", was, is)
	}
}
