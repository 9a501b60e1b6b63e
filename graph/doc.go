// Package graph runs state graphs. Nodes are functions that read a shared state
// and return writes to it. Edges choose the next nodes. The package follows
// LangGraph, with a state type that the compiler knows.
//
// # Use
//
// A state is a plain struct. A channel names one field and the rule for merging
// writes to it. LastValue keeps the last value, Append extends a list, and Reduce
// calls a function. Ephemeral keeps a value for one superstep, Untracked in memory
// only. A node is a function of the state. It returns an
// Update: a list of writes to channels.
//
//	type Counter struct{ N int }
//
//	n := graph.LastValue("n", func(s *Counter) *int { return &s.N })
//	g := graph.NewStateGraph[Counter](n)
//	g.AddNode("inc", func(ctx context.Context, s Counter) (graph.Update[Counter], error) {
//		return graph.Update[Counter]{n.Set(s.N + 1)}, nil
//	})
//	g.AddEdge(graph.Start, "inc")
//	app, err := g.Compile(nil)
//	if err != nil {
//		return err
//	}
//	out, err := app.Invoke(ctx, graph.Update[Counter]{n.Set(41)}, nil) // out.N is 42
//
// Edges always lead to the next node (AddEdge). A Router chooses among
// conditional edges (AddConditionalEdges). A join waits for several nodes
// (AddJoin). A router may also send inputs to nodes (Sends), one task for each.
// A node's update may hold Commands (Goto, Also) or end a subgraph (Parent). A
// compiled graph can be a node of another (AddSubgraph, AddMappedSubgraph), or
// run inside a node. Compile reports all mistakes in a graph at once.
//
// NodeOptions handle failures (Retry, OnError), limit time (Timeout) and reuse
// results (Cache). StateGraph.Defaults sets them for all nodes. Drain stops a run
// after its current superstep. Stream reports states, updates, tasks,
// checkpoints, and the events of Emit and EmitToken.
//
// # Threads
//
// With CompileOptions.Checkpointer and RunOptions.Thread a run is saved. Each
// superstep is one transaction. Invoke begins the next turn of a thread. Resume
// continues a thread after a failure, a crash or an interrupt. Inside a node,
// Interrupt stops the run for an answer, and Once runs a call that must not
// happen twice. State, History, UpdateState and Fork read and edit a thread. A
// run from an earlier checkpoint is a fork. Savers are in graph/checkpoint;
// DeleteThread, CopyThread, Prune and Sweep work on all of them.
//
//	app, err := g.Compile(&graph.CompileOptions{Checkpointer: saver})
//	out, err := app.Invoke(ctx, in, &graph.RunOptions{Thread: "t1"})
//	if stopped, ok := errors.AsType[*graph.InterruptedError](err); ok {
//		fmt.Println(stopped.Pending[0].Payload)
//		out, err = app.Resume(ctx, nil, &graph.RunOptions{Thread: "t1", Resume: []graph.Answer{graph.Reply("yes")}})
//	}
//
// # Rules
//
// A run is a sequence of supersteps. Nodes that are due run concurrently on the
// state of the superstep before.
//
//   - Deterministic: updates merge by node name, then by the order of Sends. The
//     speed and the number of concurrent nodes do not change the result. Two
//     nodes that write one LastValue channel in one superstep are an error, since
//     only chance could decide. When several nodes fail, the first in this order
//     is reported. A node that was cancelled by another's failure does not count.
//   - Atomic: a superstep commits all of its updates or none. A failed run
//     returns the state of the last committed superstep.
//   - Read-only state: nodes, routers and readers of events get copies of the
//     struct. The copies share what it points to. They may append to a list. They
//     must not change its elements, or the content of maps and pointers. A Reduce
//     function returns a new value and does not change the current one.
//   - Durable: a task's update is recorded before a sibling's failure or a crash
//     can lose it. That task does not run again, unless it returned Parent. A
//     task without a record runs again from its top. A thread has one run at a
//     time (ErrThreadBusy), and a stale writer fails (ErrStale).
//   - Saved as JSON: channels decide what is saved of states and Sends. Compile
//     tries a value of each type and refuses types that JSON does not bring back.
//     Other such values fail the superstep. Untracked channels are not saved. The
//     stored size grows with the changes, not with the state.
//   - Cancelled means stopped: the context reaches every node, and the first
//     failure cancels the other nodes. A run waits for its nodes. A node that
//     ignores its context thus delays the run. Nothing of a run remains when
//     Invoke returns or the loop over Stream ends. Timeouts end contexts too, and
//     discard later results.
//   - Panics in nodes, routers, reducers and other functions of the caller become
//     errors (PanicError) that name the node or the channel.
//
// # What it does not do
//
// The package does not distribute a run over machines. It does not undo side
// effects of nodes: a node that died half-way runs again, and only Once keeps a
// side effect from happening twice. It copies only the struct, so it cannot
// detect a node that changes shared memory. It cannot stop a node that ignores
// its context.
//
// The package imports only the standard library. It prints and logs nothing:
// read Stream instead.
package graph
