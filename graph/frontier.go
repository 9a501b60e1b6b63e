package graph

import "slices"

// A frontier is what is to run, and what waits. With state and step it is all
// that a run is made of between two supersteps.
type frontier struct {
	next    []int      // nodes of the next superstep that edges trigger, sorted
	sends   []delivery // and those that Sends start, after them
	held    []bool     // deferred nodes that were triggered, by node
	arrived [][]bool   // by join, by place: which sources have run

	queued  []int      // by node: the superstep it was last queued for
	touched []int      // joins that the superstep under way has reached
	spare   []delivery // what sends was a superstep ago, to be used again
}

// stage makes a result for every task that is due: nodes that edges trigger, in
// the order of their names, then Sends.
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

// replaceFrontier queues what follows the tasks of a superstep in place of them.
func (m *machine) replaceFrontier() {
	m.next = m.next[:0]
	if len(m.sends)+len(m.spare) > 0 {
		clear(m.spare) // lets go of the states
		m.sends, m.spare = m.spare[:0], m.sends
	}
	for i := range m.results {
		res := &m.results[i]
		m.leave(m.exits(res.node), &res.chosen, res.jumps)
		res.chosen.reset()
	}
	m.arrange()
}

// exits are those of a node, or of Start.
func (p *program) exits(node int) *exits {
	if node == atStart {
		return &p.start
	}
	return &p.nodes[node].exits
}

// leave queues the successors of a node that has run: what was chosen and,
// unless it jumps, what follows it always.
func (m *machine) leave(x *exits, chosen *choice, jumps bool) {
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

// arrive notes at the joins behind a node that it has run.
func (m *machine) arrive(x *exits) {
	for _, p := range x.joins {
		m.arrived[p.join][p.place] = true
		m.touched = append(m.touched, p.join)
	}
}

func (m *machine) queue(id int) {
	switch {
	case id == end:
	case m.nodes[id].opts.wait:
		m.held[id] = true
	case m.queued[id] != m.step+1:
		m.queued[id] = m.step + 1
		m.next = append(m.next, id)
	}
}

// arrange passes the joins that are complete, puts the queue in order, and lets
// deferred nodes go when nothing else is left. Joins come last because several
// tasks of one node are one arrival at a join, not the first of another round.
func (m *machine) arrange() {
	for _, join := range m.touched {
		if arrived := m.arrived[join]; !slices.Contains(arrived, false) {
			clear(arrived)
			m.queue(m.joins[join].to)
		}
	}
	m.touched = m.touched[:0]
	if m.due() == 0 {
		for id, held := range m.held {
			if held {
				m.held[id] = false
				m.next = append(m.next, id)
			}
		}
		return
	}
	if len(m.next) > 1 {
		slices.Sort(m.next)
	}
}

// due is how many tasks the next superstep has.
func (m *machine) due() int { return len(m.next) + len(m.sends) }

// dueNames names them, in their order. A node may be there several times.
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

// waiting names the joins that some but not all of their sources have reached.
func (m *machine) waiting() []string {
	var out []string
	for i, arrived := range m.arrived {
		if slices.Contains(arrived, true) {
			out = append(out, m.joins[i].label)
		}
	}
	return out
}
