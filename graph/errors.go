package graph

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
)

var (
	// ErrEmptyInput reports a run without an input.
	ErrEmptyInput = errors.New("empty input: pass a graph.Update, an empty one to start from the zero state")
	// ErrNoParentGraph reports a Parent in a graph that runs inside no other graph.
	ErrNoParentGraph = errors.New("no parent graph: graph.Parent works in graphs that run inside a node of another graph")
	// ErrInvalidUpdate is in the chain of every error about writes that cannot
	// be merged.
	ErrInvalidUpdate = errors.New("invalid update")
)

// ProblemCode classifies a problem that Compile found.
type ProblemCode string

const (
	UnknownSource    ProblemCode = "unknown_source"    // an edge starts at a node that does not exist
	UnknownTarget    ProblemCode = "unknown_target"    // an edge leads to a node that does not exist
	NoEntry          ProblemCode = "no_entry"          // nothing follows Start
	DuplicateNode    ProblemCode = "duplicate_node"    // two nodes have one name
	DuplicateChannel ProblemCode = "duplicate_channel" // two channels have one name
	UnknownChannel   ProblemCode = "unknown_channel"   // Input, Output, Reads or a subgraph names a channel of another graph
	InvalidName      ProblemCode = "invalid_name"      // a node's name is empty, reserved or holds a separator
	EndAsSource      ProblemCode = "end_as_source"     // an edge starts at End
	StartAsTarget    ProblemCode = "start_as_target"   // an edge leads to Start
	Unreachable      ProblemCode = "unreachable_node"  // no path leads to a node
	NoTargets        ProblemCode = "no_targets"        // a conditional edge has no targets, or a join no sources
	InvalidOptions   ProblemCode = "invalid_options"   // an option, function or channel that cannot work
)

// A Problem is one mistake in a graph.
type Problem struct {
	Code    ProblemCode
	Node    string // the node or channel
	Message string
}

// String returns the problem without its code, as CompileError lists it.
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

// NodeError is a node's failure: its own error, its router's error, or a panic.
type NodeError struct {
	Node     string
	Step     int // the superstep, 1 for the first
	Send     int // position among the superstep's Sends, 1 for the first; 0 when edges triggered the node
	Attempts int // how many attempts began
	Err      error
}

func (e *NodeError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "running node %q in step %d", e.Node, e.Step)
	if e.Send > 0 {
		fmt.Fprintf(&b, ", send %d", e.Send)
	}
	if e.Attempts > 1 {
		fmt.Fprintf(&b, ", attempt %d", e.Attempts)
	}
	fmt.Fprintf(&b, ": %v", e.Err)
	return b.String()
}

func (e *NodeError) Unwrap() error { return e.Err }

// PanicError is a panic in code called by the package: a node, a router, a
// reducer, an error's method, a checkpointer. Its message leaves the stack out,
// so equal failures have equal texts.
type PanicError struct {
	Value string // the panic's value, printed
	Stack string // of the goroutine that panicked
}

func (e *PanicError) Error() string { return "panic: " + e.Value }

// caught makes a PanicError of recover's result. The deferred function calls it
// directly, while the stack exists.
func caught(value any) *PanicError {
	return &PanicError{Value: fmt.Sprint(value), Stack: string(debug.Stack())}
}

// recoverAs, deferred, turns a panic into an error.
func recoverAs(err *error) {
	if v := recover(); v != nil {
		*err = caught(v)
	}
}

// readableError returns err, or a replacement when its methods panic, as those
// of a nil pointer do.
func readableError(err error) (safe error) {
	defer func() {
		if v := recover(); v != nil {
			safe = fmt.Errorf("its error, of type %T, cannot be read: %w", err, caught(v))
		}
	}()
	if err != nil {
		_ = err.Error()
		_ = errors.Is(err, errNotFinished)
		_ = errors.As(err, new(*PanicError))
	}
	return err
}

// ConflictError reports several writes to a channel that takes one per
// superstep.
type ConflictError struct {
	Channel string
	Writers []string // nodes, in task order; Start for the input
	Op      Op       // OpSet: two values; OpOverwrite: two overwrites
}

func (e *ConflictError) Error() string {
	writers := orNone(e.Writers)
	if e.Op == OpOverwrite {
		return fmt.Sprintf("invalid update: channel %q was overwritten more than once in one superstep (by %s): only one Overwrite is allowed", e.Channel, writers)
	}
	return fmt.Sprintf("invalid update: channel %q takes one value per superstep and got several (from %s): use an Append or Reduce channel, or let one node write it", e.Channel, writers)
}

// Is puts ErrInvalidUpdate into the chain.
func (e *ConflictError) Is(target error) bool { return target == ErrInvalidUpdate }

// UnknownChannelError reports a write to a channel that the graph does not
// have.
type UnknownChannelError struct {
	Channel string
	Writer  string
	Known   []string
}

func (e *UnknownChannelError) Error() string {
	return fmt.Sprintf("invalid update: node %q wrote channel %q, which this graph was not made with; it has %s", e.Writer, e.Channel, orNone(e.Known))
}

// Is puts ErrInvalidUpdate into the chain.
func (e *UnknownChannelError) Is(target error) bool { return target == ErrInvalidUpdate }

// RouteError reports a router's undeclared choice, or a missing one.
type RouteError struct {
	From    string
	Target  string   // empty when the router named none
	Send    bool     // the target is that of a Send
	Allowed []string // declared keys; for a Send, declared nodes
}

func (e *RouteError) Error() string {
	allowed := orNone(e.Allowed)
	switch {
	case e.Send && len(e.Allowed) == 0:
		return fmt.Sprintf("routing from %q: a Send names %q, and no node is declared as a target", e.From, e.Target)
	case e.Send && e.Target == End:
		return fmt.Sprintf("routing from %q: End takes no input, so nothing can be sent to it; declared are %s", e.From, allowed)
	case e.Send && e.Target == "":
		return fmt.Sprintf("routing from %q: a Send names no node; declared are %s", e.From, allowed)
	case e.Send:
		return fmt.Sprintf("routing from %q: the target %q of a Send is not declared; declared are %s", e.From, e.Target, allowed)
	case e.Target == "":
		return fmt.Sprintf("routing from %q: the router decided nothing; return graph.To(…) with one of %s, or graph.Nowhere()", e.From, allowed)
	}
	return fmt.Sprintf("routing from %q: target %q is not declared; declared are %s", e.From, e.Target, allowed)
}

// Is puts ErrInvalidUpdate into the chain of a Send to End.
func (e *RouteError) Is(target error) bool {
	return target == ErrInvalidUpdate && e.Send && e.Target == End
}

// CommandError reports a Command with an undeclared target, or with none.
type CommandError struct {
	Node     string
	Target   string   // empty when the command named none
	Send     bool     // the target is that of a Send
	Declared []string // the node's NodeOptions.Goto
	Known    []string // the graph's nodes
}

func (e *CommandError) Error() string {
	what := "a Command"
	if e.Send {
		what = "a Send"
	}
	where := fmt.Sprintf("declared in Goto of node %q are %s", e.Node, orNone(e.Declared))
	switch {
	case e.Target == "":
		return fmt.Sprintf("%s of node %q names no target; %s", what, e.Node, where)
	case e.Send && e.Target == End:
		return fmt.Sprintf("%s of node %q is for End, which takes no input; %s", what, e.Node, where)
	case e.Target != End && !slices.Contains(e.Known, e.Target):
		return fmt.Sprintf("%s of node %q leads to %q, which does not exist; known nodes: %s", what, e.Node, e.Target, orNone(e.Known))
	}
	return fmt.Sprintf("%s of node %q leads to %q, which is not declared: add it to NodeOptions.Goto; %s", what, e.Node, e.Target, where)
}

// Is puts ErrInvalidUpdate into the chain of a Send to End.
func (e *CommandError) Is(target error) bool {
	return target == ErrInvalidUpdate && e.Send && e.Target == End
}

// listed is how many names an error's text has at most.
const listed = 8

// orNone lists names for an error's text: each of them once, and only the first
// of many.
func orNone(names []string) string {
	if len(names) == 0 {
		return "(none)"
	}
	var order []string
	count, rest := map[string]int{}, 0
	for _, name := range names {
		switch {
		case count[name] > 0:
			count[name]++
		case len(order) < listed:
			order = append(order, name)
			count[name] = 1
		default:
			rest++
		}
	}
	for i, name := range order {
		if n := count[name]; n > 1 {
			order[i] = fmt.Sprintf("%s (%d times)", name, n)
		}
	}
	text := strings.Join(order, ", ")
	if rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}

// ofThread names a thread in an error's text; nothing when there is none.
func ofThread(preposition, thread string) string {
	if thread == "" {
		return ""
	}
	return fmt.Sprintf("%s thread %q", preposition, thread)
}

// OverlapError reports calls with one name from several goroutines of a node.
// Chance decides which comes first, so a resumed run could swap their results. It
// fails the node whatever the node returns.
type OverlapError struct {
	Node string
	Call string // "graph" for a graph inside the node, "Once" or "Interrupt"
	Key  string // RunOptions.Namespace of the graph, or the key
}

func (e *OverlapError) Error() string {
	switch {
	case e.Call != "graph":
		return fmt.Sprintf("node %q calls %s with key %q in several goroutines: give each its own key", e.Node, e.Call, e.Key)
	case e.Key == "":
		return fmt.Sprintf("node %q runs graphs in several goroutines: give each its own RunOptions.Namespace", e.Node)
	}
	return fmt.Sprintf("node %q runs graphs with RunOptions.Namespace %q in several goroutines: give each its own", e.Node, e.Key)
}

// RecursionError reports that a run reached its limit with nodes left to run.
type RecursionError struct {
	Limit  int
	Next   []string // the nodes that would be next
	Thread string   // empty when the run is not saved
}

func (e *RecursionError) Error() string {
	return fmt.Sprintf("recursion limit of %d supersteps reached%s with %s still to run: the graph loops longer than expected, or RunOptions.RecursionLimit is too low", e.Limit, ofThread(" on", e.Thread), orNone(e.Next))
}
