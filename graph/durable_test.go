package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/checkpointtest"
)

// A durable is a conformance case that needs a checkpointer.
type durable struct {
	id    string
	check func(t *testing.T, open func() graph.Checkpointer)
}

// compileOn compiles a graph whose runs are saved.
func compileOn[S any](t testing.TB, saver graph.Checkpointer, g *graph.StateGraph[S]) *graph.Compiled[S] {
	t.Helper()
	app, err := g.Compile(&graph.CompileOptions{Checkpointer: saver})
	if err != nil {
		t.Fatal(err)
	}
	return app
}

// rowsOf prints a thread's history, newest first: "(source,step,next,values)".
func rowsOf(t *testing.T, app *graph.Compiled[board], thread string) []string {
	t.Helper()
	var rows []string
	for s, err := range app.History(t.Context(), thread, nil) {
		if err != nil {
			t.Error(err)
			continue
		}
		values, err := json.Marshal(s.State)
		if err != nil {
			t.Error(err)
		}
		rows = append(rows, fmt.Sprintf("(%s,%d,%v,%s)", s.Source, s.Step, s.Next, values))
	}
	return rows
}

// stateOf reads a thread's newest state.
func stateOf[S any](t testing.TB, app *graph.Compiled[S], key graph.Key) *graph.StateSnapshot[S] {
	t.Helper()
	s, err := app.State(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// nextOf asserts what a thread has left to run, and returns its state.
func nextOf(t *testing.T, app *graph.Compiled[board], thread string, next ...string) *graph.StateSnapshot[board] {
	t.Helper()
	s := stateOf(t, app, graph.Key{Thread: thread})
	if !slices.Equal(s.Next, next) {
		t.Errorf("next %q, want %q", s.Next, next)
	}
	return s
}

// on is a run of a thread, with answers if it is resumed.
func on(thread string, answers ...graph.Answer) *graph.RunOptions {
	return &graph.RunOptions{Thread: thread, Resume: answers}
}

// asks writes the answer it gets, after its name.
func asks(name, question string) node {
	return func(ctx context.Context, _ board) (update, error) {
		answer, err := graph.Interrupt[string](ctx, "q", question)
		if err != nil {
			return nil, err
		}
		return update{log.Add(name + ":" + answer)}, nil
	}
}

// pendingIn asserts that a run waits for these, each "node: payload", and
// returns their IDs.
func pendingIn(t *testing.T, err error, want ...string) []string {
	t.Helper()
	var stopped *graph.InterruptedError
	if !errors.As(err, &stopped) {
		t.Fatalf("error %v, want a run that is interrupted", err)
	}
	var got, ids []string
	for _, p := range stopped.Pending {
		got, ids = append(got, p.Node+": "+strings.Trim(string(p.Payload), `"`)), append(ids, p.ID)
	}
	if diff := differ(want, got); diff != "" {
		t.Fatalf("pending (-want +got):\n%s", diff)
	}
	return ids
}

// logged asserts a run that ended well with this log.
func logged(t *testing.T, out board, err error, want ...string) {
	t.Helper()
	if err != nil || !slices.Equal(out.Log, want) {
		t.Errorf("log %q, error %v; want %q", out.Log, err, want)
	}
}

// calls counts how often nodes were called.
type calls struct {
	mu    sync.Mutex
	count map[string]int
}

func (c *calls) note(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count == nil {
		c.count = map[string]int{}
	}
	c.count[name]++
	return c.count[name]
}

// of counts the calls of a node.
func (c *calls) of(name string, run node) node {
	return func(ctx context.Context, s board) (update, error) {
		c.note(name)
		return run(ctx, s)
	}
}

// times is how often one was called.
func (c *calls) times(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count[name]
}

// were asserts the counts: "a1 ask2".
func (c *calls) were(t *testing.T, want string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	var got []string
	for _, name := range slices.Sorted(maps.Keys(c.count)) {
		got = append(got, fmt.Sprintf("%s%d", name, c.count[name]))
	}
	if got := strings.Join(got, " "); got != want {
		t.Errorf("calls: %s, want %s", got, want)
	}
}

// counting is nodes, each counted; those without a function say their name.
func (c *calls) counting(nodes map[string]node) map[string]node {
	out := map[string]node{}
	for name, run := range nodes {
		if run == nil {
			run = say(name)
		}
		out[name] = c.of(name, run)
	}
	return out
}

// crashes calls run once for every call that it makes of a saver, each time
// with a saver of which that call fails: before it takes effect or, when lossy,
// after it did.
func crashes(t *testing.T, open func() graph.Checkpointer, run func(saver graph.Checkpointer, lossy bool)) {
	t.Helper()
	saver := open() // emptied after each run: a store for each is slow to make
	empty := func() graph.Checkpointer {
		for thread, err := range saver.Threads(t.Context()) {
			if err == nil {
				err = saver.Commit(t.Context(), thread.ID, graph.Change{Clear: true})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return saver
	}
	for _, lossy := range []bool{false, true} {
		fault := checkpointtest.Faulty
		if lossy {
			fault = checkpointtest.Lossy
		}
		counter := fault(empty(), 0)
		run(counter, lossy)
		if counter.Calls() == 0 {
			t.Error("the saver was not called")
		}
		for n := 1; n <= counter.Calls() && !t.Failed(); n++ {
			if run(fault(empty(), n), lossy); t.Failed() {
				t.Errorf("that was with call %d of %d failing, lossy: %t", n, counter.Calls(), lossy)
			}
		}
	}
}

// exists reports whether a thread has begun. The saver may fail once.
func exists[S any](t *testing.T, app *graph.Compiled[S], thread string) bool {
	t.Helper()
	_, err := app.State(t.Context(), graph.Key{Thread: thread})
	if errors.Is(err, checkpointtest.ErrFault) {
		_, err = app.State(t.Context(), graph.Key{Thread: thread})
	}
	if err != nil && !errors.Is(err, graph.ErrNoCheckpoint) {
		t.Error(err)
	}
	return err == nil
}
