package graph

import (
	"context"
	"fmt"
)

// An ErrorHandler takes over from a node that has failed for good: what it
// returns is the node's update, in the same superstep, Commands included. The
// failure is a *NodeError; state is what the node saw. To decline, it returns
// the failure. What it returns itself, or a panic, fails the run.
//
// It is asked about the node's own failures, its panics and timeouts among
// them, not about those of its routers and reducers, nor when the run or a
// sibling was what ended the node.
type ErrorHandler[S any] func(ctx context.Context, state S, failure error) (Update[S], error)

// NodeDefaults are options of every node that does not set them itself.
type NodeDefaults[S any] struct {
	// Retry is for nodes whose Retry is nil; an empty list is none. Default: no
	// retry.
	Retry []RetryPolicy
	// Timeout is for what a node's Timeout leaves zero; negative is none.
	// Default: no limit.
	Timeout Timeout
	// OnError is for nodes without a handler. It does not handle what another
	// handler returns. Default: failures end the run.
	OnError ErrorHandler[S]
}

// Defaults sets what holds for every node, subgraphs as single nodes. The last
// call counts.
func (g *StateGraph[S]) Defaults(d NodeDefaults[S]) { g.plan.defaults = d.untyped() }

// policies are NodeDefaults without the type of the state.
type policies struct {
	retry   []RetryPolicy
	timeout Timeout
	onError handlerFunc // nil for none
}

// A handlerFunc is an ErrorHandler without the type of its state.
type handlerFunc func(ctx context.Context, state any, failure error, dst update) (update, error)

func (d NodeDefaults[S]) untyped() policies {
	p := policies{d.Retry, d.Timeout, nil}
	if d.OnError != nil {
		p.onError = func(ctx context.Context, state any, failure error, dst update) (update, error) {
			u, err := d.OnError(ctx, *state.(*S), failure)
			if err != nil {
				return nil, err
			}
			return u.untyped(dst), nil
		}
	}
	return p
}

// or fills in what a node left open.
func (p policies) or(d policies) policies {
	if p.retry == nil {
		p.retry = d.retry
	}
	p.timeout = p.timeout.or(d.timeout)
	if p.onError == nil {
		p.onError = d.onError
	}
	return p
}

// handling is the context of a task whose node's handler runs.
type handling struct{ context.Context }

func (t *task) handles() bool {
	_, is := t.Context.(handling)
	return is
}

// rescue asks a node's handler about its failure, and takes its update. The
// handler may ask for answers, as a node may.
func (r *run) rescue(res *result, n *node, failure *NodeError) error {
	u, err := r.handle(res, n, failure)
	waits, fault := r.interruptedBy(res, err)
	switch {
	case waits:
		return nil
	case fault != nil:
		err = r.failureOf(res, fault)
	case err == nil:
		res.update = u
		return nil
	case err == error(failure):
		err = nil
	}
	return r.giveUp(res, failure, err)
}

// handle asks a node's handler about its failure.
func (r *run) handle(res *result, n *node, failure *NodeError) (update, error) {
	handler := func(ctx context.Context, state any, dst update) (update, error) {
		return n.opts.onError(ctx, state, failure, dst)
	}
	res.task.begin()
	t := *res.task
	t.Context = handling{t.Context}
	res.task = &t
	u, err := call(res.task, handler, r.input(res), res.update[:0])
	if err == error(failure) {
		return nil, failure
	}
	if u, err = r.accepted(res.task, u, err); err != nil {
		return nil, r.failureOf(res, fmt.Errorf("handling its error (%w): %w", failure.Err, err))
	}
	return u, nil
}
