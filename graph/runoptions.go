package graph

import (
	"fmt"
	"strings"
	"time"
)

// RunOptions configure one run. Nil is the zero value.
type RunOptions struct {
	// RecursionLimit is how many supersteps this call may run. Default: the
	// graph's own limit; else, inside a node, the limit of the enclosing run;
	// else DefaultRecursionLimit. Negative is an error.
	RecursionLimit int
	// Concurrency is how many nodes of a superstep run at once. It does not
	// change the result. Default: all of them. Negative is an error. Graphs that
	// run inside a node count for themselves.
	Concurrency int
	// StepTimeout is how long a superstep may take. When it is reached the run
	// fails, and nothing of the superstep is committed. Default: no limit.
	// Negative is an error.
	StepTimeout time.Duration
	// Timeout is how long the whole run may take. Default: no limit. Negative is
	// an error.
	Timeout time.Duration
	// Control lets others stop the run. Default: only its nodes can, with Drain.
	Control *Control
	// Modes selects what Stream reports. Default Updates.
	Modes Mode

	// Thread names the thread that the run belongs to. Its state is what the run
	// starts from; one run at a time may have it (ErrThreadBusy). With a
	// checkpointer it must be set, but for a graph inside a node, which belongs
	// to the thread of the graph around it unless it names one of its own.
	Thread string
	// Checkpoint is the ID of the checkpoint to start from. When it is not the
	// newest the run is a fork: what came after it stays as it was. Default: the
	// newest.
	Checkpoint string
	// Resume answers interrupts, in a call of Compiled.Resume. Default: nobody
	// answers.
	Resume []Answer
	// InterruptBefore and InterruptAfter are breakpoints beside the graph's own.
	InterruptBefore, InterruptAfter []string
	// Durability says when the run is saved. Default DurabilitySync.
	Durability Durability
	// RunID names the run in its checkpoints. Default: a random one.
	RunID string
	// Metadata is kept with every checkpoint of the run.
	Metadata map[string]string
	// Replay takes what nodes return from an earlier run. Graphs inside nodes are
	// replayed as well. Default: nodes run.
	Replay Recording
	// Namespace tells apart the graphs that one node runs at the same time; two of
	// one name are an OverlapError. Default: graphs are counted, in the order in
	// which the node runs them.
	Namespace string
}

func (o *RunOptions) check() error {
	switch {
	case o == nil:
	case o.RecursionLimit < 0:
		return fmt.Errorf("recursion limit is %d: it must be at least 1", o.RecursionLimit)
	case o.Concurrency < 0:
		return fmt.Errorf("concurrency is %d: it must be at least 1", o.Concurrency)
	case o.Durability > DurabilityExit:
		return fmt.Errorf("durability is %d: it must be one of the constants", o.Durability)
	case strings.ContainsAny(o.Namespace, ":|/"):
		return fmt.Errorf("namespace is %q: it must not contain \":\", \"|\" or \"/\"", o.Namespace)
	case o.StepTimeout < 0 || o.Timeout < 0:
		return fmt.Errorf("timeouts are %v a superstep and %v a run: they must not be negative", o.StepTimeout, o.Timeout)
	}
	return nil
}
