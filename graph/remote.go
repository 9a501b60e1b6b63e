package graph

import (
	"context"
	"encoding/json"
	"fmt"
)

// A RemoteTask is a task that runs in another process.
type RemoteTask struct {
	Queue       string `json:"queue"` // the node's NodeOptions.Remote
	Graph       string `json:"graph"`
	Fingerprint string `json:"fingerprint"`
	Node        string `json:"node"`
	Step        int    `json:"step"` // the superstep
	// ID identifies the attempt within its thread. A repeated attempt in another process has the
	// same ID. It is empty when the run is not saved.
	ID    string          `json:"id,omitempty"`
	Input json.RawMessage `json:"input"` // the node's state, for RunTask
}

// A RemoteRunner runs a task in another process, which calls App.RunTask, and returns the task's
// update.
type RemoteRunner func(ctx context.Context, t RemoteTask) (json.RawMessage, error)

// runElsewhere runs a node with the run's RemoteRunner.
func (r *run) runElsewhere(res *result, n *node) (update, error) {
	t := res.task
	input, err := r.program.appendSend(nil, n.name, r.pos.input(res), Timeout{})
	if err != nil {
		return nil, fmt.Errorf("sending it to %q: %w", n.opts.remote, err)
	}
	out := RemoteTask{Queue: n.opts.remote, Graph: r.program.name, Fingerprint: r.program.fingerprint, Node: n.name, Step: int(t.step), Input: input}
	if t.journal != nil {
		out.ID = fmt.Sprintf("%s/%s.%d", r.pos.ledger.thread, t.journal.identity(), t.attempt)
	}
	data, err := r.remote(t, out)
	if err != nil {
		return nil, fmt.Errorf("running it on %q: %w", n.opts.remote, err)
	}
	update, err := r.program.decodeUpdate(data)
	if err != nil {
		return nil, fmt.Errorf("reading what %q returned: %w", n.opts.remote, err)
	}
	return update, nil
}

// RunTask runs one task of a graph and returns its update. It serves RunOptions.Remote: the run
// that sent the task keeps the node's retries, timeouts and error handler. RunTask saves nothing:
// Once only calls its function, Interrupt returns ErrNoCheckpointer, and events are lost.
//
// A task from a graph with another structure is refused with a *FingerprintError.
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
	r.pos.results = []result{{node: id, sent: &send, attempt: 1}}
	r.newTasks(ctx)
	update, err := call(r.pos.results[0].task, p.nodes[id].run, send.state, nil)
	if err != nil {
		return nil, err
	}
	return appendWrites(nil, update, encodeIntact)
}

// A FingerprintError reports that a run or a task began with another structure of the graph.
type FingerprintError struct {
	Graph      string
	Began, Now string // fingerprints
}

func (e *FingerprintError) Error() string {
	return fmt.Sprintf("it began with another structure of graph %q (%s; here it is %s): a program with the old structure must finish it, or begin it again", e.Graph, e.Began, e.Now)
}
