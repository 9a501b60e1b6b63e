package retrieval

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"example.com/assay/graph"
	"example.com/assay/state"
)

// An Order is a part of a passage that tells an assistant who reads it what to
// do: the bytes Start..End of the passage's text.
type Order = state.Order

// Inspect finds the orders in a passage's text; none in one that only informs.
// A nil Inspect looks for none.
type Inspect func(text string) []Order

// In returns the orders in a passage, also of a nil Inspect: those that inspect
// finds, and those that a detector found when the passage was searched for.
func (inspect Inspect) In(p state.Passage) []Order {
	if inspect == nil {
		return p.Orders
	}
	return slices.Concat(inspect(p.Text), p.Orders)
}

// EventOrders is the name of the custom event of a passage that was read and
// gives orders.
const EventOrders = "passage_orders"

// OrdersEvent is its payload.
type OrdersEvent struct {
	StepID  int      `json:"step_id,omitempty"`
	Passage string   `json:"passage"`
	Kinds   []string `json:"kinds"`
}

// Report publishes which of the passages give orders, and returns a warning for
// each. They are read all the same, as data: a detector that takes evidence away
// would let whoever plants such a sentence hide what stands beside it.
func (inspect Inspect) Report(ctx context.Context, step int, hits []state.Hit) ([]string, error) {
	for _, h := range hits {
		kinds := inspect.kinds(h.Passage)
		if len(kinds) == 0 {
			continue
		}
		if err := graph.Emit(ctx, EventOrders, OrdersEvent{step, h.Passage.ID, kinds}); err != nil {
			return nil, err
		}
	}
	return inspect.Warnings(hits), nil
}

// kinds are those of the orders in a passage, each once.
func (inspect Inspect) kinds(p state.Passage) []string {
	var kinds []string
	for _, o := range inspect.In(p) {
		if !slices.Contains(kinds, o.Kind) {
			kinds = append(kinds, o.Kind)
		}
	}
	return kinds
}

// Warnings tell which of the passages give orders.
func (inspect Inspect) Warnings(hits []state.Hit) []string {
	var warnings []string
	for _, h := range hits {
		kinds := inspect.kinds(h.Passage)
		if len(kinds) == 0 {
			continue
		}
		warnings = append(warnings, fmt.Sprintf("a passage of %s (%s, bytes %d–%d) reads as an order to an assistant (%s): it was shown as data; check it before you rely on it",
			h.Passage.Doc, h.Passage.Where(), h.Passage.Start, h.Passage.End, strings.Join(kinds, ", ")))
	}
	return warnings
}

// Remember returns an Inspect that keeps what it found in the last texts, up to
// most of them: the passages of one run are looked at for each of its claims.
// It is safe for concurrent use. A nil inspect stays nil.
func Remember(inspect Inspect, most int) Inspect {
	if inspect == nil {
		return nil
	}
	var mu sync.Mutex
	known := map[string][]Order{}
	return func(text string) []Order {
		mu.Lock()
		found, ok := known[text]
		mu.Unlock()
		if ok {
			return found
		}
		found = inspect(text)
		mu.Lock()
		defer mu.Unlock()
		if len(known) >= most {
			clear(known)
		}
		known[text] = found
		return found
	}
}
