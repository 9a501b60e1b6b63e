package research

import (
	"context"
	"fmt"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/state"
)

// Inspect names the kinds of orders that a passage gives to an assistant that
// reads it, such as "override"; none for a passage that only informs.
type Inspect func(passage string) []string

// EventPassageOrders is the name of the custom event of a passage that was read
// and gives orders.
const EventPassageOrders = "passage_orders"

// PassageOrdersEvent is its payload.
type PassageOrdersEvent struct {
	StepID  int      `json:"step_id"`
	Passage string   `json:"passage"`
	Kinds   []string `json:"kinds"`
}

// report publishes which of the passages give orders, and returns a warning for
// each. They are read all the same, as data: a detector that takes evidence away
// would let whoever plants such a sentence hide what stands beside it.
func (inspect Inspect) report(ctx context.Context, stepID int, hits []state.Hit) ([]string, error) {
	if inspect == nil {
		return nil, nil
	}
	var warnings []string
	for _, h := range hits {
		kinds := inspect(h.Passage.Text)
		if len(kinds) == 0 {
			continue
		}
		if err := graph.Emit(ctx, EventPassageOrders, PassageOrdersEvent{stepID, h.Passage.ID, kinds}); err != nil {
			return nil, err
		}
		warnings = append(warnings, fmt.Sprintf("a passage of %s (%s, bytes %d–%d) reads as an order to an assistant (%s): it was shown as data; check it before you rely on it",
			h.Passage.Doc, h.Passage.Where(), h.Passage.Start, h.Passage.End, strings.Join(kinds, ", ")))
	}
	return warnings, nil
}
