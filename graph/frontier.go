package graph

import "slices"

// A frontier holds the tasks that are due and the nodes that wait. With the
// state and the step, it is all that a run keeps between two supersteps.
type frontier struct {
	next     []int        // nodes of the next superstep that edges trigger, sorted
	sends    []queuedSend // run after them
	deferred []bool       // by node: triggered deferred nodes; nil for none
	arrived  [][]bool     // by join, by place: sources that have run

	queued  []int        // by node: the last superstep that it was queued for
	touched []int        // joins that the current superstep reached
	spare   []queuedSend // the previous array of sends, for reuse
}

// stage makes a result for each task that is due: first nodes that edges
// trigger, by name, then Sends.
func (m *machine) stage() {
	if due := m.due(); cap(m.results) < due {
		m.results = make([]result, due)
		updates := make(update, 2*due) // most nodes write one or two channels
		for i := range m.results {
			m.results[i].update = updates[2*i : 2*i : 2*i+2]
		}
	}
	m.results = m.results[:m.due()]
	for i := range m.results {
		res := &m.results[i]
		res.clear()
		res.place, res.send = int32(i), 0
		if i < len(m.next) {
			res.node = m.next[i]
			continue
		}
		res.sent, res.send = &m.sends[i-len(m.next)], int32(i-len(m.next)+1)
		res.node = res.sent.to
	}
}

// alone begins the next superstep when it is one task of a plain node and nothing stops the run.
func (m *machine) alone() bool {
	if len(m.next) != 1 || len(m.sends) > 0 || m.step-m.first >= m.limit || !m.nodes[m.next[0]].plain {
		return false
	}
	m.step++
	res := &m.results[0]
	res.jumps, res.sent, res.node = false, nil, m.next[0]
	m.merged, m.phase = false, phaseTasks
	return true
}

// replaceFrontier replaces the tasks of a superstep by their successors.
func (m *machine) replaceFrontier() {
	m.next = m.next[:0]
	if len(m.sends)+len(m.spare) > 0 {
		clear(m.spare) // releases the states
		m.sends, m.spare = m.spare[:0], m.sends
	}
	for i := range m.results {
		res := &m.results[i]
		m.queueSuccessors(m.exits(res.node), &res.chosen, res.jumps)
		res.chosen.reset()
	}
	m.arrange()
}

// exits returns the exits of a node, or of Start.
func (p *program) exits(node int) *exits {
	if node == atStart {
		return &p.start
	}
	return &p.nodes[node].exits
}

// queueSuccessors queues what a node's routers and Commands chose and, unless
// it jumps, the targets of its edges.
func (m *machine) queueSuccessors(x *exits, chosen *choice, jumps bool) {
	for _, id := range chosen.nodes {
		m.queue(id)
	}
	switch {
	case len(chosen.sends) == 0:
	case len(m.sends) == 0:
		m.sends, chosen.sends = chosen.sends, m.sends
	default:
		m.sends = append(m.sends, chosen.sends...)
	}
	if jumps {
		return
	}
	for _, id := range x.next {
		m.queue(id)
	}
	m.arrive(x)
}

// arrive marks a node as arrived at its joins.
func (m *machine) arrive(x *exits) {
	for _, p := range x.joins {
		m.arrived[p.join][p.place] = true
		m.touched = append(m.touched, p.join)
	}
}

// hold marks a deferred node as triggered.
func (m *machine) hold(id int) {
	if m.deferred == nil {
		m.deferred = make([]bool, len(m.nodes))
	}
	m.deferred[id] = true
}

func (m *machine) queue(id int) {
	switch {
	case id == end:
	case m.nodes[id].opts.deferred:
		m.hold(id)
	case m.queued[id] != m.step+1:
		m.queued[id] = m.step + 1
		m.next = append(m.next, id)
	}
}

// arrange passes complete joins, sorts the queue, and releases deferred nodes
// when nothing else is left. Joins come last: several tasks of one node arrive
// at a join once, and do not begin its next round.
func (m *machine) arrange() {
	for _, join := range m.touched {
		if arrived := m.arrived[join]; !slices.Contains(arrived, false) {
			clear(arrived)
			m.queue(m.joins[join].to)
		}
	}
	m.touched = m.touched[:0]
	if m.due() == 0 {
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

// due counts the tasks of the next superstep.
func (m *machine) due() int { return len(m.next) + len(m.sends) }

// dueNames names the nodes of these tasks in order, with repetitions.
func (m *machine) dueNames() []string {
	names := make([]string, 0, m.due())
	for _, id := range m.next {
		names = append(names, m.nodes[id].name)
	}
	for i := range m.sends {
		names = append(names, m.nodes[m.sends[i].to].name)
	}
	return names
}

// waiting names the joins that only some of their sources have reached.
func (m *machine) waiting() []string {
	var out []string
	for i, arrived := range m.arrived {
		if slices.Contains(arrived, true) {
			out = append(out, m.joins[i].label)
		}
	}
	return out
}
