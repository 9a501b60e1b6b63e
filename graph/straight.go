package graph

import (
	"context"
	"sync/atomic"

	"example.com/assay/graph/internal/machine"
)

// goesStraight reports whether nobody can see the tasks of a run one by one: neither a reader of
// events, a recording nor a limit of time.
func (r *run) goesStraight() bool {
	if r.out != nil || r.recording != nil || r.timed || r.program.caching || r.remote != nil {
		return false
	}
	if r.outer == nil || r.pos.ledger != nil {
		return true
	}
	saved, _ := r.outer.nearestJournal() // a node may ask for an answer
	return saved == nil
}

// A line is the context of the nodes in straight. It makes a task only for a node that asks for
// its place in the run. Goroutines that a node left behind may ask at any time. A saved superstep
// has a line of its own.
type line struct {
	context.Context
	run   *run
	at    atomic.Uint64        // the superstep that runs, and its node in the last 24 bits
	own   atomic.Pointer[task] // of that superstep, once made; over when the run is
	point linePoint            // of a saved superstep
}

// A linePoint is the checkpoint before a superstep.
type linePoint struct {
	id, madeBy string
	format     int
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
			own := &task{Context: l.Context, run: l.run, node: node, step: step, attempt: 1}
			if p := l.point; p.id != "" {
				own.journal = &journal{task: own, point: p.id, madeBy: p.madeBy, format: p.format, sharesState: l.run.pos.ledger.mode != DurabilityExit}
			}
			l.own.CompareAndSwap(t, own)
		}
	}
}

// release lets a later run of the graph use the memory of this one, unless a task still refers to
// it.
func (r *run) release() {
	if !r.direct || r.pos.ledger != nil || r.tasks != nil || r.line == nil || !r.line.own.CompareAndSwap(nil, &over) {
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
// carryOut does, without what only a reader needs. Of a saved run it runs one superstep, unless the
// task has run before. Any other superstep it carries out.
func (r *run) straight(ctx context.Context) machine.Event {
	node, send := r.pos.machine.Task(0)
	l := r.pos.ledger
	if r.pos.due() != 1 || send > 0 || !r.program.plan.Nodes[node].Plain || l != nil && len(l.pendingWrites) > 0 {
		return r.carryOut(ctx, machine.Command{Do: machine.Run}, (*run).execute)
	}
	r.pos.stage()
	res := &r.pos.results[0]
	switch {
	case l != nil:
		r.straightSaved(ctx, res)
	case !r.straightOn(ctx, res):
		r.pos.machine.Ended(0, res.outcome(), &res.chosen)
	}
	return machine.Event{}
}

// straightOn returns false when the last superstep is not concluded, since its task failed.
func (r *run) straightOn(ctx context.Context, res *result) (concluded bool) {
	if r.line == nil {
		r.line = &line{Context: ctx, run: r}
	}
	defer r.line.catch(res)
	for step := r.pos.machine.Superstep(); ; step++ {
		if err := r.line.call(res, step); err != nil {
			r.line.fails(res, err)
			return false
		}
		if r.line.lead(res); res.err != nil || r.pos.isSubgraph && res.returnsParent() {
			return false
		}
		r.pos.conclude()
		var more bool
		if res.node, more = r.pos.machine.Pass(&res.chosen, ctx.Err() == nil && r.control.reason.Load() == nil); !more {
			return true
		}
	}
}

// straightSaved runs the task of a saved superstep, and reports it. What the node asked for, it
// asked of a task.
func (r *run) straightSaved(ctx context.Context, res *result) {
	step := r.pos.machine.Superstep()
	if len(r.lines) == 0 {
		r.lines = make([]line, max(1, min(step, 16)))
	}
	l := &r.lines[0]
	r.lines = r.lines[1:]
	l.Context, l.run, l.point = ctx, r, linePoint{r.pos.ledger.id, r.pos.ledger.madeBy, r.pos.ledger.format}
	func() {
		defer l.catch(res)
		err := l.call(res, step)
		if err != nil || l.own.Load() != nil {
			res.task = l.task()
			waits, fault := r.interruptedBy(res, err)
			if fault != nil {
				err = fault
			}
			if res.children = res.task.journal.children; waits {
				return
			}
			if err != nil {
				res.err = r.giveUp(res, r.failureOf(res, err), nil)
				return
			}
		}
		l.lead(res)
	}()
	r.report(res)
}

// call calls the node of a task.
func (l *line) call(res *result, step int) (err error) {
	r := l.run
	l.at.Store(uint64(step)*lineNodes + uint64(res.node))
	if r.outer != nil {
		r.outer.beat()
	}
	if res.update, err = r.program.nodes[res.node].run(l, r.pos.now.shown, res.update[:0]); err != nil {
		res.update, err = r.program.updateFromChild(readableError(err))
	}
	return err
}

// lead follows the Commands of a task that ran, merges its writes and calls its routers.
func (l *line) lead(res *result) {
	r := l.run
	n, err := &r.program.nodes[res.node], r.pos.applyCommands(res)
	if err == nil {
		if res.err = r.pos.commit(); res.err == nil && !res.chosen.Jumps && len(n.branches) > 0 {
			err = r.program.route(l, n.name, n.branches, r.pos.nextView(res), &res.chosen)
		}
	}
	if err != nil {
		l.fails(res, err)
	}
}

// fails makes err the failure of a task.
func (l *line) fails(res *result, err error) {
	res.task = l.task()
	res.err = l.run.failureOf(res, err)
}

// catch makes a panic the failure of a task.
func (l *line) catch(res *result) {
	if v := recover(); v != nil {
		if l.fails(res, caught(v)); l.run.pos.ledger != nil {
			res.err = l.run.giveUp(res, res.err.(*NodeError), nil)
		}
	}
}
