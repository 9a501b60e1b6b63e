// Package graph runs state graphs: functions that read a shared state and say
// what they change in it, and edges that say which of them comes next. It
// follows LangGraph, with the state's type known to the compiler.
//
// # Use
//
// A state is a plain struct. A channel names one of its fields and says how
// writes to it merge: LastValue keeps the last one, Append adds to a list,
// Reduce calls a function, Ephemeral keeps a value for one superstep, Untracked
// in memory only. A node is a function of the state that returns an
// Update, which is a list of writes to channels.
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
// Nodes are joined by edges (AddEdge), by edges that a Router chooses among
// (AddConditionalEdges) and by joins, which wait for several nodes (AddJoin). A
// router may also send inputs to nodes (Sends), one task for each of them, and
// a node's update may say itself where the run goes (Goto, Also, Parent). A
// compiled graph can be a node of another (AddSubgraph, AddMappedSubgraph), or
// be invoked inside one. Compile reports everything that is wrong with a graph
// at once.
//
// NodeOptions say what happens when a node fails (Retry, OnError), hangs
// (Timeout) or has run before (Cache); StateGraph.Defaults does so for all.
// Drain stops a run after its current superstep. Stream reports what happens:
// states, updates, tasks, checkpoints, and what nodes publish with Emit and
// EmitToken.
//
// # Threads
//
// With CompileOptions.Checkpointer and RunOptions.Thread a run is saved, each
// superstep in one transaction. Invoke begins its next turn; Resume goes on where
// it was left: after a failure, after the process died, with an answer. Inside a node,
// Interrupt stops the run to ask somebody, and Once calls something that must
// not happen twice. State, History, UpdateState and Fork look at a thread and
// change it by hand; a run from an earlier checkpoint is a fork. Savers are in
// graph/checkpoint; DeleteThread, CopyThread, Prune and Sweep work on all of
// them.
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
// A run goes in supersteps. The nodes that are due run side by side, all on the
// state that the superstep before left.
//
//   - Deterministic: updates merge in the order of the nodes' names, then in
//     that of the Sends, whichever was done first, and one node run at a time
//     gives the same result as all of them at once. Two nodes that write one
//     LastValue channel in one superstep are an error, since only chance could
//     decide between them. When several nodes fail, the error is that of the
//     first in this order; a node that was stopped because another failed does
//     not count.
//   - Atomic: a superstep commits all of its updates or none. A run that fails
//     returns the state of the last superstep that was committed.
//   - Read-only state: nodes, routers and readers of events get copies of the
//     struct, but share what it points to. They may append to a list they were
//     given, and must not change its elements, or what maps and pointers hold.
//     A Reduce function returns a new value and leaves the current one alone.
//   - Durable: what a task returned is on record before a sibling's failure or
//     the process's death can lose it, and it is not run again (but for one that
//     returned Parent). A task that has
//     not returned runs again from its top. One run at a time has a thread
//     (ErrThreadBusy), and a stale writer fails (ErrStale).
//   - Saved as JSON: channels say what is saved, of the state and of Sends. What a
//     checkpoint cannot bring back is found by Compile, which tries a value of
//     each type, or fails the superstep; Untracked channels are left out. What is
//     stored grows with what changes, not with the state.
//   - Cancelled means stopped: the context reaches every node, and the first
//     node that fails cancels those beside it. A run waits for its nodes, so a
//     node that ignores its context holds the run up, and nothing of a run is
//     left when Invoke returns or the loop over Stream is left. Timeouts end
//     contexts, too, and what a node returns after that is discarded.
//   - Panics in nodes, routers, reducers and all else that is handed to the
//     package become errors (PanicError) that name the node or the channel.
//
// # What it does not do
//
// The package does not spread a run over machines. It does not undo what a node
// did outside of it: a node that died half-way runs again, and Once is what
// keeps a side effect from happening twice. It copies the struct only, so it cannot
// notice a node that changes shared memory, and it cannot stop a node that
// ignores its context.
//
// It imports the standard library only, prints nothing and logs nothing; what
// happens in a run is read from Stream.
package graph
