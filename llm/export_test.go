package llm

import "example.com/assay/state"

// Spent is what the run has spent that Reset began, and what the session has.
func (b *Budget) Spent() (run, session state.ModelUsage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.current.spent.ModelUsage, b.session.ModelUsage
}
