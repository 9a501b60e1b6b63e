package graph

// A snapshot is a state as the run keeps it and as it shows it. In what is
// shown lists have no spare capacity, so that a node that appends to its copy
// does not write into the run's. A superstep is merged into what is kept; what is
// shown stands until the superstep is concluded.
type snapshot struct{ kept, shown any }

func (p *program) newSnapshot() snapshot { return snapshot{p.typ.fresh(), p.typ.fresh()} }

// copied is a snapshot that shares nothing with s but what the states point to.
func (p *program) copied(s snapshot) snapshot {
	return snapshot{p.typ.copyOf(s.kept), p.typ.copyOf(s.shown)}
}

// put makes a state the one of a snapshot.
func (p *program) put(s *snapshot, state any) {
	p.typ.copyTo(s.kept, state)
	p.show(s)
}

// show sets what is shown of a snapshot from what is kept.
func (p *program) show(s *snapshot) {
	p.typ.copyTo(s.shown, s.kept)
	p.clip(s.shown)
}

// clip takes the spare capacity off a state's lists.
func (p *program) clip(s any) {
	for _, ch := range p.lists {
		ch.clip(s)
	}
}

// visible is the state as the caller sees it.
func (m *machine) visible() any {
	if m.output == nil {
		return m.now.shown
	}
	return m.part(m.output)
}

// part is a copy of the committed state with these channels only.
func (m *machine) part(only []channel) any {
	s := m.typ.fresh()
	copyFields(s, m.now.shown, only)
	return s
}

// input is what a task runs on: the committed state, or what it was sent. It is
// for reading only.
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

// nodeError is err as the failure of a task.
func (m *machine) nodeError(res *result, err error) *NodeError {
	return &NodeError{Node: m.nodes[res.node].name, Step: m.step, Send: int(res.send), Attempts: int(res.attempt), Err: err}
}

func (m *machine) wants(k EventKind) bool { return m.modes.wants(k) }

// publish adds an event of the run itself, placed at a position in its step.
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
