package temporal_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/testsuite"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	storage "example.com/assay/graph/store/memory"
	"example.com/assay/graph/temporal"
)

// inProcess runs a graph here, answers each question with its key, and returns the
// state and the events.
func inProcess(t *testing.T, app graph.App) (state string, lines []string) {
	t.Helper()
	opts := &graph.RunOptions{Thread: "t", Concurrency: 1}
	events := app.Stream(t.Context(), encoded(t, update{}), opts)
	for {
		var asked *graph.InterruptedError
		for ev, err := range events {
			switch {
			case errors.As(err, &asked):
			case err != nil:
				t.Fatal(err)
			case ev.Kind == graph.NodeUpdate:
				lines = append(lines, line(ev))
			}
		}
		if asked == nil {
			break
		}
		opts.Resume = nil
		for _, p := range asked.Pending {
			opts.Resume = append(opts.Resume, graph.ReplyTo(p.ID, p.Key))
		}
		events = app.StreamResume(t.Context(), nil, opts)
	}
	at, err := app.State(t.Context(), graph.Key{Thread: "t"})
	if err != nil {
		t.Fatal(err)
	}
	return string(at.State), lines
}

// onSuite runs a graph in Temporal's test environment, where time is skipped.
type onSuite struct {
	env   *testsuite.TestWorkflowEnvironment
	app   graph.App
	mu    sync.Mutex
	lines []string
}

func newSuite(t *testing.T, app graph.App, change func(*temporal.WorkerOptions)) *onSuite {
	t.Helper()
	s := &onSuite{env: (&testsuite.WorkflowTestSuite{}).NewTestWorkflowEnvironment(), app: app.With(memory.New())}
	saver := memory.New()
	s.app = app.With(saver)
	o := temporal.WorkerOptions{Checkpointer: saver, Concurrency: 1, Observe: updates(&s.mu, &s.lines)}
	if change != nil {
		change(&o)
	}
	temporal.Register(s.env, o, temporal.Apps(app))
	s.env.SetTestTimeout(time.Minute)
	return s
}

// answers answers questions with their keys, as soon as they are asked.
func (s *onSuite) answers(t *testing.T) {
	s.env.RegisterDelayedCallback(func() {
		if s.env.IsWorkflowCompleted() {
			return
		}
		value, err := s.env.QueryWorkflow("status")
		if err != nil {
			t.Errorf("asking for the status: %v", err)
			return
		}
		var now struct {
			Waiting bool
			Pending []struct{ ID, Key string }
		}
		if err := value.Get(&now); err != nil {
			t.Errorf("reading the status: %v", err)
		}
		var given []map[string]any
		for _, q := range now.Pending {
			given = append(given, map[string]any{"id": q.ID, "value": map[string]any{"json": q.Key}})
		}
		if now.Waiting {
			s.env.UpdateWorkflow("answer", "", &testsuite.TestUpdateCallback{OnReject: func(err error) { t.Errorf("refused: %v", err) }, OnComplete: func(any, error) {}}, given)
		}
		s.answers(t)
	}, time.Second)
}

func (s *onSuite) run(t *testing.T, input json.RawMessage) (state string, err error) {
	t.Helper()
	s.env.ExecuteWorkflow("assay.run", map[string]any{"graph": s.app.Name(), "fingerprint": s.app.Fingerprint(), "thread": "t", "input": map[string]any{"json": input}})
	if !s.env.IsWorkflowCompleted() {
		t.Fatal("the workflow has not ended")
	}
	if err := s.env.GetWorkflowError(); err != nil {
		return "", err
	}
	at, err := s.app.State(t.Context(), graph.Key{Thread: "t"})
	if err != nil {
		t.Fatal(err)
	}
	return string(at.State), nil
}

// Each kind of graph comes to the same state, by the same events in the same order, as
// in process.
func TestSameAsInProcess(t *testing.T) {
	for name, build := range graphs {
		t.Run(name, func(t *testing.T) {
			want, lines := inProcess(t, compile(t, build(t), graph.CompileOptions{Name: "g", Checkpointer: memory.New()}).App())
			s := newSuite(t, compile(t, build(t), graph.CompileOptions{Name: "g"}).App(), nil)
			s.answers(t)
			got, err := s.run(t, encoded(t, update{}))
			if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("state %s; in process %s", got, want)
			}
			if !slices.Equal(s.lines, lines) {
				t.Errorf("events\n%s\nin process\n%s", strings.Join(s.lines, "\n"), strings.Join(lines, "\n"))
			}
		})
	}
}

// A question waits for days at no cost, and ends when the run is cancelled.
func TestCancelWhileItWaits(t *testing.T) {
	s := newSuite(t, compile(t, asking(), graph.CompileOptions{Name: "g"}).App(), nil)
	s.env.RegisterDelayedCallback(s.env.CancelWorkflow, 72*time.Hour)
	if _, err := s.run(t, encoded(t, update{})); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("error %v", err)
	}
	if len(s.lines) != 1 {
		t.Errorf("events %q", s.lines)
	}
}

// The validator refuses an answer to what is not asked, two answers to one question, and
// none to a run that asks.
func TestAnswerIsValidated(t *testing.T) {
	s := newSuite(t, compile(t, asking(), graph.CompileOptions{Name: "g"}).App(), nil)
	var refused []string
	send := func(given ...map[string]any) {
		s.env.UpdateWorkflow("answer", "", &testsuite.TestUpdateCallback{OnReject: func(err error) { refused = append(refused, err.Error()) }}, given)
	}
	s.env.RegisterDelayedCallback(func() {
		value, err := s.env.QueryWorkflow("status")
		var now struct{ Pending []struct{ ID string } }
		if err == nil {
			err = value.Get(&now)
		}
		if err != nil || len(now.Pending) != 1 {
			t.Errorf("asked %+v, error %v", now, err)
			return
		}
		right := map[string]any{"id": now.Pending[0].ID, "value": map[string]any{"json": "Ada"}}
		send(map[string]any{"id": "another"})
		send(right, right)
		send()
		s.env.RegisterDelayedCallback(func() {
			s.env.UpdateWorkflow("answer", "", &testsuite.TestUpdateCallback{OnReject: func(err error) { t.Error(err) }, OnComplete: func(any, error) {}}, []map[string]any{right})
		}, time.Minute)
	}, time.Minute)
	state, err := s.run(t, encoded(t, update{}))
	if err != nil || !strings.Contains(state, `"Ada"`) {
		t.Errorf("state %s, error %v", state, err)
	}
	if len(refused) != 3 {
		t.Errorf("refused %q; want three", refused)
	}
}

// A failure of the graph ends the run at once, with its message; one of the checkpoints
// is tried again.
func TestFailures(t *testing.T) {
	calls := 0
	g := newBoard()
	g.AddNode("a", func(context.Context, board) (update, error) { calls++; return nil, errors.New("the well is dry") })
	g.AddEdge(graph.Start, "a")
	s := newSuite(t, compile(t, g, graph.CompileOptions{Name: "g"}).App(), nil)
	if _, err := s.run(t, encoded(t, update{})); err == nil || !strings.Contains(err.Error(), "the well is dry") || calls != 1 {
		t.Errorf("%d calls, error %v", calls, err)
	}
	saver := &failing{Checkpointer: memory.New(), after: 1, left: 3}
	s = newSuite(t, compile(t, chain(3), graph.CompileOptions{Name: "g"}).App(), func(o *temporal.WorkerOptions) { o.Checkpointer = saver })
	s.app = s.app.With(saver)
	state, err := s.run(t, encoded(t, update{}))
	if err != nil || state != `{"log":["n00","n01","n02"],"item":0,"sum":0,"who":null}` || saver.left >= 0 {
		t.Errorf("state %s, error %v, failures left %d", state, err, saver.left)
	}
}

// When a database fails while a node records something, the run is tried again.
func TestDatabaseDownInANode(t *testing.T) {
	g := newBoard()
	g.AddNode("a", func(ctx context.Context, _ board) (update, error) {
		n, err := graph.Once(ctx, "effect", func(context.Context) (int, error) { return 7, nil })
		return update{sum.Add(n)}, err
	})
	g.AddEdge(graph.Start, "a")
	for after := range 4 {
		saver := &failing{Checkpointer: memory.New(), after: after, left: 1}
		s := newSuite(t, compile(t, g, graph.CompileOptions{Name: "g"}).App(), func(o *temporal.WorkerOptions) { o.Checkpointer = saver })
		s.app = s.app.With(saver)
		if state, err := s.run(t, encoded(t, update{})); err != nil || !strings.Contains(state, `"sum":7`) || saver.left > 0 {
			t.Errorf("commit %d fails: state %s, error %v, failures left %d", after+1, state, err, saver.left)
		}
	}
}

// failing is a checkpointer of which some commits fail after others.
type failing struct {
	graph.Checkpointer
	commits, after, left int
}

func (f *failing) Commit(ctx context.Context, thread string, c graph.Change) error {
	if f.commits++; f.commits > f.after && f.left >= 0 {
		if f.left--; f.left >= 0 {
			return errors.New("the database is down")
		}
	}
	return f.Checkpointer.Commit(ctx, thread, c)
}

// A graph of another structure, and one that the worker does not have, are refused.
func TestRefused(t *testing.T) {
	app := compile(t, chain(2), graph.CompileOptions{Name: "g"}).App()
	for name, in := range map[string]map[string]any{
		"structure": {"graph": "g", "fingerprint": "0123456789abcdef", "thread": "t", "input": map[string]any{"json": encoded(t, update{})}},
		`"other"`:   {"graph": "other", "thread": "t", "input": map[string]any{"json": encoded(t, update{})}},
	} {
		s := newSuite(t, app, nil)
		s.env.ExecuteWorkflow("assay.run", in)
		if err := s.env.GetWorkflowError(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// Payloads above the limit go through the store, and without one are an error.
func TestLargePayloads(t *testing.T) {
	large := strings.Repeat("x", temporal.BlobLimit)
	g := newBoard()
	g.AddNode("ask", func(ctx context.Context, s board) (update, error) {
		name, err := graph.Interrupt[string](ctx, "large", s.Log[0])
		return update{who.Add(name)}, err
	})
	g.AddEdge(graph.Start, "ask")
	app := compile(t, g, graph.CompileOptions{Name: "g"}).App()
	s := newSuite(t, app, nil)
	if _, err := s.run(t, encoded(t, update{logged.Add(large)})); err == nil || !strings.Contains(err.Error(), "store") {
		t.Errorf("without a store: %.200v", err)
	}
	kept, err := storage.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	s = newSuite(t, app, func(o *temporal.WorkerOptions) { o.Blobs = kept })
	s.env.RegisterDelayedCallback(func() {
		value, err := s.env.QueryWorkflow("status")
		if err != nil {
			t.Error(err)
			return
		}
		var now struct {
			Pending []struct {
				ID      string
				Payload struct {
					JSON json.RawMessage
					Hash string
				}
			}
		}
		if err := value.Get(&now); err != nil || len(now.Pending) != 1 || now.Pending[0].Payload.JSON != nil || now.Pending[0].Payload.Hash == "" {
			t.Errorf("asked %+v, error %v", now, err)
			return
		}
		s.env.UpdateWorkflow("answer", "", &testsuite.TestUpdateCallback{OnReject: func(err error) { t.Error(err) }, OnComplete: func(any, error) {}},
			[]map[string]any{{"id": now.Pending[0].ID, "value": map[string]any{"json": "yes"}}})
	}, time.Minute)
	if state, err := s.run(t, encoded(t, update{logged.Add(large)})); err != nil || !strings.Contains(state, `"yes"`) {
		t.Errorf("state of %d bytes, error %v", len(state), err)
	}
}

// What is too large for every stretch's entry in the history is refused before a run begins.
func TestLargeConfiguration(t *testing.T) {
	run := temporal.Run{Thread: "t", Config: map[string]string{"schema": strings.Repeat("x", temporal.BlobLimit)}}
	if err := temporal.NewClient(nil, nil).Start(t.Context(), run); err == nil || !strings.Contains(err.Error(), "may have 100000") {
		t.Errorf("error %v", err)
	}
}
