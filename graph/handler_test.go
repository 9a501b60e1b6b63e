package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/assay/graph"
)

type (
	options  = graph.NodeOptions[board]
	defaults = graph.NodeDefaults[board]
	handler  = graph.ErrorHandler[board]
)

// fails always fails, and counts its calls, also concurrent ones.
func fails(count *int, err error) node {
	var mu sync.Mutex
	return func(context.Context, board) (update, error) {
		mu.Lock()
		defer mu.Unlock()
		*count++
		return update{log.Add("lost")}, err
	}
}

// rescues logs its failure, and goes to a given node.
func rescues(more ...graph.Write[board]) handler {
	return func(_ context.Context, _ board, failure error) (update, error) {
		var failed *graph.NodeError
		if !errors.As(failure, &failed) {
			return nil, fmt.Errorf("no NodeError: %w", failure)
		}
		return append(update{log.Add("handled:" + failed.Node)}, more...), nil
	}
}

var twice = []graph.RetryPolicy{{MaxAttempts: 2, InitialInterval: ms}}

var factsHandler = []fact{
	{"E12", func(t *testing.T) {
		for _, beside := range []string{"", " z"} {
			count := 0
			p := play(t.Context(), mustCompile(t, rescued(&count, beside != "")), update{}, graph.RunOptions{})
			want := strings.Fields("handled:bad" + beside + " after")
			if p.err != nil || !slices.Equal(p.final.Log, want) || count != 2 || p.steps() != "bad"+beside+" | after" {
				t.Errorf("log %q in %s, %d attempts, error %v", p.final.Log, p.steps(), count, p.err)
			}
			if got := p.pick(graph.NodeHandled); len(got) != 1 || got[0] != `node_handled bad attempt 2 error: running node "bad" in step 1, attempt 2: boom` {
				t.Errorf("handled: %q", got)
			}
			if len(p.pick(graph.NodeFailed)) > 0 {
				t.Errorf("failures %q", p.pick(graph.NodeFailed))
			}
		}
	}},
	{"E12/both", func(t *testing.T) {
		count := 0
		g := limited(options{OnError: rescues()}, map[string]node{"a": fails(&count, errBoom), "b": slowly(5*ms, say("b")), "c": slowly(9*ms, fails(new(int), errOther))})
		out, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil)
		if err != nil || !slices.Equal(out.Log, []string{"handled:a", "b", "handled:c"}) {
			t.Errorf("log %q, error %v", out.Log, err)
		}
	}},
	{"E12/sees", func(t *testing.T) {
		g := newBoard()
		g.AddNode("a", fails(new(int), errBoom), options{Retry: twice, Reads: []graph.Channel[board]{x}, OnError: func(ctx context.Context, s board, failure error) (update, error) {
			info, ok := graph.CurrentTask(ctx)
			if !ok || info.Node != "a" || info.Attempt != 2 || s.X != 7 || s.Hello != "" || !errors.Is(failure, errBoom) {
				t.Errorf("%+v sees %+v and %v", info, s, failure)
			}
			return nil, graph.Emit(ctx, "rescue", 1)
		}})
		g.AddEdge(graph.Start, "a")
		g.AddEdge("a", "b")
		g.AddNode("b", say("b"))
		p := play(t.Context(), mustCompile(t, g), update{x.Add(7), hello.Set("hidden")}, graph.RunOptions{})
		if p.err != nil || p.steps() != "a | b" || len(p.pick(graph.NodeCustom)) != 1 {
			t.Errorf("steps %s, error %v", p.steps(), p.err)
		}
	}},
	{"E12/sent", func(t *testing.T) {
		g := wire("START -> a", nil)
		g.AddNode("w", fails(new(int), errBoom), options{OnError: func(_ context.Context, s board, _ error) (update, error) {
			return update{log.Add("for " + s.Foo)}, nil
		}})
		g.AddConditionalEdges("a", always(graph.Sends(to("w", "1", "2")...)), "w")
		out, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil)
		if err != nil || !slices.Equal(out.Log, []string{"a", "for 1", "for 2"}) {
			t.Errorf("log %q, error %v", out.Log, err)
		}
	}},
	{"E12/fails", func(t *testing.T) {
		crash := errors.New("crash")
		panicked := new(*graph.PanicError)
		for name, c := range map[string]struct {
			handler handler
			says    string
			check   func(error) bool
		}{
			"crashes": {func(context.Context, board, error) (update, error) { return nil, crash }, `running node "bad" in step 1: handling its error (boom): crash`, func(err error) bool { return errors.Is(err, crash) && errors.Is(err, errBoom) }},
			"panics":  {func(context.Context, board, error) (update, error) { panic("ouch") }, `running node "bad" in step 1: handling its error (boom): panic: ouch`, func(err error) bool { return errors.As(err, panicked) && errors.Is(err, errBoom) }},
			"declines": {func(_ context.Context, _ board, failure error) (update, error) {
				return update{log.Add("lost")}, failure
			}, `running node "bad" in step 1: boom`, func(err error) bool { return errors.Is(err, errBoom) }},
		} {
			asked := 0
			g := wire("START -> a", nil)
			g.Defaults(defaults{OnError: func(context.Context, board, error) (update, error) { asked++; return nil, nil }})
			g.AddNode("bad", fails(new(int), errBoom), options{OnError: c.handler})
			g.AddEdge(graph.Start, "bad")
			p := play(t.Context(), mustCompile(t, g), update{}, graph.RunOptions{})
			if p.err == nil || p.err.Error() != c.says || !c.check(p.err) || asked > 0 || len(p.final.Log) > 0 {
				t.Errorf("%s: asked %d, log %q, error %v", name, asked, p.final.Log, p.err)
			}
			// Its sibling may have been stopped before it began.
			failures := slices.DeleteFunc(p.pick(graph.NodeFailed), func(f string) bool { return strings.HasPrefix(f, "node_error a ") })
			if len(failures) != 1 {
				t.Errorf("%s: failures %q", name, failures)
			}
		}
	}},
	{"E12/not_asked", func(t *testing.T) {
		// Not for a cancelled node, nor for routers.
		asked := 0
		opts := options{OnError: func(context.Context, board, error) (update, error) { asked++; return nil, nil }}
		g := limited(opts, map[string]node{"w": waits})
		g.AddNode("z", slowly(ms, fails(new(int), errBoom)))
		g.AddEdge(graph.Start, "z")
		_, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil)
		if !errors.Is(err, errBoom) {
			t.Errorf("error %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), ms)
		defer cancel()
		if _, err = mustCompile(t, limited(opts, map[string]node{"w": waits})).Invoke(ctx, update{}, nil); err == nil {
			t.Error("cancelled: no error")
		}
		if _, err = mustCompile(t, limited(opts, map[string]node{"w": waits})).Invoke(t.Context(), update{}, &graph.RunOptions{StepTimeout: ms}); err == nil {
			t.Error("step timeout: no error")
		}
		g = limited(opts, map[string]node{"a": say("a")})
		g.AddConditionalEdges("a", always(graph.Route{}), graph.End)
		if _, err = mustCompile(t, g).Invoke(t.Context(), update{}, nil); err == nil {
			t.Error("bad route: no error")
		}
		if asked > 0 {
			t.Errorf("asked %d times", asked)
		}
	}},
	{"E12/timeout", func(t *testing.T) {
		g := limited(options{Timeout: graph.Timeout{Run: 20 * ms}, OnError: func(ctx context.Context, _ board, failure error) (update, error) {
			var late *graph.NodeTimeout
			if !errors.As(failure, &late) || late.Kind != graph.TimeoutRun {
				t.Errorf("failure %v", failure)
			}
			time.Sleep(30 * ms) // the attempt's time is not the handler's
			return update{log.Add("rescued")}, ctx.Err()
		}}, map[string]node{"a": waits})
		out, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil)
		if err != nil || !slices.Equal(out.Log, []string{"rescued"}) {
			t.Errorf("log %q, error %v", out.Log, err)
		}
	}},
	{"E12/to_the_parent", func(t *testing.T) {
		// A handler may hand over, and may run a graph that does.
		for _, h := range []handler{
			func(context.Context, board, error) (update, error) {
				return update{graph.Parent[board](update{log.Add("up")})}, nil
			},
			func(ctx context.Context, s board, _ error) (update, error) {
				_, err := mustCompile(t, wire("START -> i", map[string]node{"i": writes(graph.Parent[board](update{log.Add("up")}))})).Invoke(ctx, update{}, nil)
				return nil, err
			},
		} {
			out, err := inside(t, limited(options{OnError: h}, map[string]node{"bad": fails(new(int), errBoom)})).Invoke(t.Context(), update{}, nil)
			if err != nil || !slices.Equal(out.Log, []string{"before", "up", "later"}) {
				t.Errorf("log %q, error %v", out.Log, err)
			}
		}
	}},
	{"E5/defaults", func(t *testing.T) {
		for name, c := range map[string]struct {
			defaults defaults
			own      options
			attempts int
			log      string
		}{
			"retry":       {defaults{Retry: twice}, options{}, 2, ""},
			"own retry":   {defaults{Retry: twice}, options{Retry: []graph.RetryPolicy{{InitialInterval: ms}}}, 3, ""},
			"no retry":    {defaults{Retry: twice}, options{Retry: []graph.RetryPolicy{}}, 1, ""},
			"handler":     {defaults{OnError: rescues()}, options{}, 1, "handled:bad"},
			"own handler": {defaults{OnError: rescues()}, options{OnError: rescues(log.Add("own"))}, 1, "handled:bad own"},
		} {
			count := 0
			g := newBoard()
			g.Defaults(defaults{Retry: []graph.RetryPolicy{{MaxAttempts: 99}}}) // replaced
			g.AddNode("bad", fails(&count, errBoom), c.own)
			g.AddEdge(graph.Start, "bad")
			g.Defaults(c.defaults)
			out, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil)
			if count != c.attempts || strings.Join(out.Log, " ") != c.log || (err == nil) != (c.log != "") {
				t.Errorf("%s: %d attempts, log %q, error %v", name, count, out.Log, err)
			}
		}
	}},
	{"E11/defaults", func(t *testing.T) {
		for _, c := range []struct {
			own  graph.Timeout
			kind graph.TimeoutKind
		}{
			{graph.Timeout{}, graph.TimeoutRun},
			{graph.Timeout{Run: -1}, graph.TimeoutIdle},
			{graph.Timeout{Idle: 5 * ms}, graph.TimeoutIdle},
		} {
			g := limited(options{Timeout: c.own}, map[string]node{"a": waits})
			g.Defaults(defaults{Timeout: graph.Timeout{Run: 10 * ms, Idle: 20 * ms}})
			_, err := mustCompile(t, g).Invoke(t.Context(), update{}, nil)
			var late *graph.NodeTimeout
			if !errors.As(err, &late) || late.Kind != c.kind {
				t.Errorf("%+v: error %v", c.own, err)
			}
		}
	}},
}
