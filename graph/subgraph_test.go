package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"example.com/assay/graph"
)

// inside puts a child over boards between two nodes that say their names.
func inside(t testing.TB, child *graph.StateGraph[board]) *graph.Compiled[board] {
	t.Helper()
	g := newBoard()
	g.AddNode("before", say("before"))
	g.AddSubgraph("sub", mustCompile(t, child))
	g.AddNode("later", say("later"))
	g.AddEdge(graph.Start, "before")
	g.AddEdge("before", "sub")
	g.AddEdge("sub", "later")
	return mustCompile(t, g)
}

func TestSubgraphReturnsWhatItWrote(t *testing.T) {
	for _, c := range []struct {
		name   string
		child  *graph.StateGraph[board]
		want   board
		update string // of the parent's node
	}{
		{
			"appends", wire("START -> i1 -> i2", nil),
			board{Log: []string{"in", "before", "i1", "i2", "later"}, X: 1},
			`[{"channel":"log","op":"add","value":["i1"]},{"channel":"log","op":"add","value":["i2"]}]`,
		},
		{
			"nothing", wire("START -> i1", map[string]node{"i1": writes()}),
			board{Log: []string{"in", "before", "later"}, X: 1}, `[]`,
		},
		{
			"overwrite, then add", wire("START -> i1 -> i2 -> i3", map[string]node{"i1": writes(log.Add("void")), "i2": writes(log.Overwrite([]string{"new"}))}),
			board{Log: []string{"new", "i3", "later"}, X: 1},
			`[{"channel":"log","op":"overwrite","value":["new","i3"]}]`,
		},
		{
			"overwrite beside an add", wire("START -> i1 i2 -> i3", map[string]node{"i1": writes(x.Overwrite(5)), "i2": writes(x.Add(100)), "i3": writes(x.Add(2))}),
			board{Log: []string{"in", "before", "later"}, X: 7},
			`[{"channel":"x","op":"overwrite","value":7}]`,
		},
		{
			"last values", wire("START -> i1 -> i2 -> i3", map[string]node{"i1": writes(hello.Set("1"), query.Set("q")), "i2": writes(hello.Set("2"), x.Add(1)), "i3": writes(hello.Set("3"), x.Add(1))}),
			board{Log: []string{"in", "before", "later"}, X: 3, Hello: "3", Query: "q"},
			`[{"channel":"query","op":"set","value":"q"},{"channel":"x","op":"add","value":1},{"channel":"hello","op":"set","value":"3"},{"channel":"x","op":"add","value":1}]`,
		},
		{
			"an overwritten last value", wire("START -> i1 -> i2", map[string]node{"i1": writes(hello.Overwrite("1")), "i2": writes(hello.Set("2"))}),
			board{Log: []string{"in", "before", "later"}, X: 1, Hello: "2"},
			`[{"channel":"hello","op":"overwrite","value":"2"}]`,
		},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			app := inside(t, c.child)
			for _, n := range concurrencies {
				p := play(t.Context(), app, update{log.Add("in"), x.Add(1)}, graph.RunOptions{Concurrency: n})
				if diff := differ(c.want, p.final); diff != "" || p.err != nil {
					t.Errorf("error %v, state:\n%s", p.err, diff)
				}
				for _, ev := range p.events {
					if data, _ := ev.UpdateJSON(); ev.Kind == graph.NodeUpdate && ev.Node == "sub" && string(data) != c.update {
						t.Errorf("update\n got %s\nwant %s", data, c.update)
					}
				}
			}
		})
	}
}

// TestSubgraphsBeside: two concurrent children append to one list, and one
// overwrites another's value.
func TestSubgraphsBeside(t *testing.T) {
	child := func(lines string, nodes map[string]node) *graph.Compiled[board] {
		return mustCompile(t, wire(lines, nodes))
	}
	g := newBoard()
	g.AddSubgraph("s1", child("START -> a -> b", map[string]node{"b": writes(log.Add("b"), hello.Set("void"))}))
	g.AddSubgraph("s2", child("START -> c -> d", map[string]node{"d": writes(log.Add("d"), hello.Overwrite("d"))}))
	g.AddEdge(graph.Start, "s1")
	g.AddEdge(graph.Start, "s2")
	out, err := mustCompile(t, g).Invoke(t.Context(), update{log.Add("in")}, nil)
	if diff := differ(board{Log: []string{"in", "a", "b", "c", "d"}, Hello: "d"}, out); diff != "" || err != nil {
		t.Errorf("error %v, state:\n%s", err, diff)
	}
}

// TestSubgraphInputOutput: a child's own Input and Output hold inside a parent.
func TestSubgraphInputOutput(t *testing.T) {
	secret := graph.LastValue("secret", func(s *board) *string { return &s.Priv })
	child := graph.NewStateGraph[board](inp, outp, secret, log)
	child.Input(inp)
	child.Output(outp)
	child.AddNode("i1", func(_ context.Context, s board) (update, error) {
		return update{secret.Set(s.Inp + strings.Join(s.Log, "")), log.Add("i1")}, nil
	})
	child.AddNode("i2", func(_ context.Context, s board) (update, error) { return update{outp.Set(s.Priv + "!")}, nil })
	child.AddEdge(graph.Start, "i1")
	child.AddEdge("i1", "i2")
	out, err := inside(t, child).Invoke(t.Context(), update{inp.Set("x")}, nil)
	if diff := differ(board{Inp: "x", Out: "x!", Log: []string{"before", "later"}}, out); diff != "" || err != nil {
		t.Errorf("error %v, state:\n%s", err, diff)
	}
}

func TestSubgraphFails(t *testing.T) {
	child := wire("START -> i1 -> i2", map[string]node{"i2": func(context.Context, board) (update, error) { return nil, errBoom }})
	p := play(t.Context(), inside(t, child), update{}, graph.RunOptions{})
	if want := `running node "sub" in step 2: running node "i2" in step 2: boom`; p.err == nil || p.err.Error() != want || !errors.Is(p.err, errBoom) {
		t.Errorf("error %v, want %s", p.err, want)
	}
	if !slices.Equal(p.final.Log, []string{"before"}) {
		t.Errorf("log %q: what a failed child wrote must be lost", p.final.Log)
	}
}

// TestSubgraphIsRetriedFromTheParentsState: attempts do not see each other.
func TestSubgraphIsRetriedFromTheParentsState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{fails: 2, err: errBoom}
		g := newBoard()
		g.AddSubgraph("sub", mustCompile(t, wire("START -> i1 -> i2", map[string]node{"i2": f.run})), graph.NodeOptions[board]{Retry: []graph.RetryPolicy{{}}})
		g.AddEdge(graph.Start, "sub")
		out, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil)
		if err != nil || !slices.Equal(out.Log, []string{"i1", "ok"}) || len(f.at) != 3 {
			t.Errorf("log %q after %d attempts, error %v", out.Log, len(f.at), err)
		}
	})
}

func TestMappedSubgraph(t *testing.T) {
	child := newJobGraph()
	child.AddNode("twice", func(ctx context.Context, s job) (graph.Update[job], error) {
		return graph.Update[job]{jobCount.Set(2 * s.Count), jobLog.Add(s.Count)}, graph.Emit(ctx, "doubling", s.Count)
	})
	child.AddEdge(graph.Start, "twice")
	app := mustCompile(t, child)
	in := func(s board) graph.Update[job] { return graph.Update[job]{jobCount.Set(s.X)} }
	g := newBoard()
	graph.AddMappedSubgraph(g, "double", app, in, func(j job) update { return update{x.Overwrite(j.Count)} })
	g.AddEdge(graph.Start, "double")
	p := play(t.Context(), mustCompile(t, g), update{x.Add(21)}, graph.RunOptions{Modes: graph.Values | graph.Updates | graph.Custom})
	sameLines(t, p.pick(graph.NodeUpdate, graph.StateValue, graph.NodeCustom),
		`values {"x":21}`,
		`values [double] {"Count":21,"Sum":0,"Name":"","Log":null}`,
		`custom [double] twice doubling=21`,
		`node_update [double] twice [{"channel":"count","op":"set","value":42},{"channel":"log","op":"add","value":[21]}]`,
		`values [double] {"Count":42,"Sum":0,"Name":"","Log":[21]}`,
		`node_update double [{"channel":"x","op":"overwrite","value":42}]`,
		`values {"x":42}`)

	g = newBoard()
	graph.AddMappedSubgraph(g, "double", app, func(board) graph.Update[job] { return nil }, func(job) update { return nil })
	g.AddEdge(graph.Start, "double")
	if _, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil); !errors.Is(err, graph.ErrEmptyInput) {
		t.Errorf("a mapping without input: %v", err)
	}
}

// TestGraphInvokedInsideANode: three levels, the innermost of another state.
// Events carry the way to where they happened.
func TestGraphInvokedInsideANode(t *testing.T) {
	leaf := newJobGraph()
	leaf.AddNode("leaf", jobNode)
	leaf.AddEdge(graph.Start, "leaf")
	leafApp := mustCompile(t, leaf)
	calling := func(ctx context.Context, s board) (update, error) {
		out, err := leafApp.Invoke(ctx, graph.Update[job]{jobCount.Set(s.X)}, nil)
		return update{x.Add(out.Count)}, err
	}
	middle := newBoard()
	middle.AddSubgraph("call", mustCompile(t, wire("START -> x1 -> x2", map[string]node{"x2": calling})))
	middle.AddNode("beside", say("beside"))
	middle.AddEdge(graph.Start, "call")
	middle.AddEdge(graph.Start, "beside")
	p := play(t.Context(), inside(t, middle), update{}, graph.RunOptions{})
	if p.err != nil || p.final.X != 1 {
		t.Fatalf("x %d, error %v", p.final.X, p.err)
	}
	found := 0
	for _, ev := range p.events {
		if depth := strings.Count(ev.Namespace, "/"); ev.Namespace != "" && len(ev.Places) != depth+2 || ev.Namespace == "" && len(ev.Places) != 1 {
			t.Errorf("%s has %d places", line(ev), len(ev.Places))
		}
		if ev.Node != "leaf" || ev.Kind != graph.NodeUpdate {
			continue
		}
		found++
		want := []graph.Place{{Step: 2, Task: 0}, {Step: 1, Task: 1}, {Step: 2, Task: 0}, {Step: 1, Task: 0}}
		data, err := ev.UpdateJSON()
		if ev.Namespace != "sub/call/x2" || !slices.Equal(ev.Places, want) || ev.Step != 1 || string(data) != `[{"channel":"count","op":"set","value":1}]` || err != nil {
			t.Errorf("%q at %v: %s, %v", ev.Namespace, ev.Places, data, err)
		}
	}
	if found != 1 {
		t.Errorf("%d updates of the innermost node", found)
	}
}

// TestStreamInsideANode: a child's own Stream goes to the node, not to the
// parent's reader.
func TestStreamInsideANode(t *testing.T) {
	child := mustCompile(t, wire("START -> i1 -> i2", nil))
	app := mustCompile(t, wire("START -> a", map[string]node{"a": func(ctx context.Context, _ board) (update, error) {
		var u update
		for ev, err := range child.Stream(ctx, update{}, nil) {
			if err != nil {
				return nil, err
			}
			u = append(u, log.Add("saw "+ev.Node))
		}
		return u, nil
	}}))
	p := play(t.Context(), app, update{}, graph.RunOptions{})
	if !slices.Equal(p.final.Log, []string{"saw i1", "saw i2"}) || p.err != nil {
		t.Errorf("log %q, error %v", p.final.Log, p.err)
	}
	for _, ev := range p.events {
		if ev.Namespace != "" {
			t.Errorf("%s reached the parent's reader", line(ev))
		}
	}
}

// shy cannot be encoded; with loud it panics instead of saying so.
type shy struct{ loud bool }

func (s shy) MarshalJSON() ([]byte, error) {
	if s.loud {
		panic("not in public")
	}
	return nil, errors.New("not in public")
}

// TestUnencodableEventsSaySo: a value without JSON is an error in the event. It stops
// neither the run nor the process.
func TestUnencodableEventsSaySo(t *testing.T) {
	type secretive struct{ Value shy }
	value := graph.LastValue("value", func(s *secretive) *shy { return &s.Value })
	for _, loud := range []bool{false, true} {
		child := graph.NewStateGraph[secretive](value)
		for _, name := range []string{"i1", "i2"} { // on goroutines of their own
			child.AddNode(name, func(context.Context, secretive) (graph.Update[secretive], error) {
				if name == "i1" {
					return nil, nil
				}
				return graph.Update[secretive]{value.Set(shy{loud})}, nil
			})
			child.AddEdge(graph.Start, name)
		}
		g := newBoard()
		graph.AddMappedSubgraph(g, "sub", mustCompile(t, child),
			func(board) graph.Update[secretive] { return graph.Update[secretive]{} }, func(secretive) update { return nil })
		g.AddEdge(graph.Start, "sub")
		p := play(t.Context(), mustCompile(t, g), update{}, graph.RunOptions{Modes: graph.Updates})
		if p.err != nil {
			t.Fatal(p.err)
		}
		for _, ev := range p.events {
			data, err := ev.UpdateJSON()
			if bad := ev.Node == "i2"; bad != (err != nil) || bad && !strings.Contains(err.Error(), "not in public") || !bad && !json.Valid(data) {
				t.Errorf("%s: %s, %v", ev.Node, data, err)
			}
		}
	}
}
