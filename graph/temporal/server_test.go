package temporal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"google.golang.org/protobuf/proto"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	"example.com/assay/graph/temporal"
	"example.com/assay/graph/temporal/temporaltest"
)

// finish answers each question of a run with its key until the run has ended.
func finish(t testing.TB, c *temporal.Client, thread string) temporal.Status {
	t.Helper()
	for {
		s, err := c.Wait(t.Context(), thread)
		if err != nil {
			t.Fatal(err)
		}
		if s.Phase != temporal.Waiting {
			return s
		}
		var answers []temporal.Reply
		for _, p := range s.Pending {
			answers = append(answers, temporal.Reply{ID: p.ID, Value: json.RawMessage(fmt.Sprintf("%q", p.Key))})
		}
		if err := c.Answer(t.Context(), thread, answers...); err != nil && !errors.Is(err, graph.ErrAnswer) { // asked again when a worker was lost
			t.Fatal(err)
		}
	}
}

// Each kind of graph comes to the same state by the same events on a server.
func TestSameOnServer(t *testing.T) {
	conn := temporaltest.Dial(t)
	for name, build := range graphs {
		t.Run(name, func(t *testing.T) {
			want, lines := inProcess(t, compile(t, build(t), graph.CompileOptions{Name: "g", Checkpointer: memory.New()}).App())
			saver, on := memory.New(), temporaltest.Queue(t)
			app := compile(t, build(t), graph.CompileOptions{Name: "g"}).App()
			var mu sync.Mutex
			var seen []string
			temporaltest.Serve(t, conn, temporal.Apps(app), temporal.WorkerOptions{Checkpointer: saver, Queue: on, Concurrency: 1, Observe: updates(&mu, &seen)})
			c := temporal.NewClient(conn, &temporal.ClientOptions{Queue: on})
			if err := c.Start(t.Context(), temporal.Run{Graph: "g", Fingerprint: app.Fingerprint(), Thread: on, Input: encoded(t, update{})}); err != nil {
				t.Fatal(err)
			}
			if s := finish(t, c, on); s.Phase != temporal.Ended {
				t.Fatalf("status %+v", s)
			}
			keep(t, conn, on, name)
			at, err := app.With(saver).State(t.Context(), graph.Key{Thread: on})
			if err != nil || string(at.State) != want {
				t.Errorf("error %v, state %s; in process %s", err, at.State, want)
			}
			mu.Lock()
			defer mu.Unlock()
			if !slices.Equal(seen, lines) {
				t.Errorf("events\n%s\nin process\n%s", strings.Join(seen, "\n"), strings.Join(lines, "\n"))
			}
		})
	}
}

// What a client sees of a run that waits: its questions, that its thread is busy, that
// another answer is refused, and its place in the list.
func TestClientOnServer(t *testing.T) {
	conn, on := temporaltest.Dial(t), temporaltest.Queue(t)
	app := compile(t, asking(), graph.CompileOptions{Name: "asking " + on}).App()
	temporaltest.Serve(t, conn, temporal.Apps(app), temporal.WorkerOptions{Checkpointer: memory.New(), Queue: on})
	c := temporal.NewClient(conn, &temporal.ClientOptions{Queue: on})
	ctx, run := t.Context(), temporal.Run{Graph: app.Name(), Thread: on, Metadata: map[string]string{"of": "Ada"}, Input: encoded(t, update{})}
	if _, err := c.Status(ctx, on); !errors.Is(err, temporal.ErrUnknownRun) {
		t.Errorf("before the start: %v", err)
	}
	if err := c.Start(ctx, run); err != nil {
		t.Fatal(err)
	}
	s, err := c.Wait(ctx, on)
	if err != nil || s.Phase != temporal.Waiting || len(s.Pending) != 1 || s.Pending[0].Key != "name" || string(s.Pending[0].Payload) != "1" || s.Graph != app.Name() || s.Metadata["of"] != "Ada" {
		t.Fatalf("status %+v, error %v", s, err)
	}
	if err := c.Start(ctx, run); !errors.Is(err, graph.ErrThreadBusy) {
		t.Errorf("a second start: %v", err)
	}
	if err := c.Answer(ctx, on, temporal.Reply{ID: "another", Value: json.RawMessage(`"x"`)}); !errors.Is(err, graph.ErrAnswer) {
		t.Errorf("an answer to nothing: %v", err)
	}
	listed := func(p temporal.Phase) bool {
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
			for s, err := range c.List(ctx, p) {
				if err != nil {
					t.Fatal(err)
				}
				if s.Thread == on && s.Graph == app.Name() {
					return true
				}
			}
		}
		return false
	}
	if !listed(temporal.Waiting) {
		t.Error("it is not in the list of those that wait")
	}
	if err := c.Cancel(ctx, on); err != nil {
		t.Fatal(err)
	}
	if err := conn.GetWorkflow(ctx, on, "").Get(ctx, nil); err == nil { // until then it waits
		t.Error("a run that was cancelled has a result")
	}
	if s, err := c.Wait(ctx, on); err != nil || s.Phase != temporal.Cancelled {
		t.Errorf("status %+v, error %v", s, err)
	}
	keep(t, conn, on, "cancelled while it waits")
	if err := c.Start(ctx, run); err != nil { // a new turn of the thread
		t.Fatal(err)
	}
	if s := finish(t, c, on); s.Phase != temporal.Ended || !listed(temporal.Ended) {
		t.Errorf("status %+v", s)
	}
}

// A node that waits is cancelled through the heartbeat.
func TestCancelRunningNode(t *testing.T) {
	conn, on := temporaltest.Dial(t), temporaltest.Queue(t)
	began, ended := make(chan struct{}), make(chan struct{})
	g := newBoard()
	g.AddNode("wait", func(ctx context.Context, _ board) (update, error) {
		close(began)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	})
	g.AddEdge(graph.Start, "wait")
	app := compile(t, g, graph.CompileOptions{Name: "g"}).App()
	temporaltest.Serve(t, conn, temporal.Apps(app), temporal.WorkerOptions{Checkpointer: memory.New(), Queue: on, Heartbeat: time.Second})
	c := temporal.NewClient(conn, &temporal.ClientOptions{Queue: on})
	if err := c.Start(t.Context(), temporal.Run{Graph: "g", Thread: on, Input: encoded(t, update{})}); err != nil {
		t.Fatal(err)
	}
	<-began
	if err := c.Cancel(t.Context(), on); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("the node was not cancelled")
	}
	if s, err := c.Wait(t.Context(), on); err != nil || s.Phase != temporal.Cancelled {
		t.Errorf("status %+v, error %v", s, err)
	}
}

// A worker that stops drains its runs: another one goes on at the next superstep.
func TestDrain(t *testing.T) {
	conn, on, saver := temporaltest.Dial(t), temporaltest.Queue(t), memory.New()
	var mu sync.Mutex
	ran := map[string]int{}
	began := make(chan struct{}, 100)
	g, from := newBoard(), graph.Start
	for i := range 10 {
		name := fmt.Sprintf("n%d", i)
		g.AddNode(name, func(context.Context, board) (update, error) {
			mu.Lock()
			ran[name]++
			mu.Unlock()
			began <- struct{}{}
			time.Sleep(100 * time.Millisecond)
			return update{logged.Add(name)}, nil
		})
		g.AddEdge(from, name)
		from = name
	}
	app := compile(t, g, graph.CompileOptions{Name: "g"}).App()
	first := temporaltest.Serve(t, conn, temporal.Apps(app), temporal.WorkerOptions{Checkpointer: saver, Queue: on})
	c := temporal.NewClient(conn, &temporal.ClientOptions{Queue: on})
	if err := c.Start(t.Context(), temporal.Run{Graph: "g", Thread: on, Input: encoded(t, update{})}); err != nil {
		t.Fatal(err)
	}
	<-began
	<-began
	first()
	temporaltest.Serve(t, conn, temporal.Apps(app), temporal.WorkerOptions{Checkpointer: saver, Queue: on})
	if s := finish(t, c, on); s.Phase != temporal.Ended {
		t.Fatalf("status %+v", s)
	}
	keep(t, conn, on, "drained")
	for name, n := range ran {
		if n != 1 {
			t.Errorf("node %s ran %d times", name, n)
		}
	}
	if len(ran) != 10 {
		t.Errorf("%d nodes ran", len(ran))
	}
}

// Remote tasks run on their own queue, with large states through the store, and their
// failures are those of the node.
func TestRemoteOnServer(t *testing.T) {
	conn, on, tasks, saver := temporaltest.Dial(t), temporaltest.Queue(t), temporaltest.Queue(t)+" tasks", memory.New()
	app := compile(t, fanOut(30, tasks), graph.CompileOptions{Name: "g"}).App()
	temporaltest.Serve(t, conn, temporal.Apps(app), temporal.WorkerOptions{Checkpointer: saver, Queue: on})
	temporaltest.Serve(t, conn, temporal.Apps(app), temporal.WorkerOptions{Checkpointer: saver, Queue: tasks})
	c := temporal.NewClient(conn, &temporal.ClientOptions{Queue: on})
	if err := c.Start(t.Context(), temporal.Run{Graph: "g", Thread: on, Input: encoded(t, update{})}); err != nil {
		t.Fatal(err)
	}
	if s := finish(t, c, on); s.Phase != temporal.Ended {
		t.Fatalf("status %+v", s)
	}
	want, _ := inProcess(t, compile(t, fanOut(30, ""), graph.CompileOptions{Name: "g", Checkpointer: memory.New()}).App())
	at, err := app.With(saver).State(t.Context(), graph.Key{Thread: on})
	if err != nil || string(at.State) != want {
		t.Errorf("error %v, state %s; in process %s", err, at.State, want)
	}
}

// The history of a chain of ten nodes is short, and so is its time.
func TestHistoryOfAChain(t *testing.T) {
	conn, on := temporaltest.Dial(t), temporaltest.Queue(t)
	app := compile(t, chain(10), graph.CompileOptions{Name: "g"}).App()
	temporaltest.Serve(t, conn, temporal.Apps(app), temporal.WorkerOptions{Checkpointer: memory.New(), Queue: on})
	c := temporal.NewClient(conn, &temporal.ClientOptions{Queue: on})
	least := time.Hour
	for i := range 20 {
		thread, began := fmt.Sprintf("%s %d", on, i), time.Now()
		if err := c.Start(t.Context(), temporal.Run{Graph: "g", Thread: thread, Input: encoded(t, update{})}); err != nil {
			t.Fatal(err)
		}
		if err := conn.GetWorkflow(t.Context(), thread, "").Get(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		least = min(least, time.Since(began))
	}
	events, bytes := 0, 0
	for history := conn.GetWorkflowHistory(t.Context(), on+" 0", "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); history.HasNext(); events++ {
		ev, err := history.Next()
		if err != nil {
			t.Fatal(err)
		}
		bytes += proto.Size(ev)
	}
	t.Logf("a chain of 10: %v at best, %d events, %d bytes", least, events, bytes)
	if events > 15 {
		t.Errorf("the history has %d events", events)
	}
}

// Threads of the same name in two stores are two runs, and each client lists its own.
func TestPrefixes(t *testing.T) {
	conn, on := temporaltest.Dial(t), temporaltest.Queue(t)
	app := compile(t, asking(), graph.CompileOptions{Name: "g"}).App()
	var clients []*temporal.Client
	for _, store := range []string{`the "one" of Ada's \`, "two"} {
		queue := on + " " + store
		temporaltest.Serve(t, conn, temporal.Apps(app), temporal.WorkerOptions{Checkpointer: memory.New(), Queue: queue})
		c := temporal.NewClient(conn, &temporal.ClientOptions{Queue: queue, Prefix: queue + "/"})
		if err := c.Start(t.Context(), temporal.Run{Graph: "g", Thread: "t", Input: encoded(t, update{})}); err != nil {
			t.Fatal(err)
		}
		clients = append(clients, c)
	}
	if s := finish(t, clients[0], "t"); s.Phase != temporal.Ended || s.Thread != "t" {
		t.Errorf("status %+v", s)
	}
	if s, err := clients[1].Wait(t.Context(), "t"); err != nil || s.Phase != temporal.Waiting {
		t.Errorf("the other store's run: %+v, error %v", s, err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		var list []temporal.Status
		for s, err := range clients[0].List(t.Context(), "") {
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, s)
		}
		if len(list) == 1 && list[0].Thread == "t" && list[0].Phase == temporal.Ended {
			return
		}
		if time.Now().After(deadline) { // the server's list lags
			t.Fatalf("runs %+v", list)
		}
	}
}
