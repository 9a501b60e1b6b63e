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
func (m *machine) visible() any {
	if m.output == nil {
		return m.now.shown
	}
	return m.part(m.output)
}

// part returns a copy of the committed state with only these channels.
func (m *machine) part(only []channel) any {
	s := m.typ.fresh()
	copyFields(s, m.now.shown, only)
	return s
}

// input returns a task's input: the state of its Send, or else the committed state. Callers only
// read it.
func (m *machine) input(res *result) any {
	switch reads := m.nodes[res.node].opts.reads; {
	case res.sent != nil:
		return res.sent.state
	case reads == nil:
		return m.now.shown
	default:
		return m.part(reads)
	}
}

// nodeError makes err the failure of a task.
func (m *machine) nodeError(res *result, err error) *NodeError {
	return &NodeError{Node: m.nodes[res.node].name, Step: m.step, Send: int(res.send), Attempts: int(res.attempt), Err: err}
}

func (m *machine) wants(k EventKind) bool { return m.modes.Wants(k) }

// publish adds an event of the run itself, at a position in its step.
func (m *machine) publish(out *output, ev event, position int) {
	if !m.wants(ev.Kind) {
		return
	}
	ev.Step, ev.Places = m.step, []Place{{m.step, position}}
	out.events = append(out.events, ev)
}

// publishState reports the state after all tasks of a superstep.
func (m *machine) publishState(out *output, position int) {
	if m.wants(StateValue) {
		m.publish(out, event{foreign: foreign{Kind: StateValue}, state: m.now.shown}, position)
	}
}
