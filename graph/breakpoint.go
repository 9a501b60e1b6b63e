package graph

import (
	"fmt"
	"slices"
)

// breakpoints are nodes where runs stop; "*" stands for all.
type breakpoints []string

// marks returns the nodes of breakpoints; nil for none.
func (b breakpoints) marks(p *program) []bool {
	if len(b) == 0 {
		return nil
	}
	marks := make([]bool, len(p.nodes))
	for i := range marks {
		marks[i] = slices.Contains(b, p.nodes[i].name) || slices.Contains(b, "*")
	}
	return marks
}

// breaks sets the breakpoints of a call.
func (r *run) breaks(opts *RunOptions) error {
	before, after := r.program.before, r.program.after
	if len(opts.InterruptBefore)+len(opts.InterruptAfter) > 0 {
		for _, name := range slices.Concat(opts.InterruptBefore, opts.InterruptAfter) {
			if name != "*" && r.program.nodeID(name) < 0 {
				return fmt.Errorf("a breakpoint names %q, which does not exist; known nodes: %s", name, orNone(r.program.names()))
			}
		}
		before, after = slices.Concat(before, opts.InterruptBefore), slices.Concat(after, opts.InterruptAfter)
	}
	if r.pos.ledger == nil && len(before)+len(after) > 0 {
		return fmt.Errorf("stopping at breakpoints: %w", ErrNoCheckpointer)
	}
	r.pos.how.Before, r.pos.how.After = before.marks(r.program), after.marks(r.program)
	return nil
}
