package machine

import "slices"

// A frontier holds the tasks that are due and the nodes that wait.
type frontier struct {
	entering bool     // the input is to be committed, and Start to be left
	next     []int    // nodes that are due, sorted
	sends    []Send   // due after them
	deferred []bool   // by node: triggered, and deferred; nil for none
	arrived  [][]bool // by join, by source

	queued  []int  // by node: the last superstep that it was queued for, plus 1
	touched []int  // joins that the current superstep reached
	spare   []Send // the array of sends before
}

// Due counts the tasks that are due, or that run.
func (m *Machine) Due() int { return len(m.next) + len(m.sends) }

// Task returns the node of a task that is due or runs, and the position among the Sends, from 1;
// 0 for none.
func (m *Machine) Task(i int) (node, send int) {
	if i < len(m.next) {
		return m.next[i], 0
	}
	send = i - len(m.next) + 1
	return m.sends[send-1].To, send
}

// Load returns what a Send carries. Send is a position from 1.
func (m *Machine) Load(send int) any { return m.sends[send-1].Load }

// Next returns the nodes that are due, sorted, without those of Sends. Callers only read it.
func (m *Machine) Next() []int { return m.next }

// Sends returns the Sends that are due. Callers only read it.
func (m *Machine) Sends() []Send { return m.sends }

// Deferred returns the deferred nodes that wait, sorted.
func (m *Machine) Deferred() (ids []int) {
	for id, waits := range m.deferred {
		if waits {
			ids = append(ids, id)
		}
	}
	return ids
}

// Arrived returns which sources of a join have run. Callers only read it.
func (m *Machine) Arrived(join int) []bool { return m.arrived[join] }

// Waits reports whether some sources of a join have run, and it has not led on.
func (m *Machine) Waits(join int) bool { return slices.Contains(m.arrived[join], true) }

// Entering reports whether the input is still to be committed, and Start to be left.
func (m *Machine) Entering() bool { return m.entering }

// Leaving reports whether the superstep that was concluded last left Start.
func (m *Machine) Leaving() bool { return m.leaving }

// Put makes nodes and Sends due, and marks deferred nodes. It keeps what is due.
func (m *Machine) Put(next []int, sends []Send, deferred []int) {
	for _, id := range next {
		if !slices.Contains(m.next, id) {
			m.next = append(m.next, id)
		}
	}
	slices.Sort(m.next)
	m.sends = append(m.sends, sends...)
	for _, id := range deferred {
		m.hold(id)
	}
}

// Arrive marks a source as arrived at a join, which does not lead on by that.
func (m *Machine) Arrive(at Place) { m.arrived[at.Join][at.Source] = true }

// Enter puts the input before everything that is due. A run that reenters has saved it already.
func (m *Machine) Enter(reenters bool) { m.entering, m.reenters = true, reenters }

// Clear empties the frontier.
func (m *Machine) Clear() {
	m.next, m.sends, m.entering, m.reenters = m.next[:0], m.sends[:0], false, false
	clear(m.deferred)
	for _, sources := range m.arrived {
		clear(sources)
	}
}

// An Edit is a node that counts as run, and where it leads.
type Edit struct {
	Node   int
	Choice *Choice
}

// Edit replaces the tasks that are due by what these nodes lead to, in a superstep that Skip has
// counted.
func (m *Machine) Edit(by []Edit) {
	m.next, m.sends = m.next[:0], m.sends[:0]
	m.entering, m.leaving = false, m.entering
	for _, e := range by {
		m.leaving = m.leaving || e.Node == Start
		m.follow(e.Node, e.Choice)
	}
	m.arrange()
}

// replace replaces the tasks of a superstep by what they lead to.
func (m *Machine) replace() {
	if len(m.sends)+len(m.spare) > 0 {
		clear(m.spare) // releases what they carry
		m.sends, m.spare = m.spare[:0], m.sends
	}
	m.next = m.next[:0]
	for i := range m.tasks {
		m.follow(m.tasks[i].node, m.tasks[i].choice)
	}
	m.arrange()
}

// follow queues what a node's routers and Commands chose and, unless they jump, what its edges
// lead to.
func (m *Machine) follow(node int, chosen *Choice) {
	jumps := false
	if chosen != nil {
		for _, id := range chosen.Nodes {
			m.queue(id)
		}
		switch {
		case len(chosen.Sends) == 0:
		case len(m.sends) == 0:
			m.sends, chosen.Sends = chosen.Sends, m.sends
		default:
			m.sends = append(m.sends, chosen.Sends...)
		}
		jumps = chosen.Jumps
		chosen.Reset()
	}
	if jumps {
		return
	}
	x := m.plan.exits(node)
	for _, id := range x.Next {
		m.queue(id)
	}
	for _, p := range x.Joins {
		m.arrived[p.Join][p.Source] = true
		m.touched = append(m.touched, p.Join)
	}
}

// hold marks a deferred node as triggered.
func (m *Machine) hold(id int) {
	if m.deferred == nil {
		m.deferred = make([]bool, len(m.plan.Nodes))
	}
	m.deferred[id] = true
}

func (m *Machine) queue(id int) {
	switch {
	case id == End:
	case m.plan.Nodes[id].Deferred:
		m.hold(id)
	case m.queued[id] != m.step+2: // never 0
		m.queued[id] = m.step + 2
		m.next = append(m.next, id)
	}
}

// arrange passes complete joins, sorts the queue, and releases deferred nodes when nothing else
// is left. Joins come last: several tasks of one node arrive at a join once, and do not begin its
// next round.
func (m *Machine) arrange() {
	for _, join := range m.touched {
		if arrived := m.arrived[join]; !slices.Contains(arrived, false) {
			clear(arrived)
			m.queue(m.plan.Joins[join].To)
		}
	}
	m.touched = m.touched[:0]
	if m.Due() == 0 {
		for id, triggered := range m.deferred {
			if triggered {
				m.deferred[id] = false
				m.next = append(m.next, id)
			}
		}
		return
	}
	if len(m.next) > 1 {
		slices.Sort(m.next)
	}
}
