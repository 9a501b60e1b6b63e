package graph_test

import (
	"fmt"

	"example.com/assay/graph"
)

// The reference's supersteps: tasks run one by one, and their outcomes are
// committed.

// due lists the tasks that may run.
func (g *refGraph) due() (out []string) {
	for _, t := range g.tasks {
		switch {
		case t.out != nil || t.settled:
		case t.child != nil:
			out = append(out, t.child.due()...)
		default:
			out = append(out, g.label(t))
		}
	}
	return out
}

// finish runs a task that is due, if there is one of this name.
func (g *refGraph) finish(label string) (found bool, end string) {
	for _, t := range g.tasks {
		switch {
		case t.out != nil || t.settled:
		case t.child != nil:
			if found, end = t.child.finish(label); end != "" {
				end = g.ended(t, end)
			}
		case g.label(t) == label:
			found, end = true, g.run(t)
		}
		if found && end == "" {
			end = g.look()
		}
		if found {
			break
		}
	}
	return found, end
}

// run plays a node with its attempts, and returns its failure.
func (g *refGraph) run(t *refTask) string {
	n, name, s := t.node, g.path+t.node.Name, g.sees(t)
	for attempt := 1; ; attempt++ {
		g.count(name)
		g.drain = g.drain || n.Drains
		more := 0
		if n.Once && t.effect == nil {
			g.count("effect of " + name)
			e := n.effect(s)
			t.effect = &e
			g.point()
		}
		if n.Once {
			more = *t.effect
		}
		t.asked = nil
		for i := range n.Asks {
			key := fmt.Sprint("key", i)
			if v, ok := t.answers[key]; ok {
				more += v
			} else if len(t.asked) == 0 || n.Together {
				t.asked = append(t.asked, refQuestion{name, key, fmt.Sprint(s.X), t})
			}
		}
		if t.settled = len(t.asked) > 0; t.settled {
			break
		}
		fails := g.broken && n.fails(s, attempt)
		if fails && attempt < n.Attempts {
			continue
		}
		switch {
		case fails && n.Handler == "":
			return "failed " + name
		case fails:
			t.failed = true
			g.point()
			return g.rescue(t)
		}
		t.out = &refOut{}
		t.out.writes, t.out.cmd = n.result(s, more, g.plan.Private)
		break
	}
	g.point()
	return ""
}

// rescue lets the handler of a node take over, also when the process died before. It
// returns the task's failure.
func (g *refGraph) rescue(t *refTask) string {
	if t.failed = false; t.node.Handler == "decline" {
		return "failed " + g.path + t.node.Name
	}
	t.out = &refOut{}
	t.out.writes, t.out.cmd = t.node.rescued(g.sees(t))
	g.point()
	return ""
}

// ended ends a task's own graph, and returns the task's failure.
func (g *refGraph) ended(t *refTask, end string) string {
	switch end {
	case "done":
		t.out = &refOut{writes: t.child.flat()}
		if t.child.plan.Persist == graph.PersistAlways {
			g.kept[t.child.path] = t.child.state.Seen
		}
	case "parent":
		t.out = t.child.handed
	case "interrupted":
		t.settled, t.asked = true, t.child.pending()
	default:
		return end
	}
	g.point()
	return ""
}

// look commits the superstep once each of its tasks has an outcome.
func (g *refGraph) look() string {
	open, parents := false, 0
	var outs [][]simWrite
	for _, t := range g.tasks {
		if open = open || t.settled; t.out == nil {
			if !t.settled {
				return ""
			}
			continue
		}
		if !t.out.cmd.parent {
			outs = append(outs, t.out.writes)
		} else {
			parents++
			g.handed = &refOut{t.out.writes, simCommand{to: t.out.cmd.to, instead: true}}
		}
	}
	if open {
		return "interrupted"
	}
	s, conflict := refMerge(g.base(), outs...)
	switch {
	case conflict != "":
		return "conflict " + conflict
	case parents > 1:
		return "invalid"
	case parents == 1:
		return "parent"
	}
	var ran []string
	for _, t := range g.tasks {
		g.arrive(t)
		ran = append(ran, t.node.Name)
	}
	g.wrote = append(g.wrote, refJoined(outs)...)
	g.used++
	next, sends := g.follow(g.tasks, g.base())
	g.commit(graph.SourceLoop, s, next, sends)
	if len(g.tasks) > 0 && intersect(ran, g.plan.After) {
		g.stopped = true
	}
	g.point()
	if g.stopped {
		return "interrupted"
	}
	return g.begin()
}
