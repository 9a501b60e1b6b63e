// Package machine holds the rules of a run: which tasks a superstep has, how their writes and
// choices become the next superstep, and when a run saves, shows, stops and ends. A Machine is a
// value. It starts no goroutine, reads no clock, holds no context and no state, and calls nothing.
//
// # A superstep
//
// A superstep runs all tasks that are due, side by side, on one state.
//
//  1. The tasks are the nodes that edges, joins, routers and Commands of the superstep before led
//     to, each once and in the order of their names, and then the Sends, in the order of the tasks
//     that sent them. Nodes that are deferred wait until nothing else is due.
//  2. All tasks read the state that the superstep before left. None sees what another writes.
//  3. The first failure, in the order of the tasks, ends the run, and the superstep has never
//     happened. A task that waits for an answer stops the run once the others are done.
//  4. Otherwise the writes are merged, task by task and write by write. A channel takes one set or
//     one overwrite of a superstep, or any number of adds. An overwrite voids the rest; see Tally.
//  5. Each task leads to what its routers and Commands chose and, unless a Command jumps, along
//     its node's edges and to its joins. A join leads on once all of its sources have arrived.
//  6. The new state and the tasks that are due then are saved before anything of them begins.
//
// # A driver
//
// A driver does what Step returns, one Command at a time, and reports how that went with the next
// Event. The first Event is zero:
//
//	var m machine.Machine
//	m.Init(plan)
//	m.Enter(false) // a new input; a saved thread goes on by Resume and Put
//	m.Begin(machine.Options{Limit: 25})
//	for c := m.Step(machine.Event{}); c.Do != machine.Finish; c = m.Step(e) {
//		e = carryOut(c)
//	}
//
// Before it reports that the tasks have run, it reports each of them with Ended. The state, the
// values of writes, checkpoints, records, clocks and the words of errors are the driver's. What a
// Send carries passes through the Machine as it is.
//
// A Machine is not for concurrent use, but for Ended, whose calls for different tasks may be
// concurrent.
package machine
