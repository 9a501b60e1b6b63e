package graph

import (
	"fmt"
	"slices"
	"strings"
)

// breakpoints are nodes at which runs stop; "*" is all.
type breakpoints []string

func (b breakpoints) has(node string) bool {
	return slices.Contains(b, node) || slices.Contains(b, "*")
}

func (g *blueprint) nodeNames() []string {
	var names []string
	for _, n := range g.nodes {
		names = append(names, n.name)
	}
	slices.Sort(names)
	return names
}

// problems are those of the options, for a graph with these nodes.
func (o *CompileOptions) problems(nodes []string) []Problem {
	var out []Problem
	for _, name := range slices.Concat(o.InterruptBefore, o.InterruptAfter) {
		if name != "*" && !slices.Contains(nodes, name) {
			out = append(out, Problem{UnknownTarget, name, "a breakpoint names a node that does not exist; known nodes: " + orNone(nodes)})
		}
	}
	if o.Persistence > PersistAlways {
		out = append(out, Problem{InvalidOptions, "", fmt.Sprintf("persistence is %d: it must be one of the constants", o.Persistence)})
	}
	if o.Version < 0 {
		out = append(out, Problem{InvalidOptions, "", fmt.Sprintf("version is %d: it must not be negative", o.Version)})
	}
	return out
}

// breaks takes the breakpoints of a call.
func (m *machine) breaks(opts *RunOptions) error {
	m.before, m.after = m.program.before, m.program.after
	if len(opts.InterruptBefore)+len(opts.InterruptAfter) > 0 {
		for _, name := range slices.Concat(opts.InterruptBefore, opts.InterruptAfter) {
			if name != "*" && !slices.ContainsFunc(m.nodes, func(n node) bool { return n.name == name }) {
				return fmt.Errorf("a breakpoint names %q, which does not exist; known nodes: %s", name, strings.Join(m.names(), ", "))
			}
		}
		m.before, m.after = slices.Concat(m.before, opts.InterruptBefore), slices.Concat(m.after, opts.InterruptAfter)
	}
	if m.ledger == nil && len(m.before)+len(m.after) > 0 {
		return fmt.Errorf("stopping at breakpoints: %w", ErrNoCheckpointer)
	}
	return nil
}

func (p *program) names() []string {
	names := make([]string, len(p.nodes))
	for i := range p.nodes {
		names[i] = p.nodes[i].name
	}
	return names
}
