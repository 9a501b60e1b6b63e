package graph

import (
	"context"
	"fmt"
)

// An ErrorHandler takes over from a node that failed for good. Its result is
// the node's update in the same superstep, Commands included. Failure is a
// *NodeError, and state is the node's input. To decline, it returns failure.
// Any other error, or a panic, fails the run.
//
// It handles the node's own failures, panics and timeouts. It does not handle
// failures of routers and reducers, nor cancellation by the run or a sibling.
type ErrorHandler[S any] func(ctx context.Context, state S, failure error) (Update[S], error)

// NodeDefaults are options for nodes that do not set their own.
type NodeDefaults[S any] struct {
	// Retry applies to nodes with a nil Retry; an empty list means none.
	// Default: no retry.
	Retry []RetryPolicy
	// Timeout applies to zero fields of a node's Timeout; a negative field
	// means none. Default: no limit.
	Timeout Timeout
	// OnError applies to nodes without a handler. It does not handle the error
	// of another handler. Default: failures end the run.
	OnError ErrorHandler[S]
}

// Defaults sets the options of all nodes, including subgraphs as single nodes.
// The last call counts.
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

// or fills unset policies from d.
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

// rescue calls a node's handler after a failure, and takes its update. The
// handler may interrupt, as a node may.
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

// handle calls a node's handler.
func (r *run) handle(res *result, n *node, failure *NodeError) (update, error) {
	handler := func(ctx context.Context, state any, dst update) (update, error) {
		return n.opts.onError(ctx, state, failure, dst)
	}
	res.task.begin()
	t := *res.task
	t.Context = handling{t.Context}
	res.task = &t
	u, err := call(res.task, handler, r.pos.input(res), res.update[:0])
	if err == error(failure) {
		return nil, failure
	}
	if u, err = r.accepted(res.task, u, err); err != nil {
		return nil, r.failureOf(res, fmt.Errorf("handling its error (%w): %w", failure.Err, err))
	}
	return u, nil
}
