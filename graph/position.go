package graph

import (
	"example.com/assay/graph/internal/machine"
)

// A position is where a run stands: what is due, which the machine knows, the
// state, and where both are saved. It does no I/O, starts no goroutine, reads no
// clock and holds no context. A run moves it along; State, UpdateState and Fork
// read it and move it by hand.
type position struct {
	program *program
	ledger  *ledger // nil when the run is not saved
	machine machine.Machine
	how     machine.Options // of the call

	now           snapshot // the committed state
	nextShown     any      // the state to show once the current superstep is concluded
	previousShown any      // the state shown before, in a saved run; restored when saving fails
	merged        bool     // nextShown is made, and now.writable is ahead of now.shown
	results       []result // of the tasks of the current superstep
	tally         machine.Tally
	room          struct {
		result [1]result
		writes [2]write
	}

	isSubgraph bool    // the run is inside a node of another graph
	collects   bool    // keep all writes for the outer graph
	keeps      bool    // the state is kept for the next run in the same node
	written    update  // all committed writes, when collects is set
	dirty      changes // DurabilityExit: unsaved changes

	entrance
	editRan    []result    // tasks of an edit's superstep
	lastRan    []savedTask // tasks that ran before the edit
	finishedOn any         // the state before finishedBefore was merged, for the routers of these tasks
}

// init makes a position ready that has nothing but its three states. It must not be copied after
// that.
func (pos *position) init(p *program) {
	pos.program = p
	pos.machine.Init(&p.plan)
	pos.results = pos.room.result[:0]
	pos.room.result[0].update = pos.room.writes[:0]
}

// stage makes a result for each task that is due.
func (pos *position) stage() {
	due := pos.machine.Due()
	if cap(pos.results) < due {
		pos.results = make([]result, due)
		updates := make(update, 2*due) // most nodes write one or two channels
		for i := range pos.results {
			pos.results[i].update = updates[2*i : 2*i : 2*i+2]
		}
	}
	pos.results = pos.results[:due]
	for i := range pos.results {
		res := &pos.results[i]
		res.clear()
		node, send := pos.machine.Task(i)
		if res.node, res.place, res.send = node, int32(i), int32(send); send > 0 {
			res.sent = pos.machine.Load(send).(*queuedSend)
		}
	}
}

// due counts the tasks of the next superstep.
func (pos *position) due() int { return pos.machine.Due() }

// dueNames names the nodes of these tasks in order, with repetitions.
func (pos *position) dueNames() []string {
	names := make([]string, pos.due())
	for i := range names {
		node, _ := pos.machine.Task(i)
		names[i] = pos.program.nodes[node].name
	}
	return names
}

// comingNames returns dueNames, or Start before the run has left it.
func (pos *position) comingNames() []string {
	if pos.machine.Entering() {
		return []string{Start}
	}
	return pos.dueNames()
}

// waiting names the joins that only some of their sources have reached.
func (pos *position) waiting() []string {
	var out []string
	for i := range pos.program.joins {
		if pos.machine.Waits(i) {
			out = append(out, pos.program.joins[i].label)
		}
	}
	return out
}

// conclude makes the merged state the state.
func (pos *position) conclude() {
	if pos.ledger == nil {
		pos.now.shown, pos.nextShown = pos.nextShown, pos.now.shown
	} else {
		if pos.previousShown == nil {
			pos.previousShown = pos.program.typ.fresh()
		}
		pos.previousShown, pos.now.shown, pos.nextShown = pos.now.shown, pos.nextShown, pos.previousShown
	}
	pos.merged = false
	if pos.collects {
		pos.noteWrites()
	}
}

// restoreShown goes back to the state before the superstep that was concluded last.
func (pos *position) restoreShown() {
	pos.now.shown, pos.previousShown = pos.previousShown, pos.now.shown
	pos.program.typ.copyTo(pos.now.writable, pos.now.shown)
}
