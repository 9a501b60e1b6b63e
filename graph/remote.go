package graph

import (
	"context"
	"encoding/json"
	"fmt"
)

// A RemoteTask is a task on its way to another process.
type RemoteTask struct {
	Queue       string `json:"queue"` // the node's NodeOptions.Remote
	Graph       string `json:"graph"`
	Fingerprint string `json:"fingerprint"`
	Node        string `json:"node"`
	Step        int    `json:"step"` // the superstep
	// ID identifies the attempt within its thread. It is the same when another process
	// makes the attempt again, and empty in a run that is not saved.
	ID    string          `json:"id,omitempty"`
	Input json.RawMessage `json:"input"` // the node's state, for RunTask
}

// A RemoteRunner runs a task in another process, by App.RunTask there, and returns
// its update.
type RemoteRunner func(ctx context.Context, t RemoteTask) (json.RawMessage, error)

// runElsewhere runs a node by the run's RemoteRunner.
func (r *run) runElsewhere(res *result, n *node) (update, error) {
	t := res.task
	input, err := r.appendSend(nil, n.name, r.input(res), Timeout{})
	if err != nil {
		return nil, fmt.Errorf("sending it to %q: %w", n.opts.remote, err)
	}
	out := RemoteTask{Queue: n.opts.remote, Graph: r.name, Fingerprint: r.fingerprint, Node: n.name, Step: int(t.step), Input: input}
	if t.journal != nil {
		out.ID = fmt.Sprintf("%s/%s.%d", r.thread, t.journal.identity(), t.attempt)
	}
	data, err := r.remote(t, out)
	if err != nil {
		return nil, fmt.Errorf("running it on %q: %w", n.opts.remote, err)
	}
	update, err := r.decodeUpdate(data)
	if err != nil {
		return nil, fmt.Errorf("reading what %q returned: %w", n.opts.remote, err)
	}
	return update, nil
}

// RunTask runs one task of a graph and returns its update. It is the other end of
// RunOptions.Remote. Retries, timeouts and the error handler of the node stay with the
// run that sent the task. Nothing is saved here: Once only calls its function,
// Interrupt returns ErrNoCheckpointer, and events are lost.
//
// A task of another structure of the graph is refused with a *FingerprintError.
func (a App) RunTask(ctx context.Context, t RemoteTask) (_ json.RawMessage, err error) {
	defer recoverAs(&err)
	p := a.plain
	if t.Fingerprint != p.fingerprint {
		return nil, &FingerprintError{Graph: p.name, Began: t.Fingerprint, Now: p.fingerprint}
	}
	id := p.nodeID(t.Node)
	if id < 0 {
		return nil, &CommandError{Node: Start, Target: t.Node, Known: p.names()}
	}
	var saved savedSend
	if err := decodeInto(t.Input, &saved); err != nil {
		return nil, fmt.Errorf("reading a task of node %q: %w", t.Node, err)
	}
	send, err := p.readSend(saved)
	if err != nil {
		return nil, err
	}
	r := newRun(context.WithValue(ctx, taskKey{}, (*task)(nil)), p, &noOptions) // not inside a run of the caller
	r.results = []result{{node: id, sent: &send, attempt: 1}}
	r.newTasks(ctx)
	update, err := call(r.results[0].task, p.nodes[id].run, send.state, nil)
	if err != nil {
		return nil, err
	}
	return appendUpdate(nil, update)
}

// A FingerprintError is a run or a task that began with another structure of the
// graph.
type FingerprintError struct {
	Graph      string
	Began, Now string // fingerprints
}

func (e *FingerprintError) Error() string {
	return fmt.Sprintf("it began with another structure of graph %q (%s; here it is %s): a program with the old structure must finish it, or begin it again", e.Graph, e.Began, e.Now)
}
