package graph

import "slices"

// stage makes a result for every task that is due: nodes that edges trigger, in
// the order of their names, then Sends.
func (r *run) stage() []result {
	if due := r.due(); cap(r.results) < due {
		r.results = make([]result, due)
	}
	results := r.results[:r.due()]
	for i := range results {
		res := &results[i]
		res.task, res.update, res.sent, res.jumps, res.memo, res.err = nil, res.update[:0], nil, false, nil, nil // chosen is empty
		res.past, res.waits, res.replayed = nil, false, false
		if i < len(r.next) {
			res.node = r.next[i]
			continue
		}
		res.sent = &r.sends[i-len(r.next)]
		res.node = res.sent.to
	}
	return results
}

// advance replaces the frontier by what follows the tasks of a superstep.
func (r *run) advance(results []result) {
	r.next = r.next[:0]
	if len(r.sends)+len(r.spare) > 0 {
		clear(r.spare) // lets go of the states
		r.sends, r.spare = r.spare[:0], r.sends
	}
	for i := range results {
		res := &results[i]
		r.leave(&r.nodes[res.node].exits, &res.chosen, res.jumps)
		res.chosen.reset()
	}
	r.settle()
}

// leave queues the successors of a node that has run: what was chosen and,
// unless it jumps, what follows it always.
func (r *run) leave(x *exits, chosen *choice, jumps bool) {
	for _, id := range chosen.nodes {
		r.queue(id)
	}
	switch {
	case len(chosen.sends) == 0:
	case len(r.sends) == 0:
		r.sends, chosen.sends = chosen.sends, r.sends
	default:
		r.sends = append(r.sends, chosen.sends...)
	}
	if jumps {
		return
	}
	for _, id := range x.next {
		r.queue(id)
	}
	r.arrive(x)
}

// arrive notes at the joins behind a node that it has run.
func (r *run) arrive(x *exits) {
	for _, p := range x.joins {
		r.arrived[p.join][p.place] = true
		r.touched = append(r.touched, p.join)
	}
}

func (r *run) queue(id int) {
	switch {
	case id == end:
	case r.nodes[id].opts.wait:
		r.held[id] = true
	case r.queued[id] != r.step+1:
		r.queued[id] = r.step + 1
		r.next = append(r.next, id)
	}
}

// settle passes the joins that are complete, puts the queue in order, and lets
// deferred nodes go when nothing else is left. Joins come last because several
// tasks of one node are one arrival at a join, not the first of another round.
func (r *run) settle() {
	for _, join := range r.touched {
		if arrived := r.arrived[join]; !slices.Contains(arrived, false) {
			clear(arrived)
			r.queue(r.joins[join].to)
		}
	}
	r.touched = r.touched[:0]
	if r.due() == 0 {
		for id, held := range r.held {
			if held {
				r.held[id] = false
				r.next = append(r.next, id)
			}
		}
		return
	}
	slices.Sort(r.next)
}

// due is how many tasks the next superstep has.
func (r *run) due() int { return len(r.next) + len(r.sends) }

// dueNames names them, in their order. A node may be there several times.
func (r *run) dueNames() []string {
	names := make([]string, 0, r.due())
	for _, id := range r.next {
		names = append(names, r.nodes[id].name)
	}
	for i := range r.sends {
		names = append(names, r.nodes[r.sends[i].to].name)
	}
	return names
}

// waiting names the joins that some but not all of their sources have reached.
func (r *run) waiting() []string {
	var out []string
	for i, arrived := range r.arrived {
		if slices.Contains(arrived, true) {
			out = append(out, r.joins[i].label)
		}
	}
	return out
}
