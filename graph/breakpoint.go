package graph

import (
	"fmt"
	"slices"
)

// breakpoints are nodes where runs stop; "*" stands for all.
type breakpoints []string

func (b breakpoints) has(node string) bool {
	return slices.Contains(b, node) || slices.Contains(b, "*")
}

// breaks sets the breakpoints of a call.
func (m *machine) breaks(opts *RunOptions) error {
	m.before, m.after = m.program.before, m.program.after
	if len(opts.InterruptBefore)+len(opts.InterruptAfter) > 0 {
		for _, name := range slices.Concat(opts.InterruptBefore, opts.InterruptAfter) {
			if name != "*" && m.nodeID(name) < 0 {
				return fmt.Errorf("a breakpoint names %q, which does not exist; known nodes: %s", name, orNone(m.names()))
			}
		}
		m.before, m.after = slices.Concat(m.before, opts.InterruptBefore), slices.Concat(m.after, opts.InterruptAfter)
	}
	if m.ledger == nil && len(m.before)+len(m.after) > 0 {
		return fmt.Errorf("stopping at breakpoints: %w", ErrNoCheckpointer)
	}
	return nil
}
