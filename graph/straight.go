package graph

import (
	"context"
	"sync/atomic"

	"example.com/assay/graph/internal/machine"
)

// goesStraight reports whether nothing can see the supersteps of a run one by one: neither a
// saved thread, a reader of events, a recording nor a limit of time.
func (r *run) goesStraight() bool {
	if r.pos.ledger != nil || r.out != nil || r.recording != nil || r.timed || r.program.caching || r.remote != nil {
		return false
	}
	if r.outer == nil {
		return true
	}
	saved, _ := r.outer.nearestJournal() // a node may ask for an answer
	return saved == nil
}

// A line is the context of the nodes in straight. It makes a task only for a node that asks for
// its place in the run. Goroutines that a node left behind may ask at any time.
type line struct {
	context.Context
	run *run
	at  atomic.Uint64        // the superstep that runs, and its node in the last 24 bits
	own atomic.Pointer[task] // of that superstep, once made; over when the run is
}

// over is the task of a line whose run has ended.
var over task

const lineNodes = 1 << 24

// Value returns the task for its key.
func (l *line) Value(key any) any {
	if _, ok := key.(taskKey); ok {
		return l.task()
	}
	return l.Context.Value(key)
}

func (l *line) task() *task {
	at := l.at.Load()
	step, node := int32(at/lineNodes), int32(at%lineNodes)
	for {
		switch t := l.own.Load(); {
		case t == &over:
			return nil
		case t != nil && t.step == step:
			return t
		default:
			l.own.CompareAndSwap(t, &task{Context: l.Context, run: l.run, node: node, step: step, attempt: 1})
		}
	}
}

// release lets a later run of the graph use the memory of this one, unless a task still refers to
// it.
func (r *run) release() {
	if !r.direct || r.tasks != nil || r.line == nil || !r.line.own.CompareAndSwap(nil, &over) {
		return
	}
	p, states := r.program, []any{r.pos.now.writable, r.pos.now.shown, r.pos.nextShown}
	for _, s := range states {
		p.typ.copyTo(s, p.zero)
	}
	*r = run{}
	r.pos.now.writable, r.pos.now.shown, r.pos.nextShown = states[0], states[1], states[2]
	p.idle.Put(r)
}

// straight runs supersteps of one plain task each, for as long as there are such. It does what
// carryOut does, without what only a reader or a saved thread needs. Any other superstep it
// carries out.
func (r *run) straight(ctx context.Context) machine.Event {
	node, send := r.pos.machine.Task(0)
	if r.pos.due() != 1 || send > 0 || !r.program.plan.Nodes[node].Plain {
		return r.carryOut(ctx, machine.Command{Do: machine.Run}, (*run).execute)
	}
	r.pos.stage()
	if res := &r.pos.results[0]; !r.straightOn(ctx, res) {
		r.pos.machine.Ended(0, res.outcome(), &res.chosen)
	}
	return machine.Event{}
}

// straightOn returns false when the last superstep is not concluded, since its task failed.
func (r *run) straightOn(ctx context.Context, res *result) (concluded bool) {
	if r.line == nil {
		r.line = &line{Context: ctx, run: r}
	}
	l := r.line
	fails := func(err error) {
		res.task = l.task()
		res.err = r.failureOf(res, err)
	}
	defer func() {
		if v := recover(); v != nil {
			fails(caught(v))
		}
	}()
	for step := r.pos.machine.Superstep(); ; step++ {
		n := &r.program.nodes[res.node]
		l.at.Store(uint64(step)*lineNodes + uint64(res.node))
		if r.outer != nil {
			r.outer.beat()
		}
		var err error
		if res.update, err = n.run(l, r.pos.now.shown, res.update[:0]); err != nil {
			res.update, err = r.program.updateFromChild(readableError(err))
		}
		if err == nil {
			err = r.pos.applyCommands(res)
		}
		if err != nil {
			fails(err)
			return false
		}
		if res.err = r.pos.commit(); res.err == nil && !res.chosen.Jumps && len(n.branches) > 0 {
			if err := r.program.route(l, n.name, n.branches, r.pos.nextView(res), &res.chosen); err != nil {
				fails(err)
			}
		}
		if res.err != nil || r.pos.isSubgraph && res.returnsParent() {
			return false
		}
		r.pos.conclude()
		var more bool
		if res.node, more = r.pos.machine.Pass(&res.chosen, ctx.Err() == nil && r.control.reason.Load() == nil); !more {
			return true
		}
	}
}
