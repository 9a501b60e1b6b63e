package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

var errDead = errors.New("the process is dead")

// A dying saver stops after it has saved a superstep of the root, as if the process
// died: it ignores later calls.
type dying struct {
	graph.Checkpointer
	dead bool
}

func (d *dying) Commit(ctx context.Context, thread string, change graph.Change) error {
	if d.dead {
		return errDead
	}
	err := d.Checkpointer.Commit(ctx, thread, change)
	for _, c := range change.Add {
		d.dead = d.dead || c.Namespace == "" && c.Source == graph.SourceLoop
	}
	if err == nil && d.dead {
		return errDead
	}
	return err
}

// TestCrashAfterEverySuperstep plays every conformance graph in one go and with
// a crash after each superstep: the same events, the same history, the same
// state.
func TestCrashAfterEverySuperstep(t *testing.T) {
	graphs := func(t *testing.T) []row {
		return append(rows(), row{id: "G2", in: update{}, build: func() *graph.StateGraph[board] { return nestedGraph(t) }},
			row{id: "nested_beside", in: update{}, build: func() *graph.StateGraph[board] { return nestedBeside(t) }})
	}
	for i, r := range graphs(t) {
		if strings.HasPrefix(r.id, "H10") {
			continue // an untracked value does not survive the process, and must not
		}
		t.Run(r.id, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, n := range concurrencies {
					opts := graph.RunOptions{Thread: "t", RunID: "r", Concurrency: n}
					once := mustCompile(t, graphs(t)[i].build()).With(memory.New())
					want := play(t.Context(), once, r.in, opts)
					if want.err != nil {
						t.Fatal(want.err)
					}
					saver := memory.New()
					again := mustCompile(t, graphs(t)[i].build()).With(saver)
					got, parts := playInParts(t, again, saver, r.in, opts)
					if diff := differ(want.final, got.final); diff != "" {
						t.Errorf("concurrency %d, final state (-want +got):\n%s", n, diff)
					}
					if diff := differ(inner(want).normal(), inner(got).normal()); diff != "" {
						t.Errorf("concurrency %d, events (-want +got):\n%s", n, diff)
					}
					if diff := differ(historyOf(t, once, "t"), historyOf(t, again, "t")); diff != "" {
						t.Errorf("concurrency %d, history (-want +got):\n%s", n, diff)
					}
					if steps := strings.Count(got.steps(), "|") + 1; parts != steps+2 { // leaving Start, and the end
						t.Errorf("concurrency %d: %d parts of %d supersteps", n, parts, steps)
					}
				}
			})
		})
	}
}

// playInParts plays a graph whose process dies after every superstep. The
// events are those of all processes.
func playInParts(t *testing.T, app *graph.Compiled[board], saver graph.Checkpointer, in update, opts graph.RunOptions) (all played, parts int) {
	t.Helper()
	for {
		parts++
		p := play(t.Context(), app.With(&dying{Checkpointer: saver}), in, opts)
		if parts > 1 { // it begins with the state that it found
			first := slices.IndexFunc(p.events, isState)
			last := all.events[len(all.events)-1-slices.IndexFunc(reversed(all.events), isState)]
			if p.events[first].State.Inp == "" {
				last.State.Inp = "" // an ephemeral value that went without a write, and so without an event
			}
			if diff := differ(last.State, p.events[first].State); diff != "" {
				t.Errorf("part %d begins with another state than the one before it left:\n%s", parts, diff)
			}
			p.events = slices.Delete(p.events, first, first+1)
		}
		all.events = append(all.events, p.events...)
		if p.err == nil {
			all.final = p.final
			return all, parts
		}
		if !errors.Is(p.err, errDead) || parts > 100 {
			t.Fatalf("part %d: %v", parts, p.err)
		}
		in = nil
	}
}

func isState(ev graph.Event[board]) bool { return ev.Kind == graph.StateValue && ev.Namespace == "" }

func reversed(events []graph.Event[board]) []graph.Event[board] {
	events = slices.Clone(events)
	slices.Reverse(events)
	return events
}

// inner is a run without the borders of its parts.
func inner(p played) played {
	p.events = slices.DeleteFunc(slices.Clone(p.events), func(ev graph.Event[board]) bool {
		return ev.Namespace == "" && (ev.Kind == graph.RunStart || ev.Kind == graph.RunEnd || ev.Kind == graph.CheckpointSaved)
	})
	return p
}

// historyOf lists a thread's checkpoints, newest first, with their names and
// what the tasks after each of them returned.
func historyOf(t testing.TB, app *graph.Compiled[board], thread string) []string {
	t.Helper()
	var out []string
	for snap, err := range app.History(t.Context(), thread, nil) {
		if err != nil {
			t.Fatal(err)
		}
		line := snap.Key.ID + " from " + snap.Parent + " " + historyRow(snap)
		for _, task := range snap.Tasks {
			data, err := graph.Event[board]{Update: task.Update}.UpdateJSON()
			line += fmt.Sprintf(" %s/%d:%t:%s%v", task.Node, task.Send, task.Done, data, err)
		}
		out = append(out, line)
	}
	return out
}
