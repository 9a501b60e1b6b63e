package retrieval

import (
	"fmt"
	"slices"
	"strings"

	"example.com/assay/state"
)

// An Order is a prompt injection in a passage: the bytes Start..End of its text, which tell
// an assistant what to do.
type Order = state.Order

// Inspect finds the prompt injections in a passage's text. A nil Inspect finds none.
type Inspect func(text string) []Order

// In returns the orders in a passage: those that inspect finds, and those that a detector
// found during the search, even with a nil Inspect.
func (inspect Inspect) In(p state.Passage) []Order {
	if inspect == nil {
		return p.Orders
	}
	return slices.Concat(inspect(p.Text), p.Orders)
}

// Kinds are those of the orders in a text other than a passage, each once.
func (inspect Inspect) Kinds(text string) []string {
	if inspect == nil {
		return nil
	}
	return KindsOf(inspect(text))
}

// KindsOf are the kinds of orders, each once.
func KindsOf(orders []Order) []string {
	var kinds []string
	for _, o := range orders {
		if !slices.Contains(kinds, o.Kind) {
			kinds = append(kinds, o.Kind)
		}
	}
	return kinds
}

// Warnings name the passages that give orders.
func (inspect Inspect) Warnings(hits []state.Hit) []string {
	var warnings []string
	for _, h := range hits {
		kinds := KindsOf(inspect.In(h.Passage))
		if len(kinds) == 0 {
			continue
		}
		p, at := h.Passage, ""
		for _, o := range inspect.In(p) {
			if o.Start < o.End {
				at += fmt.Sprintf(", bytes %d–%d", p.Start+o.Start, p.Start+o.End)
			}
		}
		if at == "" { // in a title, a label, or the whole
			at = fmt.Sprintf(", bytes %d–%d", p.Start, p.End)
		}
		became := "was withheld (%s): it is no evidence"
		if len(p.Orders) == 0 { // of a search or a file that nobody looked at
			became = "was shown as data (%s): check it before you rely on it"
		}
		warnings = append(warnings, fmt.Sprintf("%s (%s%s): a text that speaks to an assistant "+became, p.Doc, p.Where(), at, strings.Join(kinds, ", ")))
	}
	return warnings
}
