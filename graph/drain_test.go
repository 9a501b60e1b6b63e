package graph_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph"
)

// drains asks for the end of the run and says its name.
func drains(name, reason string) node {
	return func(ctx context.Context, _ board) (update, error) {
		if !graph.Drain(ctx, reason) {
			return nil, errBoom
		}
		return update{log.Add(name)}, nil
	}
}

// isDrained asserts a drained run: why, and what was left to run.
func isDrained(t *testing.T, err error, reason string, next ...string) {
	t.Helper()
	var drained *graph.DrainedError
	if !errors.As(err, &drained) || drained.Reason != reason || !slices.Equal(drained.Next, next) {
		t.Errorf("error %v, want a run drained by %q with %q to run", err, reason, next)
	}
}

var factsDrain = []fact{
	{"E13", func(t *testing.T) {
		app := mustCompile(t, wire("START -> a -> b -> c", map[string]node{"a": drains("a", "sigterm")}))
		p := play(t.Context(), app, update{}, graph.RunOptions{})
		isDrained(t, p.err, "sigterm", "b")
		if p.steps() != "a" || !slices.Equal(p.final.Log, []string{"a"}) || !slices.Equal(p.end(t).Nodes, []string{"b"}) {
			t.Errorf("steps %s, log %q, next %q", p.steps(), p.final.Log, p.end(t).Nodes)
		}
		if want := "run drained (sigterm) with b still to run"; p.err.Error() != want {
			t.Errorf("error %v, want %s", p.err, want)
		}
	}},
	{"E13/whole_superstep", func(t *testing.T) {
		for _, n := range []int{0, 1} {
			g := wire("START -> a b -> d", map[string]node{"a": drains("a", "first"), "b": slowly(5*ms, drains("b", "second"))})
			g.AddConditionalEdges("b", always(graph.Sends(to("w", "1", "2")...)), "w")
			g.AddNode("w", sayFoo("w"))
			out, err := mustCompile(t, g).Invoke(t.Context(), update{}, &graph.RunOptions{Concurrency: n})
			isDrained(t, err, "first", "d", "w", "w")
			if !slices.Equal(out.Log, []string{"a", "b"}) {
				t.Errorf("log %q", out.Log)
			}
		}
	}},
	{"E13/terminal", func(t *testing.T) {
		out, err := mustCompile(t, wire("START -> a -> b", map[string]node{"b": drains("b", "sigterm")})).Invoke(t.Context(), update{}, nil)
		if err != nil || !slices.Equal(out.Log, []string{"a", "b"}) {
			t.Errorf("log %q, error %v", out.Log, err)
		}
	}},
	{"E13/failure_counts_more", func(t *testing.T) {
		_, err := mustCompile(t, wire("START -> a b -> c", map[string]node{"a": drains("a", "sigterm"), "b": slowly(ms, fails(new(int), errBoom))})).Invoke(t.Context(), update{}, nil)
		if !errors.Is(err, errBoom) {
			t.Errorf("error %v", err)
		}
	}},
	{"E13/below", func(t *testing.T) {
		// The inner graph continues to its end; the outer one stops.
		child := wire("START -> i1 -> i2", map[string]node{"i1": drains("i1", "sigterm")})
		out, err := inside(t, child).Invoke(t.Context(), update{}, nil)
		isDrained(t, err, "sigterm", "later")
		if !slices.Equal(out.Log, []string{"before", "i1", "i2"}) {
			t.Errorf("log %q", out.Log)
		}
	}},
	{"E13/control", func(t *testing.T) {
		app := mustCompile(t, wire("START -> a -> a", map[string]node{"a": slowly(10*ms, say("a"))}))
		var control graph.Control
		time.AfterFunc(25*ms, func() { control.Drain("sigterm"); control.Drain("too late") })
		out, err := app.Invoke(t.Context(), update{}, &graph.RunOptions{Control: &control})
		isDrained(t, err, "sigterm", "a")
		if len(out.Log) != 3 {
			t.Errorf("log %q", out.Log)
		}
		// It stays so: a run that begins now does not get far.
		out, err = app.Invoke(t.Context(), update{log.Add("in")}, &graph.RunOptions{Control: &control})
		isDrained(t, err, "sigterm", "a")
		if !slices.Equal(out.Log, []string{"in"}) {
			t.Errorf("log %q", out.Log)
		}
	}},
	{"E13/control_below", func(t *testing.T) {
		// A run with a control of its own answers to it, inside a node as well.
		child := mustCompile(t, wire("START -> i1 -> i2", map[string]node{"i1": drains("i1", "enough")}))
		app := mustCompile(t, wire("START -> a -> b", map[string]node{"a": func(ctx context.Context, _ board) (update, error) {
			out, err := child.Invoke(ctx, update{}, &graph.RunOptions{Control: &graph.Control{}})
			isDrained(t, err, "enough", "i2")
			return update{log.Add(out.Log...)}, nil
		}}))
		out, err := app.Invoke(t.Context(), update{}, nil)
		if err != nil || !slices.Equal(out.Log, []string{"i1", "b"}) {
			t.Errorf("log %q, error %v", out.Log, err)
		}
	}},
	{"E13/outside", func(t *testing.T) {
		if graph.Drain(t.Context(), "nothing to drain") {
			t.Error("drained outside a run")
		}
		// A run is drained, not what runs after it.
		app := mustCompile(t, wire("START -> a -> b", map[string]node{"a": drains("a", "once")}))
		for range 2 {
			out, err := app.Invoke(t.Context(), update{}, nil)
			isDrained(t, err, "once", "b")
			if strings.Join(out.Log, "") != "a" {
				t.Errorf("log %q", out.Log)
			}
		}
	}},
}
