package temporal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	"example.com/assay/graph/temporal"
	"example.com/assay/graph/temporal/temporaltest"
)

// built is a graph that asks, and then has a remote task; a build has its own names.
func built(t *testing.T, build, remote string) *graph.Compiled[board] {
	t.Helper()
	g := newBoard()
	g.AddNode("ask", asks("name"))
	g.AddNode("far", say("far of "+build), graph.NodeOptions[board]{Remote: remote})
	g.AddNode("end "+build, say("end of "+build))
	g.AddEdge(graph.Start, "ask")
	g.AddEdge("ask", "far")
	g.AddEdge("far", "end "+build)
	return compile(t, g, graph.CompileOptions{Name: "g"})
}

// Two builds of a program with different graphs serve one queue. A run that began on the
// first is finished by its workers, with its remote tasks, while the second is current. As
// long as there is none of them, it waits.
func TestVersions(t *testing.T) {
	conn, on, saver := temporaltest.Dial(t), temporaltest.Queue(t), memory.New()
	tasks, deployment := on+" tasks", strings.ReplaceAll(on, " ", "-")
	apps := map[string]graph.App{}
	serve := func(build string) (stop func()) {
		t.Helper()
		app := built(t, build, tasks).App()
		apps[build] = app
		o := temporal.WorkerOptions{Checkpointer: saver, Queue: on, Deployment: deployment, BuildID: build, Heartbeat: time.Second}
		first := temporaltest.Serve(t, conn, temporal.Apps(app), o)
		o.Queue = tasks
		second := temporaltest.Serve(t, conn, temporal.Apps(app), o)
		return func() { first(); second() }
	}
	current := func(build string) {
		t.Helper()
		if err := temporal.MakeCurrent(t.Context(), conn, deployment, build); err != nil {
			t.Fatal(err)
		}
	}
	c := temporal.NewClient(conn, &temporal.ClientOptions{Queue: on})
	begin := func(thread, build string) {
		t.Helper()
		if err := c.Start(t.Context(), temporal.Run{Graph: "g", Fingerprint: apps[build].Fingerprint(), Thread: thread, Input: encoded(t, update{})}); err != nil {
			t.Fatal(err)
		}
		if s, err := c.Wait(t.Context(), thread); err != nil || s.Phase != temporal.Waiting {
			t.Fatalf("status %+v, error %v", s, err)
		}
	}
	ends := func(thread, build string) {
		t.Helper()
		if s := finish(t, c, thread); s.Phase != temporal.Ended {
			t.Fatalf("status %+v", s)
		}
		at, err := apps[build].With(saver).State(t.Context(), graph.Key{Thread: thread})
		var got board
		if err == nil {
			err = json.Unmarshal(at.State, &got)
		}
		if want := []string{"name", "far of " + build, "end of " + build}; err != nil || !slices.Equal(got.Log, want) {
			t.Errorf("thread %q: log %q, error %v; want %q", thread, got.Log, err, want)
		}
	}
	stopA := serve("a")
	current("a")
	begin(on+" 1", "a")
	begin(on+" 2", "a")
	serve("b")
	current("b")
	begin(on+" 3", "b")
	ends(on+" 1", "a")
	ends(on+" 3", "b")
	stopA()
	short, stop := context.WithTimeout(t.Context(), 3*time.Second)
	defer stop()
	if err := c.Answer(short, on+" 2", temporal.Reply{ID: "any", Value: json.RawMessage(`"Ada"`)}); err == nil || errors.Is(err, graph.ErrAnswer) {
		t.Errorf("another build looked at an answer: %v", err)
	}
	serve("a")
	ends(on+" 2", "a")
}

// Without versions, a worker whose graph has another structure refuses a run that waits.
func TestOtherStructureRefused(t *testing.T) {
	conn, on, saver := temporaltest.Dial(t), temporaltest.Queue(t), memory.New()
	o := temporal.WorkerOptions{Checkpointer: saver, Queue: on}
	a, b := built(t, "a", "").App(), built(t, "b", "").App()
	stop := temporaltest.Serve(t, conn, temporal.Apps(a), o)
	c := temporal.NewClient(conn, &temporal.ClientOptions{Queue: on})
	if err := c.Start(t.Context(), temporal.Run{Graph: "g", Fingerprint: a.Fingerprint(), Thread: on, Input: encoded(t, update{})}); err != nil {
		t.Fatal(err)
	}
	if s, err := c.Wait(t.Context(), on); err != nil || s.Phase != temporal.Waiting {
		t.Fatalf("status %+v, error %v", s, err)
	}
	stop()
	temporaltest.Serve(t, conn, temporal.Apps(b), o)
	want := fmt.Sprintf("it began with another structure of graph \"g\" (%s; here it is %s): a program with the old structure must finish it, or begin it again", a.Fingerprint(), b.Fingerprint())
	if s := finish(t, c, on); s.Phase != temporal.Failed || s.Error != want {
		t.Errorf("status %+v", s)
	}
}
