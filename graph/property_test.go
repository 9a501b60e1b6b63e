package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/checkpointtest"
	"example.com/assay/graph/checkpoint/memory"
	"pgregory.net/rapid"
)

// A patience drives a random graph to the oracle's end, through failures,
// interrupts and failing savers.
type patience struct {
	*rapid.T
	plan   *plan
	app    *graph.Compiled[board]
	saver  graph.Checkpointer
	trail  []board // the oracle's state after each superstep
	faults bool    // let calls of the saver fail
}

// TestRandomGraphsResumed: runs fail, interrupt and lose their saver in every
// durability. Their end is the oracle's, which has no faults. Each checkpoint is a
// state of the oracle, and a fork from it reaches the same end.
func TestRandomGraphsResumed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t)
		n := rapid.IntRange(0, len(p.names)-1)
		p.asks = map[[2]int]bool{}
		for range rapid.IntRange(0, 4).Draw(t, "questions") {
			p.asks[[2]int{n.Draw(t, "asks"), rapid.IntRange(1, 6).Draw(t, "in step")}] = true
		}
		fails := p.fails
		p.fails = nil
		in := board{X: rapid.IntRange(0, 9).Draw(t, "x")}
		d := &patience{T: t, plan: p, saver: memory.New(), faults: rapid.Bool().Draw(t, "faults")}
		_, _, wantErr := p.run(in, func(_ int, s board) { d.trail = append(d.trail, s) })
		p.fails = fails
		var mu sync.Mutex
		before := map[[2]int]bool{}
		p.failed = func(at [2]int) bool {
			mu.Lock()
			defer mu.Unlock()
			was := before[at]
			before[at] = true
			return was
		}
		app, err := p.graph().Compile(nil)
		if err != nil {
			t.Fatal(err)
		}
		d.app = app.With(d.saver)
		d.drive("t", "", update{x.Add(in.X)}, 0)
		end := d.now("t")
		if over := errors.As(wantErr, new(*graph.RecursionError)); over != (len(end.Tasks) > 0) {
			t.Fatalf("next is %v, and the oracle ends with %v", end.Next, wantErr)
		}
		var rows []*graph.StateSnapshot[board]
		for snap, err := range d.app.History(t.Context(), "t", nil) {
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, snap)
			want := board{}
			if snap.Step >= 0 {
				want = d.trail[snap.Step]
			}
			if diff := differ(want, snap.State); diff != "" {
				t.Fatalf("checkpoint %s of step %d (-want +got):\n%s", snap.Key.ID, snap.Step, diff)
			}
		}
		from := rapid.SampledFrom(rows).Draw(t, "fork from")
		if len(from.Next) > 0 && from.Step < p.limit {
			// A fork is a checkpoint itself, and takes a number.
			d.drive("t", from.Key.ID, nil, 1)
			for _, snap := range rows { // earlier rows are unchanged
				again, err := d.app.State(t.Context(), snap.Key)
				if err != nil || again.Parent != snap.Parent || differ(snap.State, again.State) != "" {
					t.Fatalf("checkpoint %s was %+v and is %+v (%v)", snap.Key.ID, snap, again, err)
				}
			}
		}
	})
}

func (d *patience) now(thread string) *graph.StateSnapshot[board] {
	snap, err := d.app.State(d.Context(), graph.Key{Thread: thread})
	if errors.Is(err, graph.ErrNoCheckpoint) {
		return nil
	}
	if err == nil && snap.Conflict != nil {
		err = snap.Conflict
	}
	if err != nil {
		d.Fatal(err)
	}
	return snap
}

// drive brings a thread to the oracle's end, from a checkpoint if one is named.
// Its supersteps have numbers that are ahead of the oracle's.
func (d *patience) drive(thread, from string, in update, ahead int) {
	first := graph.RunOptions{Thread: thread, Checkpoint: from}
	at := d.now(thread)
	if from != "" {
		var err error
		if at, err = d.app.State(d.Context(), graph.Key{Thread: thread, ID: from}); err != nil {
			d.Fatal(err)
		}
		at.Step += ahead
		at.Interrupts = nil // those of another run
	}
	for tries := 0; at == nil || len(at.Tasks) > 0; tries++ {
		if tries > 200 {
			d.Fatalf("after %d runs next is %v", tries, at.Next)
		}
		opts := first
		opts.RecursionLimit = d.plan.limit
		if at != nil {
			in = nil
			if opts.RecursionLimit -= max(0, at.Step-ahead); opts.RecursionLimit == 0 {
				break
			}
		}
		opts.Concurrency = rapid.SampledFrom(concurrencies).Draw(d.T, "concurrency")
		opts.Durability = rapid.SampledFrom(durabilities).Draw(d.T, "durability")
		opts.Resume = d.answers(at)
		if at == nil {
			in = update{x.Add(d.trail[0].X)}
		}
		before := ""
		if newest := d.now(thread); newest != nil {
			before = newest.Key.ID
		}
		app := d.app
		if d.faults && tries < 20 {
			kind := rapid.SampledFrom([]func(graph.Checkpointer, int) *checkpointtest.FaultySaver{checkpointtest.Faulty, checkpointtest.Lossy}).Draw(d.T, "fault")
			app = app.With(kind(d.saver, rapid.IntRange(0, 20).Draw(d.T, "call")))
		}
		out, err := goOn(context.Background(), app, in, &opts)
		var failed planFailure
		var stop *graph.InterruptedError
		switch {
		case err == nil, errors.As(err, &failed), errors.As(err, &stop), errors.As(err, new(*graph.RecursionError)):
		case errors.Is(err, checkpointtest.ErrFault):
		default:
			d.Fatalf("run %d: %v", tries, err)
		}
		if err == nil {
			d.same(out, len(d.trail)-1, "the end")
		}
		at = d.now(thread)
		if at != nil && (from == "" || at.Key.ID != before) {
			first.Checkpoint, from = "", "" // the fork is made
		} else if from != "" {
			at, _ = d.app.State(d.Context(), graph.Key{Thread: thread, ID: from})
			at.Step, at.Interrupts = at.Step+ahead, nil
			continue
		}
		if at != nil && at.Step-ahead >= 0 {
			byID, err := d.app.State(d.Context(), at.Key)
			if err != nil {
				d.Fatal(err)
			}
			d.same(byID.State, byID.Step-ahead, fmt.Sprintf("run %d", tries))
		}
	}
	last := d.now(thread)
	if last.Step-ahead != len(d.trail)-1 {
		d.Fatalf("the end is step %d, and the oracle's %d", last.Step-ahead, len(d.trail)-1)
	}
	d.same(last.State, len(d.trail)-1, "the last checkpoint")
}

// answers says yes to some interrupts.
func (d *patience) answers(at *graph.StateSnapshot[board]) []graph.Answer {
	var out []graph.Answer
	if at == nil {
		return nil
	}
	for i, p := range at.Interrupts {
		if i == 0 || rapid.Bool().Draw(d.T, "answered") {
			n, err := strconv.Atoi(string(p.Payload))
			if err != nil {
				d.Fatal(err)
			}
			out = append(out, graph.ReplyTo(p.ID, n))
		}
	}
	return slices.Clip(out)
}

func (d *patience) same(got board, step int, what string) {
	d.Helper()
	if step >= len(d.trail) {
		d.Fatalf("%s: step %d, and the oracle has %d", what, step, len(d.trail)-1)
	}
	if diff := differ(d.trail[step], got); diff != "" {
		d.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}
