package llm

import (
	"context"
	"sync"

	"example.com/assay/state"
)

// A Meter counts the calls that Ask, AskText and Converse make below a
// context: also those of whom the caller does not know, such as a reranker's
// that asks a model. It is safe for concurrent use.
type Meter struct {
	above *Meter

	mu    sync.Mutex
	usage state.ModelUsage
}

type meterKey struct{}

// Metered returns a context with a new meter. One that the context has
// already goes on counting.
func Metered(ctx context.Context) (context.Context, *Meter) {
	m := &Meter{above: meterOf(ctx)}
	return context.WithValue(ctx, meterKey{}, m), m
}

// Usage returns what was counted so far.
func (m *Meter) Usage() state.ModelUsage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.usage
}

func meterOf(ctx context.Context) *Meter {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	return m
}

func (m *Meter) count(u state.ModelUsage) {
	for ; m != nil; m = m.above {
		m.mu.Lock()
		m.usage = m.usage.Plus(u)
		m.mu.Unlock()
	}
}
