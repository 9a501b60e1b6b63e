package graph

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrEmptyInput is a run that was given nothing to start from.
	ErrEmptyInput = errors.New("empty input: pass a graph.Update, an empty one to start from the zero state")
	// ErrInvalidUpdate is in the chain of every error about writes that cannot
	// be merged.
	ErrInvalidUpdate = errors.New("invalid update")
)

// ProblemCode classifies what Compile found.
type ProblemCode string

const (
	UnknownSource    ProblemCode = "unknown_source"
	UnknownTarget    ProblemCode = "unknown_target"
	NoEntry          ProblemCode = "no_entry"
	DuplicateNode    ProblemCode = "duplicate_node"
	DuplicateChannel ProblemCode = "duplicate_channel"
	UnknownChannel   ProblemCode = "unknown_channel"
	InvalidName      ProblemCode = "invalid_name"
	EndAsSource      ProblemCode = "end_as_source"
	StartAsTarget    ProblemCode = "start_as_target"
	Unreachable      ProblemCode = "unreachable_node"
	NoTargets        ProblemCode = "no_targets"
	InvalidOptions   ProblemCode = "invalid_options"
)

// A Problem is one thing that is wrong with a graph.
type Problem struct {
	Code    ProblemCode
	Node    string // the node or channel concerned
	Message string
}

func (p Problem) String() string {
	if p.Node == "" {
		return p.Message
	}
	return fmt.Sprintf("%q: %s", p.Node, p.Message)
}

// CompileError lists every problem of a graph.
type CompileError struct{ Problems []Problem }

func (e *CompileError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "compiling graph: %d problem(s)", len(e.Problems))
	for _, p := range e.Problems {
		fmt.Fprintf(&b, "\n  %s: %s", p.Code, p)
	}
	return b.String()
}

// NodeError is a node's failure: its own error, its router's, or its panic.
type NodeError struct {
	Node     string
	Step     int // the superstep, 1 for the first
	Attempts int // how often the node was started
	Err      error
}

func (e *NodeError) Error() string {
	if e.Attempts > 1 {
		return fmt.Sprintf("running node %q in step %d, attempt %d: %v", e.Node, e.Step, e.Attempts, e.Err)
	}
	return fmt.Sprintf("running node %q in step %d: %v", e.Node, e.Step, e.Err)
}

func (e *NodeError) Unwrap() error { return e.Err }

// PanicError is a panic in a node, a router or a reducer.
type PanicError struct {
	Value string // the panic's value, printed
	Stack string
}

func (e *PanicError) Error() string { return "panic: " + e.Value + "\n" + e.Stack }

// ConflictError is several writes to a channel that takes one per superstep.
type ConflictError struct {
	Channel string
	Writers []string // nodes, in task order; Start for the input
	Op      Op       // OpSet: two values; OpOverwrite: two overwrites
}

func (e *ConflictError) Error() string {
	writers := strings.Join(e.Writers, ", ")
	if e.Op == OpOverwrite {
		return fmt.Sprintf("invalid update: channel %q was overwritten more than once in one superstep (by %s): only one Overwrite is allowed", e.Channel, writers)
	}
	return fmt.Sprintf("invalid update: channel %q takes one value per superstep and got several (from %s): use an Append or Reduce channel, or let one node write it", e.Channel, writers)
}

// Is reports ErrInvalidUpdate as being in the chain.
func (e *ConflictError) Is(target error) bool { return target == ErrInvalidUpdate }

// UnknownChannelError is a write to a channel that the graph was not made with.
type UnknownChannelError struct {
	Channel string
	Writer  string
	Known   []string
}

func (e *UnknownChannelError) Error() string {
	return fmt.Sprintf("invalid update: node %q wrote channel %q, which this graph was not made with; it has %s", e.Writer, e.Channel, strings.Join(e.Known, ", "))
}

// Is reports ErrInvalidUpdate as being in the chain.
func (e *UnknownChannelError) Is(target error) bool { return target == ErrInvalidUpdate }

// RouteError is a router's choice that was not declared, or no choice at all.
type RouteError struct {
	From    string
	Target  string // empty when the router returned the zero Route
	Allowed []string
}

func (e *RouteError) Error() string {
	allowed := strings.Join(e.Allowed, ", ")
	if e.Target == "" {
		return fmt.Sprintf("routing from %q: the router decided nothing; return graph.To(…) with one of %s, or graph.Nowhere()", e.From, allowed)
	}
	return fmt.Sprintf("routing from %q: target %q is not declared; declared are %s", e.From, e.Target, allowed)
}

// RecursionError is a run that used up its supersteps with work left to do.
type RecursionError struct {
	Limit int
	Next  []string // the nodes that would have run
}

func (e *RecursionError) Error() string {
	return fmt.Sprintf("recursion limit of %d supersteps reached with %s still to run: the graph loops longer than expected, or RunOptions.RecursionLimit is too low", e.Limit, strings.Join(e.Next, ", "))
}
