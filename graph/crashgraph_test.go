package graph_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph"
)

// A crashPlan is a graph that a crash could harm: a loop of rounds, each with
// Sends, concurrent nodes of unequal length, a subgraph with its own loop, and a
// join whose sources end in different supersteps. Then a node records a call and
// interrupts.
type crashPlan struct {
	rounds int
	pause  time.Duration     // what nodes take is a multiple of it
	note   func(line string) // reports each action outside the state, as it happens
}

// crashTask names a task in notes and in the log of the state. The round tells
// apart those of the subgraph, whose supersteps begin anew each time.
func crashTask(round, node string, step, send int) string {
	return fmt.Sprintf("%s:%s/%d/%d", round, node, step, send)
}

func (p crashPlan) act(pauses int, more func(ctx context.Context, id string, s board) (update, error)) node {
	return func(ctx context.Context, s board) (update, error) {
		info, _ := graph.CurrentTask(ctx)
		id := crashTask(s.Query, info.Node, info.Step, info.Send)
		p.note("start " + id)
		u := update{log.Add(id), x.Add(1), foo.Add(info.Node[:1])}
		if more != nil {
			own, err := more(ctx, id, s)
			if err != nil {
				return nil, err
			}
			u = append(u, own...)
		}
		if p.pause > 0 {
			select {
			case <-time.After(time.Duration(max(1, pauses+s.X%3)) * p.pause):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		p.note("finish " + id)
		return u, nil
	}
}

// once records a call, and makes it a part of the state.
func (p crashPlan) once(ctx context.Context, id string, _ board) (update, error) {
	said, err := graph.Once(ctx, "call", func(context.Context) (string, error) {
		p.note("once " + id)
		return "called by " + id, nil
	})
	return update{docs.Add([]string{said})}, err
}

func (p crashPlan) ask(ctx context.Context, id string, s board) (update, error) {
	u, err := p.once(ctx, id, s)
	if err != nil {
		return nil, err
	}
	answer, err := graph.Interrupt[string](ctx, "good?", len(s.Log))
	return append(u, hello.Set(answer)), err
}

// graphs are the whole and its subgraph, to read the latter's history with.
func (p crashPlan) graphs(t testing.TB, saver graph.Checkpointer) crashGraphs {
	t.Helper()
	inner := wire("START -> i1 -> i2 i3\ni2 i3 => i4\ni1 -> END", map[string]node{
		"i1": p.act(0, func(_ context.Context, _ string, s board) (update, error) {
			n, _ := strconv.Atoi(s.Inp)
			return update{inp.Set(strconv.Itoa(n + 1))}, nil
		}),
		"i2": p.act(0, p.once), "i3": p.act(2, nil), "i4": p.act(0, nil),
	})
	inner.AddConditionalEdges("i4", func(_ context.Context, s board) (graph.Route, error) {
		if n, _ := strconv.Atoi(s.Inp); n%2 == 1 {
			return graph.To("i1"), nil
		}
		return graph.Nowhere(), nil
	}, "i1", graph.End)
	child, err := inner.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	g := newBoard()
	g.AddSubgraph("sub", child)
	for name, run := range map[string]node{
		"plan": p.act(0, func(_ context.Context, _ string, s board) (update, error) {
			n, _ := strconv.Atoi(s.Query)
			return update{query.Set(strconv.Itoa(n + 1))}, nil
		}),
		"work": p.act(1, p.once), "collect": p.act(0, nil), "long": p.act(5, nil), "short": p.act(0, nil),
		"short2": p.act(0, nil), "meet": p.act(0, nil), "ask": p.act(0, p.ask), "close": p.act(0, nil),
	} {
		g.AddNode(name, run)
	}
	g.AddEdge(graph.Start, "plan")
	g.AddConditionalEdges("plan", func(_ context.Context, s board) (graph.Route, error) {
		sends := make([]send, 4)
		for i := range sends {
			sends[i] = send{Node: "work", State: board{Query: s.Query, X: i}}
		}
		return graph.Sends(sends...).And(graph.To("short", "long", "sub")), nil
	}, "work", "short", "long", "sub")
	g.AddEdge("work", "collect")
	g.AddEdge("short", "short2")
	g.AddJoin([]string{"collect", "short2", "long", "sub"}, "meet")
	g.AddConditionalEdges("meet", func(_ context.Context, s board) (graph.Route, error) {
		if n, _ := strconv.Atoi(s.Query); n < p.rounds {
			return graph.To("plan"), nil
		}
		return graph.To("ask"), nil
	}, "plan", "ask")
	g.AddEdge("ask", "close")
	app, err := g.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	return crashGraphs{app.With(saver), child.With(saver), saver}
}

// beside are the root's nodes that never run alone: their updates are recorded
// before they are published.
var beside = []string{"work", "collect", "long", "short"}

type crashGraphs struct {
	root, sub *graph.Compiled[board]
	saver     graph.Checkpointer
}

// with is the same graphs on another saver.
func (g crashGraphs) with(saver graph.Checkpointer) crashGraphs {
	return crashGraphs{g.root.With(saver), g.sub.With(saver), saver}
}

// drive brings a thread to its end: it begins, goes on or answers, whichever
// the thread needs. A thread is at its end when no task is due.
func (g crashGraphs) drive(ctx context.Context, thread string, opts graph.RunOptions, see func(graph.Event[board])) (board, error) {
	opts.Thread = thread
	for {
		var in update
		opts.Resume = nil
		snap, err := g.root.State(ctx, graph.Key{Thread: thread})
		switch {
		case errors.Is(err, graph.ErrNoCheckpoint):
			in = update{x.Add(1)}
		case err != nil:
			return board{}, err
		case len(snap.Tasks) == 0:
			return snap.State, nil
		}
		if snap != nil {
			for _, p := range snap.Interrupts {
				opts.Resume = append(opts.Resume, graph.ReplyTo(p.ID, "yes, at "+string(p.Payload)))
			}
		}
		stream := g.root.Stream
		if in == nil {
			stream = g.root.StreamResume
		}
		for ev, err := range stream(ctx, in, &opts) {
			if stop := (*graph.InterruptedError)(nil); errors.As(err, &stop) {
				break
			}
			if err != nil {
				return board{}, err
			}
			see(ev)
		}
	}
}

// A found is what a saver has of a thread.
type found struct {
	rows  []string        // of its history, newest first
	ids   map[string]bool // of its checkpoints
	tasks map[string]bool // those whose result it has
	calls map[string]bool // tasks of the newest superstep, whose recorded call it has
}

func (g crashGraphs) find(ctx context.Context, thread string) (found, error) {
	f := found{ids: map[string]bool{}, tasks: map[string]bool{}, calls: map[string]bool{}}
	_, records, err := g.saver.Load(ctx, graph.Key{Thread: thread})
	if errors.Is(err, graph.ErrNoCheckpoint) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	for snap, err := range g.root.History(ctx, thread, nil) {
		if err != nil {
			return f, err
		}
		f.rows, f.ids[snap.Key.ID] = append(f.rows, historyRow(snap)), true
		if err := g.tasksOf(ctx, snap, records, f); err != nil {
			return f, err
		}
	}
	return f, nil
}

func (g crashGraphs) tasksOf(ctx context.Context, snap *graph.StateSnapshot[board], records []graph.Record, f found) error {
	for _, t := range snap.Tasks {
		id := crashTask(snap.State.Query, t.Node, snap.Step+1, t.Send)
		if t.Done {
			f.tasks[id] = true
		}
		if slices.ContainsFunc(records, func(r graph.Record) bool { return r.Task == t.ID && r.Kind == graph.RecordOnce }) {
			f.calls[id] = true
		}
		if t.Child.Namespace == "" {
			continue
		}
		_, below, err := g.saver.Load(ctx, graph.Key{Thread: t.Child.Thread, Namespace: t.Child.Namespace})
		if err != nil && !errors.Is(err, graph.ErrNoCheckpoint) {
			return err
		}
		for inner, err := range g.sub.History(ctx, t.Child.Thread, &graph.HistoryOptions{Namespace: t.Child.Namespace}) {
			if err != nil {
				return err
			}
			if err := g.tasksOf(ctx, inner, below, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// historyRow is how the conformance cases write a checkpoint.
func historyRow(s *graph.StateSnapshot[board]) string {
	return fmt.Sprintf("(%s,%d,%v,%+v)", s.Source, s.Step, s.Next, s.State)
}

// reference is a run without faults.
func (g crashGraphs) reference(t testing.TB, opts graph.RunOptions) (board, found) {
	t.Helper()
	out, err := g.drive(t.Context(), "reference", opts, func(graph.Event[board]) {})
	if err != nil {
		t.Fatal(err)
	}
	f, err := g.find(t.Context(), "reference")
	if err != nil {
		t.Fatal(err)
	}
	return out, f
}

// wronged checks the notes of one part of a run against the saver before and
// after it. With sync, everything that was published is saved.
func wronged(lines []string, before, after found, sync bool) []string {
	var out []string
	finished := map[string]bool{}
	maps.Copy(finished, before.tasks)
	for _, line := range lines {
		what, id, _ := strings.Cut(line, " ")
		switch {
		case what == "start" && before.tasks[id]:
			out = append(out, id+" ran again, and its result was saved")
		case what == "once" && (before.calls[id] || before.tasks[id]):
			out = append(out, id+" made its call again, and that was recorded")
		case what == "published" && sync && !after.tasks[id]:
			out = append(out, id+" was published, and its result is not saved")
		case what == "saved" && sync && !after.ids[id]:
			out = append(out, "checkpoint "+id+" was published, and is not saved")
		case what == "finish":
			finished[id] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(after.tasks)) {
		_, node, _ := strings.Cut(id, ":")
		if !finished[id] && !strings.HasPrefix(node, "sub/") && !strings.HasPrefix(node, graph.Start) {
			out = append(out, id+" has a result, and did not finish")
		}
	}
	return out
}

// publishes notes what a stream says is saved.
func (p crashPlan) publishes(ev graph.Event[board]) {
	switch {
	case ev.Namespace != "":
	case ev.Kind == graph.CheckpointSaved:
		p.note("saved " + ev.Checkpoint)
	case ev.Kind == graph.NodeUpdate && slices.Contains(beside, ev.Node):
		task := ev.Places[0].Task
		sends := 0
		if ev.Node == "work" {
			sends = task - 2 // after long, short and sub
		}
		p.note("published " + crashTask(roundOf(ev), ev.Node, ev.Step, sends))
	}
}

// roundOf reads the round from what a node wrote to the log: its own name.
func roundOf(ev graph.Event[board]) string {
	data, err := ev.UpdateJSON()
	if err != nil {
		return err.Error()
	}
	_, rest, _ := strings.Cut(string(data), `["`)
	round, _, _ := strings.Cut(rest, ":")
	return round
}
