package graph

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A checker gathers the problems of one graph.
type checker struct {
	*blueprint
	names []string // sorted names of the nodes
}

// check finds every problem of the graph and of its options.
func (g *blueprint) check(opts *CompileOptions) []Problem {
	own := *g
	c := checker{blueprint: &own}
	c.problems = slices.Clone(g.problems)
	for _, n := range g.nodes {
		c.names = append(c.names, n.name)
	}
	slices.Sort(c.names)
	c.names = slices.Compact(c.names)

	c.checkChannels()
	c.checkNodes()
	c.checkEdges()
	if len(c.problems) == 0 {
		c.checkReachable()
	}
	c.checkOptions(opts)
	return c.problems
}

func (c *checker) checkOptions(o *CompileOptions) {
	if o.RecursionLimit < 0 {
		c.report(InvalidOptions, "", fmt.Sprintf("recursion limit is %d: it must be at least 1", o.RecursionLimit))
	}
	for _, name := range slices.Concat(o.InterruptBefore, o.InterruptAfter) {
		if name != "*" && !c.isNode(name) {
			c.report(UnknownTarget, name, "a breakpoint names a node that does not exist; known nodes: "+orNone(c.names))
		}
	}
	if max(o.Persistence, c.persist) > PersistTurns {
		c.report(InvalidOptions, "", fmt.Sprintf("persistence is %d: it must be one of the constants", max(o.Persistence, c.persist)))
	}
	if o.Version < 0 {
		c.report(InvalidOptions, "", fmt.Sprintf("version is %d: it must not be negative", o.Version))
	}
}

func (c *checker) checkChannels() {
	known := map[string]*channelID{}
	for _, ch := range c.channels {
		if ch == nil {
			c.report(InvalidOptions, "", "NewStateGraph was given a nil channel")
			continue
		}
		id := ch.id()
		if fault := ch.fault(c.typ.fresh()); fault != "" {
			c.report(InvalidOptions, id.name, fault)
		}
		if known[id.name] != nil {
			c.report(DuplicateChannel, id.name, "two channels have this name")
		}
		known[id.name] = id
	}
	need := func(ch channel, where string) {
		switch {
		case ch == nil:
			c.report(InvalidOptions, "", where+" names a nil channel")
		case known[ch.id().name] != ch.id():
			c.report(UnknownChannel, ch.id().name, where+" names a channel that NewStateGraph was not given")
		}
	}
	for _, ch := range c.input {
		need(ch, "Input")
	}
	for _, ch := range c.output {
		need(ch, "Output")
	}
	for _, n := range c.nodes {
		for _, ch := range n.opts.reads {
			need(ch, fmt.Sprintf("Reads of node %q", n.name))
		}
		for _, ch := range n.outputs {
			need(ch, fmt.Sprintf("the subgraph %q", n.name))
		}
	}
}

func (c *checker) checkNodes() {
	seen := map[string]bool{}
	for _, n := range c.nodes {
		switch {
		case n.name == "":
			c.report(InvalidName, n.name, "a node needs a name")
		case n.name == Start || n.name == End:
			c.report(InvalidName, n.name, "this name is reserved")
		case !utf8.ValidString(n.name):
			c.report(InvalidName, n.name, "a node's name must be valid UTF-8")
		case strings.ContainsAny(n.name, ":|/"):
			c.report(InvalidName, n.name, `a node's name must not contain ":", "|" or "/"`)
		case seen[n.name]:
			c.report(DuplicateNode, n.name, "a node of this name was already added")
		}
		seen[n.name] = true
		if cache := n.opts.cache; cache != nil && cache.ttl < 0 {
			c.report(InvalidOptions, n.name, "its cache's TTL must not be negative")
		}
		if cache := n.opts.cache; cache != nil && cache.store != nil && cache.store.fault() != "" {
			c.report(InvalidOptions, n.name, cache.store.fault())
		}
	}
}

func (c *checker) checkEdges() {
	entry := false
	for _, e := range c.edges {
		c.checkSource(e.from, "an edge")
		c.checkTarget(e.to, fmt.Sprintf("the edge from %q", e.from))
		entry = entry || e.from == Start
	}
	for _, j := range c.joins {
		if len(j.from) == 0 {
			c.report(NoTargets, j.to, "its join has no sources")
		}
		for _, from := range j.from {
			if from == Start {
				c.report(UnknownSource, from, fmt.Sprintf("the join to %q cannot wait for Start; use AddEdge", j.to))
				continue
			}
			c.checkSource(from, "a join")
		}
		if j.to == End {
			c.report(UnknownTarget, j.to, "a join needs a node to run; paths end by themselves")
			continue
		}
		c.checkTarget(j.to, "a join from "+strings.Join(j.from, ", "))
	}
	for _, b := range c.branches {
		c.checkSource(b.from, "a conditional edge")
		if len(b.paths) == 0 {
			c.report(NoTargets, b.from, "its conditional edges declare no targets")
		}
		keys := map[string]bool{}
		for _, p := range b.paths {
			c.checkTarget(p.Target, fmt.Sprintf("the conditional edge from %q", b.from))
			switch {
			case p.Key == "":
				c.report(InvalidOptions, b.from, "its conditional edges declare an empty key")
			case keys[p.Key]:
				c.report(InvalidOptions, b.from, fmt.Sprintf("its conditional edges declare %q twice", p.Key))
			}
			keys[p.Key] = true
		}
		entry = entry || b.from == Start
	}
	for _, n := range c.nodes {
		for i, to := range n.opts.gotos {
			c.checkTarget(to, fmt.Sprintf("Goto of node %q", n.name))
			if slices.Contains(n.opts.gotos[:i], to) {
				c.report(InvalidOptions, n.name, fmt.Sprintf("its Goto declares %q twice", to))
			}
		}
	}
	if !entry {
		c.report(NoEntry, "", "nothing follows Start: add an edge from graph.Start to one of "+orNone(c.names))
	}
}

func (c *checker) checkSource(name, what string) {
	switch {
	case name == End:
		c.report(EndAsSource, name, "End cannot be the source of "+what)
	case name != Start && !c.isNode(name):
		c.report(UnknownSource, name, what+" starts at a node that does not exist; known nodes: "+orNone(c.names))
	}
}

func (c *checker) checkTarget(name, what string) {
	switch {
	case name == Start:
		c.report(StartAsTarget, name, "Start cannot be the target of "+what)
	case name != End && !c.isNode(name):
		c.report(UnknownTarget, name, what+" leads to a node that does not exist; known nodes: "+orNone(c.names))
	}
}

func (c *checker) isNode(name string) bool {
	_, ok := slices.BinarySearch(c.names, name)
	return ok
}

// checkReachable finds nodes without a path from Start. A join is passed when
// all its sources are reachable. It runs only on graphs without other problems:
// one misspelt edge would report every node behind it.
func (c *checker) checkReachable() {
	reached := map[string]bool{Start: true}
	for grew := true; grew; {
		grew = false
		visit := func(name string) {
			if !reached[name] {
				reached[name], grew = true, true
			}
		}
		for _, e := range c.edges {
			if reached[e.from] {
				visit(e.to)
			}
		}
		for _, b := range c.branches {
			if reached[b.from] {
				for _, p := range b.paths {
					visit(p.Target)
				}
			}
		}
		for _, n := range c.nodes {
			if reached[n.name] {
				for _, to := range n.opts.gotos {
					visit(to)
				}
			}
		}
		for _, j := range c.joins {
			if !slices.ContainsFunc(j.from, func(from string) bool { return !reached[from] }) {
				visit(j.to)
			}
		}
	}
	for _, name := range c.names {
		if !reached[name] {
			c.report(Unreachable, name, "no path leads from Start to this node")
		}
	}
}
