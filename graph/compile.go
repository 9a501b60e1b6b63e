package graph

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/assay/graph/internal/machine"
)

// CompileOptions configure a compiled graph. Nil is the zero value.
type CompileOptions struct {
	// Name is the graph's name in drawings and traces. Default "graph".
	Name string
	// RecursionLimit applies to runs without their own limit. Default: that of
	// the outer run inside a node, else DefaultRecursionLimit. Compile reports
	// a negative limit.
	RecursionLimit int
	// Checkpointer saves the threads of the graph's runs. Inside a node the
	// graph is saved with the outer graph. Default: runs are not saved.
	Checkpointer Checkpointer
	// Persistence selects what is saved when the graph runs inside a node.
	// Default: that of StateGraph.Persist, else PersistPerRun.
	Persistence Persistence
	// InterruptBefore and InterruptAfter name nodes as breakpoints, "*" for
	// all. Runs stop before or after them. Default: none.
	InterruptBefore, InterruptAfter []string
	// Version is the version of the state. Raise it when channels are renamed,
	// removed or change type, or when threads must continue in a changed graph.
	// Default 0.
	Version int
	// Migrate converts checkpoints of older versions. Default: they are
	// refused.
	Migrate func(*Migration) error
	// Now is the clock for checkpoints. Default time.Now.
	Now func() time.Time
}

// Persistence says what is saved of a graph that runs inside a node.
type Persistence uint8

const (
	// PersistPerRun saves each run separately: an interrupted run continues,
	// and the next run begins anew.
	PersistPerRun Persistence = iota
	// PersistNever saves nothing: after an interrupt the graph begins anew with
	// the recorded answers.
	PersistNever
	// PersistAlways keeps the state for the graph's next run in the same node
	// and thread. A subgraph over the same state keeps the channels outside its
	// Input.
	PersistAlways
	// PersistTurns is PersistAlways where that can be: the outer run is saved,
	// and an edge runs the node. Elsewhere, also in a task of a Send and in a
	// subgraph over the same state without an Input, it is PersistPerRun.
	PersistTurns
)

// keeps reports whether a run in a task, maybe of a Send, keeps its state.
func (p Persistence) keeps(sent bool) bool {
	return p == PersistAlways || p == PersistTurns && !sent
}

// Compiled is a graph that can run. It never changes, and concurrent runs may
// share it.
type Compiled[S any] struct{ plain *program }

// A program is a Compiled without the type of its state.
type program struct {
	typ          stateType
	name         string
	defaultLimit int // supersteps of a run without a limit; 0 for none
	fingerprint  string
	channels     []channel
	ids          []*channelID // by slot
	lists        []channel    // Append channels
	fleeting     []channel    // Ephemeral channels
	untracked    []channel    // Untracked channels
	input        []channel    // nil accepts all
	output       []channel    // nil returns all
	plan         machine.Plan // nodes and joins by index
	nodes        []node       // sorted by name: a node's index is its rank
	caching      bool         // a node has a cache
	branches     []branch     // of Start
	joins        []compiledJoin
	drawing      Drawing
	saver        Checkpointer
	saveProblems func() []Problem // reasons why threads of the graph cannot be saved
	persist      Persistence
	before       breakpoints
	after        breakpoints
	version      int
	migrate      func(*Migration) error
	clock        func() time.Time
	drive        driver
	zero         any        // the zero state
	idle         *sync.Pool // memory of runs that are over; see run.release
}

type node struct {
	name        string
	run         nodeFunc
	opts        nodeOptions
	gotos       []int    // of opts.gotos; end for End
	inner       *program // the graph that its function runs; nil for a plain node
	persistence Persistence
	branches    []branch
}

// nodeID returns a node's index, or -1.
func (p *program) nodeID(name string) int {
	at, found := slices.BinarySearchFunc(p.nodes, name, func(n node, name string) int { return strings.Compare(n.name, name) })
	if !found {
		return -1
	}
	return at
}

// names returns the sorted names of the nodes.
func (p *program) names() []string {
	names := make([]string, len(p.nodes))
	for i := range p.nodes {
		names[i] = p.nodes[i].name
	}
	return names
}

// slot returns the index of a channel, or -1. Graphs have few channels: a
// linear search is faster than a map.
func (p *program) slot(id *channelID) int { return slices.Index(p.ids, id) }

// branchesOf returns the conditional edges of a node, or of Start.
func (p *program) branchesOf(node int) []branch {
	if node == atStart {
		return p.branches
	}
	return p.nodes[node].branches
}

// accept returns the part of a parent's state that the graph takes as input.
func (p *program) accept(state any) any {
	if p.input == nil {
		return state
	}
	own := p.typ.fresh()
	copyFields(own, state, p.input)
	return own
}

type branch struct {
	route   routeFunc
	paths   []Path
	targets []int // by path; end for End
}

// end and atStart stand for End and Start, which have no index.
const (
	end     = machine.End
	atStart = machine.Start
)

type compiledJoin struct {
	sources []string // sorted
	label   string
	flat    string // the label in format 1 of checkpoints
}

// joinLabel names a join. It quotes ambiguous names, so labels are unique.
func joinLabel(sources []string, to string) string {
	plain := func(name string) string {
		if strings.ContainsAny(name, `+"`) || strings.Contains(name, "=>") {
			return strconv.Quote(name)
		}
		return name
	}
	parts := make([]string, len(sources))
	for i, name := range sources {
		parts[i] = plain(name)
	}
	return strings.Join(parts, "+") + " => " + plain(to)
}

// Compile checks the graph and prepares it to run. Its error is a *CompileError
// with all problems.
func (g *StateGraph[S]) Compile(opts *CompileOptions) (*Compiled[S], error) {
	p, err := g.plan.compile(opts)
	if err != nil {
		return nil, err
	}
	return &Compiled[S]{p}, nil
}

func (g *blueprint) compile(opts *CompileOptions) (*program, error) {
	if opts == nil {
		opts = &CompileOptions{}
	}
	problems := g.check(opts)
	if opts.Checkpointer != nil {
		problems = append(problems, g.unsavableChannels()...)
	}
	if len(problems) > 0 {
		return nil, &CompileError{problems}
	}
	c := &program{
		saveProblems: sync.OnceValue(g.unsavableChannels), typ: g.typ,
		name: opts.Name, defaultLimit: opts.RecursionLimit, channels: slices.Clone(g.channels), input: g.input, output: g.output,
		saver: opts.Checkpointer, persist: cmp.Or(opts.Persistence, g.persist), version: opts.Version, migrate: opts.Migrate, clock: opts.Now,
		before: slices.Clone(opts.InterruptBefore), after: slices.Clone(opts.InterruptAfter),
	}
	c.drive, c.zero, c.idle = (*run).loop, g.typ.fresh(), new(sync.Pool)
	if c.clock == nil {
		c.clock = time.Now
	}
	if c.name == "" {
		c.name = "graph"
	}
	for _, ch := range g.channels {
		c.ids = append(c.ids, ch.id())
		switch ch.id().kind {
		case KindAppend, KindKeyed:
			c.lists = append(c.lists, ch)
		case KindEphemeral:
			c.fleeting = append(c.fleeting, ch)
		case KindUntracked:
			c.untracked = append(c.untracked, ch)
		}
	}
	specs := slices.Clone(g.nodes)
	slices.SortFunc(specs, func(a, b nodeSpec) int { return strings.Compare(a.name, b.name) })
	ids := map[string]int{End: end}
	for i, s := range specs {
		ids[s.name] = i
		s.opts.policies = s.opts.policies.or(g.defaults)
		c.nodes = append(c.nodes, node{name: s.name, run: s.run, opts: s.opts, inner: s.inner, persistence: s.persistence})
	}
	cache := (&Cache[struct{}]{}).untyped() // of nodes that name none
	for i := range c.nodes {
		n := &c.nodes[i]
		n.opts.gotos = slices.Clone(n.opts.gotos)
		if n.opts.cache != nil {
			policy := *n.opts.cache
			if policy.store == nil {
				policy.store = cache
			}
			n.opts.cache, c.caching = &policy, true
		}
		for _, to := range n.opts.gotos {
			n.gotos = append(n.gotos, ids[to])
		}
		o := &n.opts
		c.plan.Nodes = append(c.plan.Nodes, machine.Node{
			Deferred: o.deferred,
			// It runs at once and once, in this process, on the whole state.
			Plain: o.retry == nil && o.timeout == Timeout{} && o.onError == nil && o.cache == nil && o.reads == nil && o.remote == "" && !o.deferred,
		})
	}
	exitsOf := func(name string) *machine.Exits {
		if name == Start {
			return &c.plan.Start
		}
		return &c.plan.Nodes[ids[name]].Exits
	}
	for _, e := range g.edges {
		if x := exitsOf(e.from); e.to != End && !slices.Contains(x.Next, ids[e.to]) {
			x.Next = append(x.Next, ids[e.to])
			slices.Sort(x.Next)
		}
	}
	for _, b := range g.branches {
		targets := make([]int, len(b.paths))
		for i, p := range b.paths {
			targets[i] = ids[p.Target]
		}
		from := &c.branches
		if b.from != Start {
			from = &c.nodes[ids[b.from]].branches
		}
		*from = append(*from, branch{b.route, b.paths, targets})
	}
	c.plan.Start.Asks = len(c.branches) > 0
	for i, j := range g.joins {
		sources := slices.Compact(slices.Sorted(slices.Values(j.from)))
		c.joins = append(c.joins, compiledJoin{sources, joinLabel(sources, j.to), strings.Join(sources, "+") + " => " + j.to})
		c.plan.Joins = append(c.plan.Joins, machine.Join{To: ids[j.to], Sources: len(sources)})
		for place, from := range sources {
			x := exitsOf(from)
			x.Joins = append(x.Joins, machine.Place{Join: i, Source: place})
		}
	}
	c.drawing = g.draw(c.name)
	c.fingerprint = g.hash(c.drawing)
	return c, nil
}

// Name returns the graph's name.
func (c *Compiled[S]) Name() string { return c.plain.name }

// Fingerprint identifies the graph's structure: channels, nodes and edges. It
// ignores the code of functions, the graph's name, and the order of the calls
// that built it.
func (c *Compiled[S]) Fingerprint() string { return c.plain.fingerprint }

func (g *blueprint) hash(d Drawing) string {
	facts := d.facts(nil, "")
	for _, ch := range g.channels {
		facts = append(facts, fmt.Sprintf("channel %q %s", ch.id().name, ch.id().kind))
	}
	slices.Sort(facts)
	sum := sha256.Sum256([]byte(strings.Join(facts, "\n")))
	return hex.EncodeToString(sum[:8])
}
