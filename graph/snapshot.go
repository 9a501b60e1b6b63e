package graph

// A snapshot is a state in two copies. The run merges supersteps into the
// writable one. Nodes and readers see the shown one until the superstep is
// concluded. Its lists have no spare capacity: a node's append cannot write
// into the run's array.
type snapshot struct{ writable, shown any }

func (p *program) newSnapshot() snapshot { return snapshot{p.typ.fresh(), p.typ.fresh()} }

// copied copies both states. The copies share what the states point to.
func (p *program) copied(s snapshot) snapshot {
	return snapshot{p.typ.copyOf(s.writable), p.typ.copyOf(s.shown)}
}

// put sets both copies of a snapshot.
func (p *program) put(s *snapshot, state any) {
	p.typ.copyTo(s.writable, state)
	p.show(s)
}

// show sets the shown copy from the writable one.
func (p *program) show(s *snapshot) {
	p.typ.copyTo(s.shown, s.writable)
	p.clip(s.shown)
}

// clip removes the spare capacity of a state's lists.
func (p *program) clip(s any) {
	for _, ch := range p.lists {
		ch.clip(s)
	}
}

// visible returns the state for the caller.
func (pos *position) visible() any {
	if pos.program.output == nil {
		return pos.now.shown
	}
	return pos.part(pos.program.output)
}

// part returns a copy of the committed state with only these channels.
func (pos *position) part(only []channel) any {
	s := pos.program.typ.fresh()
	copyFields(s, pos.now.shown, only)
	return s
}

// input returns a task's input: the state of its Send, or else the committed state. Callers only
// read it.
func (pos *position) input(res *result) any {
	switch reads := pos.program.nodes[res.node].opts.reads; {
	case res.sent != nil:
		return res.sent.state
	case reads == nil:
		return pos.now.shown
	default:
		return pos.part(reads)
	}
}

// nodeError makes err the failure of a task.
func (pos *position) nodeError(res *result, err error) *NodeError {
	return &NodeError{Node: pos.program.nodes[res.node].name, Step: pos.machine.Superstep(), Send: int(res.send), Attempts: int(res.attempt), Err: err}
}
