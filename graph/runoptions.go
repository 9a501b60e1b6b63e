package graph

import (
	"fmt"
	"strings"
	"time"
)

// RunOptions configure one run. Nil is the zero value.
type RunOptions struct {
	// RecursionLimit is how many supersteps this call may run. Default: the
	// graph's limit; else the outer run's inside a node; else
	// DefaultRecursionLimit. Negative is an error.
	RecursionLimit int
	// Concurrency is how many nodes of a superstep run at the same time. It
	// does not change the result, and does not count nodes of subgraphs.
	// Default: all. Negative is an error.
	Concurrency int
	// StepTimeout limits a superstep. A superstep that exceeds it fails the
	// run, and is not committed. Default: no limit. Negative is an error.
	StepTimeout time.Duration
	// Timeout limits the whole run. Default: no limit. Negative is an error.
	Timeout time.Duration
	// Control stops the run from outside. Default: only its nodes can, with
	// Drain.
	Control *Control
	// Modes selects the events of Stream. Default Updates.
	Modes Mode

	// Thread names the thread of the run. The run starts from its state. Only
	// one run at a time may use it (ErrThreadBusy). It is required with a
	// checkpointer. A graph inside a node belongs to the outer graph's thread,
	// unless it names its own.
	Thread string
	// Checkpoint is the ID of the checkpoint to start from. An older one forks
	// the thread: later checkpoints stay unchanged. Default: the newest.
	Checkpoint string
	// Resume answers interrupts in a call of Compiled.Resume. Default: none.
	Resume []Answer
	// InterruptBefore and InterruptAfter add breakpoints to the graph's own.
	InterruptBefore, InterruptAfter []string
	// Durability says when the run is saved. Default DurabilitySync.
	Durability Durability
	// RunID names the run in its checkpoints. Default: a random ID.
	RunID string
	// Metadata is saved with every checkpoint of the run.
	Metadata map[string]string
	// Replay takes the updates of nodes from an earlier run, also inside
	// subgraphs. Default: nodes run.
	Replay Recording
	// Remote runs the tasks of nodes with NodeOptions.Remote. Default: they run in
	// this process.
	Remote RemoteRunner
	// Namespace identifies this run among those that other goroutines of the node
	// start. Two equal ones are an OverlapError. Default: runs are numbered in
	// the order in which the node's goroutine starts them.
	Namespace string

	again  bool   // see Pursuit.Again
	caller uint64 // the goroutine that reads the run's stream; 0 for the one that runs it
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
