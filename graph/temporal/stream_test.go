package temporal_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	"example.com/assay/graph/eventlog"
	"example.com/assay/graph/temporal"
	"example.com/assay/graph/temporal/temporaltest"
	"example.com/assay/internal/pgtest"
)

// told is a line for each event that says the same wherever the run was.
func told(t *testing.T, events iter.Seq2[graph.Event[board], error]) (lines []string, last graph.Event[board], err error) {
	t.Helper()
	for ev, failed := range events {
		if failed != nil {
			return lines, last, failed
		}
		data, bad := ev.UpdateJSON()
		lines = append(lines, fmt.Sprintf("%s %q/%q %d %v %s %v %v %v %v", ev.Kind, ev.Namespace, ev.Node, ev.Step, ev.Places, data, bad, ev.Nodes, ev.Interrupts, ev.State))
		last = ev
	}
	return lines, last, nil
}

// A stream from workers has the events of one in process, before and after a question.
func TestStreamSameAsInProcess(t *testing.T) {
	conn, on := temporaltest.Dial(t), temporaltest.Queue(t)
	log, err := eventlog.Open(t.Context(), pgtest.Pool(t), pgtest.Schema(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	saver := memory.New()
	app := compile(t, asking(), graph.CompileOptions{Name: "asking", Checkpointer: saver})
	temporaltest.Serve(t, conn, temporal.Apps(app.App()), temporal.WorkerOptions{Checkpointer: saver, Queue: on, Observe: temporal.Logged(log), Modes: graph.Debug | graph.Tokens})
	c := temporal.NewClient(conn, &temporal.ClientOptions{Queue: on})
	run := temporal.Run{Graph: "asking", Fingerprint: app.Fingerprint(), Thread: on, Input: encoded(t, update{})}
	var asked *graph.InterruptedError
	if err := c.Start(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	got, _, err := told(t, temporal.Follow(t.Context(), c, log, app, on))
	if !errors.As(err, &asked) || len(asked.Pending) != 1 {
		t.Fatalf("error %v after\n%s", err, strings.Join(got, "\n"))
	}
	more, last, err := told(t, temporal.StreamAnswer(t.Context(), c, log, app, on, temporal.Reply{ID: asked.Pending[0].ID, Value: json.RawMessage(`"Ada"`)}))
	if err != nil || !slices.Equal(last.State.Log, []string{"before", "name", "after"}) || last.Kind != graph.RunEnd {
		t.Errorf("error %v, last %+v", err, last)
	}
	here := compile(t, asking(), graph.CompileOptions{Name: "asking", Checkpointer: memory.New()})
	opts := &graph.RunOptions{Thread: on, Modes: graph.Debug | graph.Tokens}
	want, _, err := told(t, here.Stream(t.Context(), update{}, opts))
	if !errors.As(err, &asked) {
		t.Fatal(err)
	}
	opts.Resume = []graph.Answer{graph.Reply("Ada")}
	then, _, err := told(t, here.StreamResume(t.Context(), nil, opts))
	if err != nil {
		t.Fatal(err)
	}
	ids := strings.NewReplacer(asked.Pending[0].ID, "ID")
	same := func(what string, got, want []string) {
		for i := range got {
			if at := strings.Index(got[i], "[{"); at > 0 && strings.HasPrefix(got[i], "interrupt") {
				got[i] = got[i][:at]
			}
		}
		for i := range want {
			if at := strings.Index(want[i], "[{"); at > 0 && strings.HasPrefix(want[i], "interrupt") {
				want[i] = want[i][:at]
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s\n%s\nin process\n%s", what, ids.Replace(strings.Join(got, "\n")), strings.Join(want, "\n"))
		}
	}
	same("until it asks", got, want)
	same("then", more, then)
}

// A run that fails before it has an event ends the stream with the reason.
func TestStreamOfARunThatFails(t *testing.T) {
	conn, on := temporaltest.Dial(t), temporaltest.Queue(t)
	log, err := eventlog.Open(t.Context(), pgtest.Pool(t), pgtest.Schema(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	app := compile(t, chain(1), graph.CompileOptions{Name: "g"})
	temporaltest.Serve(t, conn, temporal.Apps(app.App()), temporal.WorkerOptions{Checkpointer: memory.New(), Queue: on, Observe: temporal.Logged(log)})
	c := temporal.NewClient(conn, &temporal.ClientOptions{Queue: on})
	var failed *temporal.RemoteError
	if err := c.Start(t.Context(), temporal.Run{Graph: "other", Thread: on, Input: encoded(t, update{})}); err != nil {
		t.Fatal(err)
	}
	_, _, err = told(t, temporal.Follow(t.Context(), c, log, app, on))
	if !errors.As(err, &failed) || !strings.Contains(err.Error(), `no graph "other"`) {
		t.Errorf("error %v", err)
	}
}
