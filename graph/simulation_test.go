package graph_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"testing"

	"example.com/assay/graph"
)

var simRuns = flag.Int("sim.runs", 1000, "how many random threads TestSimulation plays")

// TestSimulation plays random threads on a driver of one goroutine. The driver
// decides the order in which tasks end, the output before which the process dies,
// the commit at which the saver fails, and when another writer takes the thread. The
// reference must agree at every task on its node and input, and at every end on the
// whole visible thread. For hours:
//
//	go test ./graph -run TestSimulation -timeout 0 -sim.runs 10000000 -sim.first 1
func TestSimulation(t *testing.T) {
	runs := *simRuns
	if testing.Short() {
		runs = min(runs, 200)
	}
	playSeeds(t, runs, (*simCase).simulate)
}

// A lockstep is a sim whose references go on when the engine does.
type lockstep struct {
	*sim
	begin   func(*refThread) string // what the engine has done since they last did
	opts    *graph.RunOptions
	op      simOp
	part    int // tasks begun in this call
	outputs int
	wrong   string
	stolen  bool
	cancel  context.CancelFunc
}

func (c *simCase) simulate() (string, int) {
	c.Plan.stopInside(false)
	l := &lockstep{sim: c.newSim()}
	l.refs[0].lazy = true
	l.engine = l.call
	driver := &graph.Simulation{Pick: func(n int) int { return l.IntN(n) }, Crash: l.crash}
	problem, _ := l.playAll(l.turn, func(app *graph.Compiled[board]) *graph.Compiled[board] { return graph.Simulated(app, driver) })
	return problem, driver.Supersteps
}

// stopInside takes away the breakpoints before nodes of graphs inside nodes. When
// a task beside fails, one goroutine has not begun such a graph, and the reference
// lets it stop.
func (p *simPlan) stopInside(inner bool) {
	if inner {
		p.Before = nil
	}
	for _, n := range p.Nodes {
		if n.Sub != nil {
			n.Sub.stopInside(true)
		}
	}
}

// crash lets the process die before an output.
func (l *lockstep) crash() bool {
	if l.outputs++; l.outputs == l.op.Crash*3 {
		l.saver.kill()
	} else if l.outputs == l.op.Cancel*4 {
		l.cancel()
	}
	return l.saver.dead()
}

// turn is called by a task that begins.
func (l *lockstep) turn(_ context.Context, label string) error {
	if l.saver.dead() {
		return errDead
	}
	var next []*refThread
	for _, r := range l.refs {
		if end := l.begin(r); end != "" && l.part == 0 {
			// What fails without a task of its own, such as a handler that went on,
			// fails before or behind others.
			l.wrong = simOver
			l.saver.kill()
			return errDead
		} else if end != "" {
			l.wrong = fmt.Sprintf("the engine runs %s, and the reference ends: %s", label, end)
		} else if due := r.root.due(); !slices.Contains(due, label) {
			l.wrong = fmt.Sprintf("the engine runs %s, and the reference %v", label, due)
		} else {
			r.root.touch(label)
			next = append(next, r)
		}
	}
	if l.refs = next; len(next) == 0 {
		l.saver.kill()
		return errDead
	}
	l.wrong = ""
	l.begin = func(*refThread) string { return "" }
	if l.part++; l.part == l.op.Drain {
		l.say("drain")
		l.opts.Control.Drain("asked to")
		for _, r := range l.refs {
			r.drain = true
		}
	}
	if l.part == l.op.Cancel {
		l.say("cancel")
		l.cancel()
	}
	if l.op.Crash+l.op.Commit+l.op.Cancel == 0 && l.opts.Durability == graph.DurabilitySync && l.IntN(40) == 0 {
		if l.wrong = l.steal(); l.wrong != "" || l.stolen {
			l.saver.kill()
			return errDead
		}
	}
	l.say("%s", label)
	l.begin = func(r *refThread) string {
		_, end := r.root.finish(label)
		return end
	}
	return nil
}

// steal is another writer that does not respect the thread's lock.
func (l *lockstep) steal() string {
	more := []simWrite{{"log", graph.OpAdd, "stolen", 0}}
	if _, err := l.app.Resume(context.Background(), nil, &graph.RunOptions{Thread: "t"}); !errors.Is(err, graph.ErrThreadBusy) {
		return fmt.Sprintf("a second writer: %v", err)
	}
	l.say("another writer ends the thread")
	_, err := l.app.With(unlocked{l.saver}).UpdateState(context.Background(), graph.Key{Thread: "t"}, graph.StateUpdate[board]{As: graph.End, Update: simUpdate(more)})
	l.stolen = true
	return l.compare(func(r *refThread) string { return "by hand: " + r.update(graph.End, more) }, "by hand: "+simEnd{err: err}.kind())
}

// unlocked is a saver whose locks keep nobody out.
type unlocked struct{ graph.Checkpointer }

func (unlocked) Lock(context.Context, string) (func(), error) { return func() {}, nil }

func (l *lockstep) call(op simOp, opts *graph.RunOptions, run func(ctx context.Context) (board, error), begin func(*refThread) string) string {
	l.saver.live(op.Commit, op.Lossy)
	l.begin, l.opts, l.op, l.part, l.outputs, l.wrong, l.stolen = begin, opts, op, 0, 0, "", false
	if op.Crash+op.Commit == 0 && l.IntN(4) == 0 {
		opts.Durability = graph.DurabilityAsync
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	l.cancel = cancel
	out, err := run(ctx)
	if l.wrong == "" {
		l.wrong = l.saver.taken
	}
	switch {
	case l.wrong != "":
		return l.wrong
	case l.stolen:
		if err == nil {
			return "another writer took the thread, and the run says nothing"
		}
		return l.compare(nil, "")
	case l.saver.dead() || op.Cancel > 0 && errors.Is(err, context.Canceled):
		l.say("the process dies, or its call is cancelled")
		if l.silent() {
			return simOver
		}
		l.died = true
		l.refs = refDied(l.refs, l.begin)
		return l.compare(nil, "")
	}
	var stopped *graph.InterruptedError
	if errors.As(err, &stopped) {
		s, _ := l.app.State(context.Background(), graph.Key{Thread: "t"})
		if said, is := fmt.Sprint(stopped.Next, idsOf(stopped.Pending)), fmt.Sprint(s.Next, idsOf(s.Interrupts)); said != is {
			return fmt.Sprintf("the run says %s, and State %s", said, is)
		}
	}
	if err != nil && stopped == nil && l.silent() {
		return simOver
	}
	return l.compare(l.begin, simEnded(simEnd{out, err}))
}

// silent reports whether a graph inside a node may have gone on without a task of its own, or may
// not have begun.
func (l *lockstep) silent() bool {
	return slices.ContainsFunc(l.refs, func(r *refThread) bool { return r.silent })
}

func idsOf(pending []graph.PendingInterrupt) (ids []string) {
	for _, p := range pending {
		ids = append(ids, p.ID)
	}
	return ids
}
