package graph

import (
	"context"
	"sync/atomic"
)

// goesStraight reports whether nothing can see the supersteps of a run one by one: neither a
// saved thread, a reader of events, a recording nor a limit of time.
func (r *run) goesStraight() bool {
	if r.ledger != nil || r.out != nil || r.recording != nil || r.timed || r.caching || r.remote != nil {
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
	p, states := r.program, []any{r.now.writable, r.now.shown, r.nextShown}
	for _, s := range states {
		p.typ.copyTo(s, p.zero)
	}
	*r = run{}
	r.now.writable, r.now.shown, r.nextShown = states[0], states[1], states[2]
	p.idle.Put(r)
}

// straight runs supersteps of one plain task each, for as long as there are such. It does what
// the driver and the machine do, without what only a reader or a saved thread needs. It returns
// false when the machine's next superstep is none of these.
func (r *run) straight(ctx context.Context) bool {
	if !r.direct || !r.todo.tasks || len(r.results) != 1 || r.results[0].sent != nil || !r.nodes[r.results[0].node].plain {
		return false
	}
	if r.straightOn(ctx) {
		r.feed(ctx, func() { r.todo.reset(); r.ready(&r.todo) })
	} else {
		r.feed(ctx, func() { r.tasksDone(&r.todo, nil) })
	}
	return true
}

// straightOn returns false when the last superstep is not concluded, since its task failed.
func (r *run) straightOn(ctx context.Context) (concluded bool) {
	if r.line == nil {
		r.line = &line{Context: ctx, run: r}
	}
	l, res := r.line, &r.results[0]
	fails := func(err error) {
		res.task = l.task()
		res.err = r.failureOf(res, err)
	}
	defer func() {
		if v := recover(); v != nil {
			fails(caught(v))
		}
	}()
	for {
		n := &r.nodes[res.node]
		l.at.Store(uint64(r.step)*lineNodes + uint64(res.node))
		if r.outer != nil {
			r.outer.beat()
		}
		var err error
		if res.update, err = n.run(l, r.now.shown, res.update[:0]); err != nil {
			res.update, err = r.updateFromChild(readableError(err))
		}
		if err == nil {
			err = r.applyCommands(res)
		}
		if err != nil {
			fails(err)
			return false
		}
		if res.err = r.commit(); res.err == nil && !res.jumps && len(n.exits.branches) > 0 {
			if err := r.route(l, n.name, &n.exits, r.routerView(res), &res.chosen); err != nil {
				fails(err)
			}
		}
		if res.err != nil || r.isSubgraph && res.jumps && res.returnsParent() {
			return false
		}
		r.concludeAlone(res, n)
		if ctx.Err() != nil || r.control.reason.Load() != nil || !r.alone() {
			return true
		}
	}
}
