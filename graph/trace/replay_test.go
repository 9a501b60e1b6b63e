package trace_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
)

// A tour is a graph that tells which of its nodes ran.
type tour struct {
	mu  sync.Mutex
	ran []string
}

func (o *tour) node(name, says string) graph.Node[walk] {
	return func(ctx context.Context, s walk) (graph.Update[walk], error) {
		o.mu.Lock()
		o.ran = append(o.ran, name)
		o.mu.Unlock()
		if err := graph.Emit(ctx, "greeting", says); err != nil {
			return nil, err
		}
		return graph.Update[walk]{seen.Add(says)}, nil
	}
}

// compile makes START -> a -> sub(x -> y) and plain, which invokes sub's graph
// itself; both -> c -> Sends to d -> e. Nodes say their names with a mark.
func (o *tour) compile(t *testing.T, mark string, extra ...string) *graph.Compiled[walk] {
	t.Helper()
	must := func(g *graph.StateGraph[walk], name string) *graph.Compiled[walk] {
		c, err := g.Compile(&graph.CompileOptions{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	inner := graph.NewStateGraph[walk](seen, fails)
	inner.AddNode("x", o.node("x", "x"+mark))
	inner.AddNode("y", o.node("y", "y"+mark))
	inner.AddEdge(graph.Start, "x")
	inner.AddEdge("x", "y")
	child := must(inner, "inner")
	g := graph.NewStateGraph[walk](seen, fails)
	for _, name := range append([]string{"a", "c", "d", "e"}, extra...) {
		g.AddNode(name, o.node(name, name+mark))
	}
	g.AddSubgraph("sub", child)
	g.AddNode("plain", func(ctx context.Context, _ walk) (graph.Update[walk], error) {
		out, err := child.Invoke(ctx, graph.Update[walk]{}, nil)
		return graph.Update[walk]{seen.Add(fmt.Sprintf("plain%d", len(out.Seen)))}, err
	})
	g.AddEdge(graph.Start, "a")
	for _, name := range extra {
		g.AddEdge(graph.Start, name)
	}
	g.AddEdge("a", "sub")
	g.AddEdge("a", "plain")
	g.AddJoin([]string{"sub", "plain"}, "c")
	g.AddConditionalEdges("c", func(_ context.Context, s walk) (graph.Route, error) {
		return graph.Sends(graph.Send[walk]{Node: "d", State: s}, graph.Send[walk]{Node: "d"}), nil
	}, "d")
	g.AddEdge("d", "e")
	return must(g, "outer")
}

func recordRun(t *testing.T, app *graph.Compiled[walk], opts graph.RunOptions) ([]trace.Record, walk, error) {
	t.Helper()
	var b bytes.Buffer
	w := trace.NewWriter(&b, trace.Header{RunID: "r"})
	opts.Modes = graph.Debug
	var last walk
	var failure error
	for ev, err := range app.Stream(t.Context(), graph.Update[walk]{}, &opts) {
		if err != nil {
			failure = err
			break
		}
		if ev.Kind == graph.RunEnd && ev.Namespace == "" {
			last = ev.State
		}
		if err := trace.Add(w, ev); err != nil {
			t.Fatal(err)
		}
	}
	records, err := trace.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	return trace.Normalise(records), last, failure
}

func TestReplayOfAllRunsNothing(t *testing.T) {
	var first, second tour
	was, end, err := recordRun(t, first.compile(t, ""), graph.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := trace.NewRecording(was, nil)
	if err != nil {
		t.Fatal(err)
	}
	is, again, err := recordRun(t, second.compile(t, " changed"), graph.RunOptions{Replay: rec})
	if err != nil {
		t.Fatal(err)
	}
	if len(second.ran) > 0 {
		t.Errorf("nodes ran: %q", second.ran)
	}
	if !slices.Equal(again.Seen, end.Seen) {
		t.Errorf("the replay ends with %q, the run with %q", again.Seen, end.Seen)
	}
	if d, differ := trace.First(was, is); differ {
		t.Errorf("the traces differ: %s", d)
	}
}

func TestReplayIsLiveFromANode(t *testing.T) {
	for _, c := range []struct{ from, ran, seen string }{
		{"a", "a c d d e plain sub x x y y", "a! plain2 x! y! c! d! d! e!"},
		{"c", "c d d e", "a plain2 x y c! d! d! e!"},
		{"d", "d d e", "a plain2 x y c d! d! e!"}, // both Sends
		{"sub/y", "c d d e y", "a plain2 x y! c! d! d! e!"},
		{"e", "e", "a plain2 x y c d d e!"},
	} {
		t.Run(strings.ReplaceAll(c.from, "/", "_"), func(t *testing.T) {
			var first, second tour
			was, _, err := recordRun(t, first.compile(t, ""), graph.RunOptions{})
			if err != nil {
				t.Fatal(err)
			}
			rec, err := trace.NewRecording(was, &trace.RecordingOptions{From: c.from})
			if err != nil {
				t.Fatal(err)
			}
			_, end, err := recordRun(t, second.compile(t, "!"), graph.RunOptions{Replay: rec})
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for name := range strings.FieldsSeq(c.ran) {
				if name != "plain" && name != "sub" {
					want = append(want, name)
				}
			}
			slices.Sort(second.ran)
			if !slices.Equal(second.ran, want) {
				t.Errorf("ran %q, want %q", second.ran, want)
			}
			if got := strings.Join(end.Seen, " "); got != c.seen {
				t.Errorf("seen %s, want %s", got, c.seen)
			}
		})
	}
}

func TestReplayNamesTheFirstEventThatDiffers(t *testing.T) {
	var first, second tour
	was, _, err := recordRun(t, first.compile(t, ""), graph.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := trace.NewRecording(was, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = recordRun(t, second.compile(t, "", "b"), graph.RunOptions{Replay: rec})
	var mismatch *trace.MismatchError
	if !errors.As(err, &mismatch) || mismatch.Field != "fingerprint" || !strings.Contains(err.Error(), `event 0, run_start of graph "outer", field fingerprint: was `) {
		t.Errorf("another graph: %v", err)
	}
	if len(second.ran) > 0 {
		t.Errorf("another graph: %q ran", second.ran)
	}
	if _, err = app(t).Invoke(t.Context(), graph.Update[walk]{}, &graph.RunOptions{Replay: renamed(t, was, "elsewhere")}); err == nil || !strings.Contains(err.Error(), "field graph: was elsewhere, is outer") {
		t.Errorf("a graph of another name: %v", err)
	}
	unsigned := slices.Clone(was)
	unsigned[0].Kind = "begin" // as nobody writes it: its supersteps tell
	if rec, err = trace.NewRecording(unsigned, nil); err != nil {
		t.Fatal(err)
	}
	_, _, err = recordRun(t, second.compile(t, "", "b"), graph.RunOptions{Replay: rec})
	if !errors.As(err, &mismatch) || !strings.Contains(err.Error(), `step_start in step 1, field nodes: was a, is a, b`) {
		t.Errorf("another superstep: %v", err)
	}
	elsewhere := slices.Clone(unsigned)
	for i, r := range elsewhere {
		if r.Node == "c" {
			elsewhere[i].Node = "d"
		}
		if r.Kind == "step_start" {
			elsewhere[i].Kind = "begin"
		}
	}
	if rec, err = trace.NewRecording(elsewhere, nil); err != nil {
		t.Fatal(err)
	}
	_, _, err = recordRun(t, second.compile(t, ""), graph.RunOptions{Replay: rec})
	if !errors.As(err, &mismatch) || !strings.Contains(err.Error(), `node_start in step 3, field node: was d, is c`) {
		t.Errorf("another node: %v", err)
	}
	changed := slices.Clone(was)
	at := slices.IndexFunc(changed, func(r trace.Record) bool { return r.Kind == "node_update" && r.Node == "c" })
	changed[at].Update = []byte(`[{"channel":"gone","op":"add","value":["c"]}]`)
	if rec, err = trace.NewRecording(changed, nil); err != nil {
		t.Fatal(err)
	}
	if _, _, err = recordRun(t, second.compile(t, ""), graph.RunOptions{Replay: rec}); err == nil || !errors.As(err, new(*graph.ReplayError)) || !strings.Contains(err.Error(), `node "c"`) || !strings.Contains(err.Error(), `"gone"`) {
		t.Errorf("an update of another graph: %v", err)
	}
	if _, err = trace.NewRecording(was, &trace.RecordingOptions{From: "nowhere"}); err == nil || !strings.Contains(err.Error(), "a, c, d, e, plain, plain/x, plain/y, sub") {
		t.Errorf("an unknown node: %v", err)
	}
	if _, err = trace.NewRecording(nil, nil); err == nil {
		t.Error("no error for an empty trace")
	}
}

// renamed is a recording of a trace whose graph has another name.
func renamed(t *testing.T, records []trace.Record, name string) *trace.Recording {
	t.Helper()
	records = slices.Clone(records)
	records[0].Graph = name
	rec, err := trace.NewRecording(records, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// TestReplayRunsWhatFailed: a trace that ends in a failure is replayed up to
// it.
func TestReplayRunsWhatFailed(t *testing.T) {
	records := record(t, graph.Update[walk]{fails.Set(true)})
	rec, err := trace.NewRecording(records, nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := app(t).Invoke(t.Context(), graph.Update[walk]{}, &graph.RunOptions{Replay: rec})
	if err != nil || len(out.Seen) != 5 {
		t.Errorf("state %v, error %v", out, err)
	}
}
