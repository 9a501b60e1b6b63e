package graph_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/assay/graph"
)

// The state of the reference: merging, routing, committing.

// refMerge merges the writes of tasks into a state, and names a channel that
// more than one of them wants for itself.
func refMerge(s board, outs ...[]simWrite) (board, string) {
	sets, overs := map[string]int{}, map[string]int{}
	for _, w := range refJoined(outs) {
		switch w.Op {
		case graph.OpOverwrite:
			overs[w.Channel]++
		case graph.OpSet:
			sets[w.Channel]++
		}
	}
	for _, channel := range []string{"log", "foo", "hello", "note"} { // in the order of the graph
		if overs[channel] > 1 || overs[channel] == 0 && sets[channel] > 1 {
			return s, channel
		}
	}
	s.Inp = ""
	for _, w := range refJoined(outs) {
		over, list := w.Op == graph.OpOverwrite, strings.Split(w.Str, "\n")
		switch {
		case overs[w.Channel] == 1 && !over: // discarded
		case w.Channel == "log" && over:
			s.Log = list
		case w.Channel == "log":
			s.Log = slices.Concat(s.Log, list)
		case w.Channel == "seen":
			s.Seen = slices.Concat(s.Seen, list)
		case w.Channel == "x":
			s.X += w.N
		case w.Channel == "foo" && over:
			s.Foo = w.Str
		case w.Channel == "foo":
			s.Foo += w.Str
		case w.Channel == "hello":
			s.Hello = w.Str
		case w.Channel == "note":
			s.Inp = w.Str
		}
	}
	return s, ""
}

func refJoined(outs [][]simWrite) []simWrite { return slices.Concat(outs...) }

// refKeeping merges without expiring ephemeral values.
func refKeeping(s board, outs ...[]simWrite) (board, string) {
	after, conflict := refMerge(s, outs...)
	if after.Inp == "" {
		after.Inp = s.Inp
	}
	return after, conflict
}

// flat returns the graph's writes as the update of its outer node.
func (g *refGraph) flat() (out []simWrite) {
	over := map[string]bool{}
	for _, w := range g.wrote {
		over[w.Channel] = over[w.Channel] || w.Op == graph.OpOverwrite
	}
	last := map[string]bool{}
	for _, w := range g.wrote {
		switch {
		case w.Channel == "seen" && g.plan.Private, w.Channel == "note" && g.state.Inp == "":
		case over[w.Channel] || w.Op == graph.OpSet:
			last[w.Channel] = true
		default:
			out = append(out, w)
		}
	}
	for _, channel := range slices.Sorted(maps.Keys(last)) {
		w := simWrite{Channel: channel, Op: graph.OpSet, Str: map[string]string{
			"log": strings.Join(g.state.Log, "\n"), "foo": g.state.Foo, "hello": g.state.Hello, "note": g.state.Inp}[channel]}
		if over[channel] {
			w.Op = graph.OpOverwrite
		}
		out = append(out, w)
	}
	return out
}

// base is what the superstep runs on.
func (g *refGraph) base() board {
	s := g.state
	for _, edit := range g.edit { // each call's for itself
		s, _ = refKeeping(s, edit)
	}
	return s
}

func (g *refGraph) sees(t *refTask) board {
	if t.own != nil {
		return *t.own
	}
	return g.base()
}

// finished returns the writes of finished tasks.
func (g *refGraph) finished() (outs [][]simWrite) {
	for _, t := range g.tasks {
		if t.out != nil {
			outs = append(outs, t.out.writes)
		}
	}
	return outs
}

// shown is the state with that.
func (g *refGraph) shown() (s board, conflict string) { return refKeeping(g.base(), g.finished()...) }

// left names what has not finished.
func (g *refGraph) left() (out []string) {
	_, conflict := g.shown()
	if g.waits {
		return []string{graph.Start}
	}
	for _, t := range g.tasks {
		if t.out == nil || conflict != "" {
			out = append(out, t.node.Name)
		}
	}
	return out
}

func (g *refGraph) names() (out []string) {
	for _, t := range g.tasks {
		out = append(out, t.node.Name)
	}
	return out
}

func (g *refGraph) label(t *refTask) string {
	return fmt.Sprintf("%s%s#%d", g.path, t.node.Name, t.send)
}

// pending lists the open questions.
func (g *refGraph) pending() (out []refQuestion) {
	for _, t := range g.tasks {
		if t.out != nil {
			continue
		}
		for _, q := range t.asked {
			if _, ok := q.task.answers[q.Key]; !ok {
				out = append(out, q)
			}
		}
	}
	return out
}

// arrive lets a task that returned arrive at its joins.
func (g *refGraph) arrive(t *refTask) {
	for i, j := range g.plan.Joins {
		if !t.out.cmd.instead && slices.Contains(j.From, t.node.Name) {
			g.arrived[i][t.node.Name] = true
		}
	}
}

// follow queues the successors of tasks that ran on a state.
func (g *refGraph) follow(ran []*refTask, base board) (next map[string]bool, sends []simSend) {
	next = map[string]bool{}
	queue := func(names []string) {
		for _, name := range names {
			if g.node(name).Deferred {
				g.held[name] = true
			} else {
				next[name] = true
			}
		}
	}
	for _, t := range ran {
		queue(t.out.cmd.to)
		sends = append(sends, t.out.cmd.sends...)
		if t.out.cmd.instead {
			continue
		}
		own, _ := refKeeping(base, t.out.writes)
		if t.byHand {
			own = *t.own
		}
		to, more := t.node.routed(own)
		queue(t.node.Edges)
		queue(to)
		sends = append(sends, more...)
	}
	for i, j := range g.plan.Joins {
		if len(g.arrived[i]) == len(j.From) {
			g.arrived[i] = map[string]bool{}
			queue([]string{j.To})
		}
	}
	if len(next)+len(sends) == 0 {
		next, g.held = g.held, map[string]bool{}
	}
	return next, sends
}

func (g *refGraph) node(name string) *simNode {
	return g.plan.Nodes[slices.IndexFunc(g.plan.Nodes, func(n *simNode) bool { return n.Name == name })]
}

func (g *refGraph) newTask(name string, send int, own *board) *refTask {
	at := fmt.Sprintf("%d %s%s#%d", g.step, g.path, name, send)
	if t := g.known[at]; t != nil { // its graph begins anew, with the answers at hand
		if t.child != nil {
			t.known, t.child = t.child.known, nil
		}
		t.own, t.out, t.settled, t.failed = own, nil, false, false
		return t
	}
	t := &refTask{node: g.node(name), send: send, own: own, answers: map[string]int{}}
	if g.known != nil {
		g.known[at] = t
	}
	return t
}

// commit makes the next superstep.
func (g *refGraph) commit(source graph.Source, s board, next map[string]bool, sends []simSend) {
	g.step++
	g.state, g.edit, g.tasks, g.stopped = s, nil, nil, false
	for _, name := range slices.Sorted(maps.Keys(next)) {
		g.tasks = append(g.tasks, g.newTask(name, 0, nil))
	}
	for i, send := range sends {
		g.tasks = append(g.tasks, g.newTask(send.to, i+1, &board{X: send.x}))
	}
	if g.path != "" {
		return
	}
	row := refRow{source, g.step, g.names(), s}
	if source == graph.SourceInput {
		row.Next = []string{graph.Start}
	}
	g.rows = append(g.rows, row)
	if source != graph.SourceLoop { // a superstep may stop at a breakpoint first
		g.point()
	}
}

func (t *refThread) count(what string) {
	t.most[what]++
	if !t.unsure {
		t.least[what]++
	}
}

func intersect(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// clone copies a thread, as it is on record now.
func (t *refThread) clone() *refThread {
	c := *t
	c.rows, c.kept = slices.Clone(t.rows), maps.Clone(t.kept)
	c.root = t.root.clone(&c, map[*refTask]*refTask{})
	return &c
}

func (g *refGraph) clone(t *refThread, made map[*refTask]*refTask) *refGraph {
	c := *g
	c.refThread, c.held, c.arrived = t, maps.Clone(g.held), slices.Clone(g.arrived)
	for i, a := range c.arrived {
		c.arrived[i] = maps.Clone(a)
	}
	c.edit, c.wrote, c.tasks = slices.Clone(g.edit), slices.Clone(g.wrote), slices.Clone(g.tasks)
	for i, task := range c.tasks {
		c.tasks[i] = task.clone(t, made)
	}
	c.known = cloneKnown(g.known, t, made)
	return &c
}

func (t *refTask) clone(of *refThread, made map[*refTask]*refTask) *refTask {
	if made[t] != nil {
		return made[t]
	}
	c := *t
	made[t] = &c
	c.answers, c.asked = maps.Clone(t.answers), slices.Clone(t.asked)
	for i, q := range c.asked {
		c.asked[i].task = q.task.clone(of, made)
	}
	if t.child != nil {
		c.child = t.child.clone(of, made)
	}
	c.known = cloneKnown(t.known, of, made)
	return &c
}

func cloneKnown(known map[string]*refTask, of *refThread, made map[*refTask]*refTask) map[string]*refTask {
	out := maps.Clone(known)
	for at, t := range out {
		out[at] = t.clone(of, made)
	}
	return out
}
