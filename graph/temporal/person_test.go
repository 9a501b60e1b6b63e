package temporal_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	"example.com/assay/graph/temporal"
	"example.com/assay/graph/temporal/temporaltest"
)

// While a run waits, a person edits the state of its thread. The question is then another
// one: an answer to the earlier one is not used, and the run asks anew, of the new state.
func TestEditBetweenQuestionAndAnswer(t *testing.T) {
	conn, on, saver := temporaltest.Dial(t), temporaltest.Queue(t), memory.New()
	app := compile(t, asking(), graph.CompileOptions{Name: "g", Checkpointer: saver})
	temporaltest.Serve(t, conn, temporal.Apps(app.App()), temporal.WorkerOptions{Checkpointer: saver, Queue: on})
	c := temporal.NewClient(conn, &temporal.ClientOptions{Queue: on})
	if err := c.Start(t.Context(), temporal.Run{Graph: "g", Thread: on, Input: encoded(t, update{})}); err != nil {
		t.Fatal(err)
	}
	waits := func(payload string) string {
		t.Helper()
		s, err := c.Wait(t.Context(), on)
		if err != nil || s.Phase != temporal.Waiting || len(s.Pending) != 1 || string(s.Pending[0].Payload) != payload {
			t.Fatalf("status %+v, error %v", s, err)
		}
		return s.Pending[0].ID
	}
	early := waits("1") // the log has one line
	if _, err := app.UpdateState(t.Context(), graph.Key{Thread: on}, graph.StateUpdate[board]{As: "before", Update: update{logged.Add("by hand")}}); err != nil {
		t.Fatal(err)
	}
	reply := func(id, name string) error {
		data, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		return c.Answer(t.Context(), on, temporal.Reply{ID: id, Value: data})
	}
	if err := reply(early, "Ada"); err != nil {
		t.Fatal(err)
	}
	late := waits("2")
	if late == early {
		t.Error("the question about another state has the same ID")
	}
	if err := reply(early, "Ada"); !errors.Is(err, graph.ErrAnswer) {
		t.Errorf("the earlier question is answered again: %v", err)
	}
	if err := reply(late, "Bob"); err != nil {
		t.Fatal(err)
	}
	if s, err := c.Wait(t.Context(), on); err != nil || s.Phase != temporal.Ended {
		t.Fatalf("status %+v, error %v", s, err)
	}
	at, err := app.State(t.Context(), graph.Key{Thread: on})
	if err != nil || !slices.Equal(at.State.Log, []string{"before", "by hand", "name", "after"}) || !slices.Equal(at.State.Who, []string{"Bob"}) {
		t.Errorf("state %+v, error %v", at.State, err)
	}
}

// One of several remote tasks hangs. Its node's time limit cancels it on its worker, and
// only it: it is tried again, and the others' results are kept.
func TestCancelOneRemoteTask(t *testing.T) {
	conn, on, saver := temporaltest.Dial(t), temporaltest.Queue(t), memory.New()
	tasks := on + " tasks"
	var ran, hung atomic.Int32
	stopped := make(chan struct{})
	closed := sync.OnceFunc(func() { close(stopped) })
	t.Cleanup(closed)
	g := newBoard()
	g.AddNode("work", func(ctx context.Context, s board) (update, error) {
		ran.Add(1)
		if s.Item == 2 {
			if hung.Add(1) == 1 {
				<-ctx.Done()
				closed()
				return nil, context.Cause(ctx)
			}
			select { // the run goes on only if the first attempt ends before it
			case <-stopped:
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		return update{sum.Add(s.Item)}, nil
	}, graph.NodeOptions[board]{
		Remote: tasks, Timeout: graph.Timeout{Run: 3 * time.Second},
		Retry: []graph.RetryPolicy{{MaxAttempts: 2, InitialInterval: time.Millisecond}},
	})
	g.AddConditionalEdges(graph.Start, func(context.Context, board) (graph.Route, error) {
		return graph.Sends(graph.Send[board]{Node: "work", State: board{Item: 1}}, graph.Send[board]{Node: "work", State: board{Item: 2}}, graph.Send[board]{Node: "work", State: board{Item: 4}}), nil
	}, "work")
	app := compile(t, g, graph.CompileOptions{Name: "g"}).App()
	temporaltest.Serve(t, conn, temporal.Apps(app), temporal.WorkerOptions{Checkpointer: saver, Queue: on, Heartbeat: time.Second})
	temporaltest.Serve(t, conn, temporal.Apps(app), temporal.WorkerOptions{Checkpointer: saver, Queue: tasks, Heartbeat: time.Second})
	c := temporal.NewClient(conn, &temporal.ClientOptions{Queue: on})
	if err := c.Start(t.Context(), temporal.Run{Graph: "g", Thread: on, Input: encoded(t, update{})}); err != nil {
		t.Fatal(err)
	}
	if s, err := c.Wait(t.Context(), on); err != nil || s.Phase != temporal.Ended {
		t.Fatalf("status %+v, error %v", s, err)
	}
	at, err := app.With(saver).State(t.Context(), graph.Key{Thread: on})
	if err != nil || string(at.State) != `{"log":null,"item":0,"sum":7,"who":null}` || ran.Load() != 4 {
		t.Errorf("state %s, error %v, %d tasks ran", at.State, err, ran.Load())
	}
}
