package graph

import (
	"context"
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
func (r *run) breaks(opts *RunOptions) error {
	r.before, r.after = r.program.before, r.program.after
	if opts != nil {
		for _, name := range slices.Concat(opts.InterruptBefore, opts.InterruptAfter) {
			if name != "*" && !slices.ContainsFunc(r.nodes, func(n node) bool { return n.name == name }) {
				return fmt.Errorf("a breakpoint names %q, which does not exist; known nodes: %s", name, strings.Join(r.names(), ", "))
			}
		}
		r.before, r.after = slices.Concat(r.before, opts.InterruptBefore), slices.Concat(r.after, opts.InterruptAfter)
	}
	if r.keep == nil && len(r.before)+len(r.after) > 0 {
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

// stopBefore stops the run when a breakpoint stands before what is due. That
// it did is on record, so that the run passes it when it is resumed, and only
// then.
func (r *run) stopBefore(ctx context.Context) error {
	passed := r.passed
	r.passed = false
	if len(r.before) == 0 || passed || !slices.ContainsFunc(r.dueNames(), r.before.has) {
		return nil
	}
	if err := r.keep.record(ctx, r.keep.mark(r.keep.id)); err != nil {
		return err
	}
	return r.interrupted(nil)
}

// stopsAfter reports whether a breakpoint stands after a node that has run and
// something is left to run. The stop is saved with the superstep, so that a
// process that dies in between does not run past it.
func (r *run) stopsAfter(ran []string) bool {
	return len(ran) > 0 && r.due() > 0 && slices.ContainsFunc(ran, r.after.has)
}

// interrupted ends a run that waits, and lets the graph around it wait as well.
func (r *run) interrupted(pending []PendingInterrupt) error {
	if r.keep != nil && r.keep.owner != "" {
		r.outer.journal.wait(r.ordinal, pending)
	}
	r.publish(event{foreign: foreign{Kind: RunInterrupt, Interrupts: pending, Nodes: r.dueNames()}}, r.due())
	return &InterruptedError{Pending: pending, Next: r.dueNames()}
}
