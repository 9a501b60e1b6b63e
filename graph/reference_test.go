package graph_test

import (
	"slices"
	"strings"

	"example.com/assay/graph"
)

// A refThread is a second, naive engine: one thread of a simPlan as data. Method due
// lists the tasks that may run, and finish reports one that ran. The thread then
// continues until tasks are due again or the call ends. Everything is recorded except
// what wake drops: after a crash the next call is resume or invoke.
type refThread struct {
	root                  *refGraph
	rows                  []refRow            // checkpoints, oldest first
	kept                  map[string][]string // the channel seen of graphs that keep their state, by path
	limit                 int
	broken, drain, unsure bool           // unsure: what runs may not have run
	lazy                  bool           // a subgraph begins with its first task, not with its superstep
	silent                bool           // in this call, a graph inside a node, or a handler, went on without a task that begins
	least, most           map[string]int // how often something ran, and may have
	point                 func()         // is called when something is on record
}

type refRow struct {
	Source graph.Source
	Step   int
	Next   []string
	State  board
}

type refGraph struct { // one graph of the thread
	*refThread
	plan    *simPlan
	path    string
	state   board
	input   []simWrite // if waits: not committed yet
	waits   bool
	edit    [][]simWrite // what came with resume in this superstep
	step    int
	used    int // supersteps of this call
	tasks   []*refTask
	held    map[string]bool   // deferred nodes that were reached
	arrived []map[string]bool // by join
	stopped bool              // at a breakpoint before these tasks
	wrote   []simWrite        // since it began
	handed  *refOut           // to the graph around, by a Parent
	known   map[string]*refTask
}

type refTask struct {
	node    *simNode
	send    int
	own     *board // of a Send
	answers map[string]int
	asked   []refQuestion
	effect  *int // what its Once returned
	out     *refOut
	child   *refGraph
	known   map[string]*refTask // of a child that keeps nothing
	failed  bool                // and its handler did not finish
	settled bool                // it asked, in this call
	begun   bool                // of a child: a task of it began
	byHand  bool                // an update
}

type refOut struct {
	writes []simWrite
	cmd    simCommand
}

type refQuestion struct {
	Node, Key, Payload string
	task               *refTask
}

func newReference(p *simPlan, limit int) *refThread {
	t := &refThread{kept: map[string][]string{}, limit: limit, least: map[string]int{}, most: map[string]int{}, point: func() {}}
	t.root = t.newGraph(p, "", board{}, nil)
	t.root.step = -2
	return t
}

func (t *refThread) newGraph(p *simPlan, path string, s board, known map[string]*refTask) *refGraph {
	g := &refGraph{refThread: t, plan: p, path: path, state: s, held: map[string]bool{}, known: known}
	for range p.Joins {
		g.arrived = append(g.arrived, map[string]bool{})
	}
	return g
}

// invoke begins a turn and drops the tasks that are due.
func (t *refThread) invoke(in []simWrite) string {
	g, merge := t.root, refMerge
	if g.waits {
		merge = refKeeping // the first superstep of the input is yet to come
	}
	g.letIn()
	s, conflict := merge(g.base(), g.finished()...)
	if conflict != "" {
		s, _ = merge(g.base())
	}
	g.input, g.waits = in, true
	g.giveUp()
	g.commit(graph.SourceInput, s, nil, nil)
	return t.resume(nil, nil)
}

// resume continues with answers, by their place in pending, and an edit.
func (t *refThread) resume(answers map[int]int, edit []simWrite) string {
	g := t.root
	for i, q := range g.pending() {
		if v, ok := answers[i]; ok {
			q.task.answers[q.Key] = v
		}
	}
	g.edit = append(g.edit, edit)
	t.drain, t.silent = false, false
	g.wake()
	t.point()
	return g.begin()
}

// giveUp drops the open questions.
func (g *refGraph) giveUp() {
	g.held = map[string]bool{}
	for i := range g.arrived {
		g.arrived[i] = map[string]bool{}
	}
}

// letIn merges an uncommitted input into the state.
func (g *refGraph) letIn() {
	if g.waits {
		g.state, _ = refMerge(g.state, g.input)
		g.waits = false
	}
}

// update writes by hand in a node's name.
func (t *refThread) update(as string, writes []simWrite) string {
	g := t.root
	g.letIn()
	base, merge := g.base(), refMerge
	var ran []*refTask
	for _, t := range g.tasks {
		if t.out != nil {
			ran = append(ran, t)
		}
	}
	s, conflict := refMerge(base, g.finished()...)
	if conflict != "" {
		s, ran = base, nil
	}
	if len(ran) > 0 {
		merge = refKeeping // the superstep of these tasks has begun
	} else {
		s = base
	}
	if s, conflict = merge(s, writes); conflict != "" {
		return "conflict " + conflict
	}
	var next map[string]bool
	var sends []simSend
	if as == graph.End {
		g.giveUp()
	} else {
		for _, t := range ran {
			g.arrive(t)
		}
		by := g.newTask(as, 0, &s)
		by.out, by.byHand = &refOut{}, true
		g.arrive(by)
		next, sends = g.follow(append(ran, by), base)
	}
	stopped, was := g.stopped, g.names()
	g.commit(graph.SourceUpdate, s, next, sends)
	g.stopped = stopped && slices.Equal(was, g.names()) // the same breakpoint is passed
	return ""
}

// wake drops the last call's own data.
func (g *refGraph) wake() {
	g.used = 0
	for _, t := range g.tasks {
		t.settled = false
		if t.out != nil && t.out.cmd.parent {
			t.out = nil // typed by the graph around, so it cannot be on record
		}
		switch {
		case t.child == nil || t.out != nil:
		case g.lazy && !t.begun:
			t.known, t.child = t.child.known, nil
		case t.child.plan.Persist != graph.PersistNever:
			t.child.wake()
		default:
			t.known, t.child = t.child.known, nil
		}
	}
}

// touch marks a task and its outer graphs as begun.
func (g *refGraph) touch(label string) {
	for _, t := range g.tasks {
		if t.child != nil && strings.HasPrefix(label, t.child.path) {
			t.begun = true
			t.child.touch(label)
		}
	}
}

// begin continues until tasks are due. It returns the graph's end, if it ended.
func (g *refGraph) begin() string {
	if g.waits {
		s, conflict := refKeeping(g.state, g.input)
		if conflict != "" {
			return "conflict " + conflict
		}
		g.waits = false
		next, _ := g.follow([]*refTask{{node: &simNode{Edges: g.plan.Start}, out: &refOut{}}}, s)
		g.commit(graph.SourceLoop, s, next, nil)
		g.point()
	}
	switch names := g.names(); {
	case len(names) == 0:
		return "done"
	case g.path == "" && g.drain:
		return "drained"
	case !g.stopped && intersect(names, g.plan.Before):
		g.stopped = true
		g.point()
		return "interrupted"
	case g.used >= g.limit:
		return "recursion"
	}
	for _, t := range g.tasks {
		if t.failed {
			g.silent = true
			if end := g.rescue(t); end != "" {
				return end
			}
		}
		if t.node.Sub == nil || t.out != nil {
			continue
		}
		if t.child == nil {
			s, path := g.base(), g.path+t.node.Name+"/"
			if t.node.Sub.Private {
				s.Seen = g.kept[path]
			}
			if t.known == nil && (g.known != nil || t.node.Sub.Persist == graph.PersistNever) {
				t.known = map[string]*refTask{}
			}
			t.child = g.newGraph(t.node.Sub, path, s, t.known)
			t.child.step, t.child.waits, t.child.input = -1, true, []simWrite{{"note", graph.OpOverwrite, s.Inp, 0}}
		}
		was := t.child.step
		end := t.child.begin()
		g.silent = g.silent || t.begun && (end != "" || t.child.step != was)
		if end != "" {
			if end = g.ended(t, end); end != "" {
				return end
			}
		}
	}
	return g.look()
}
