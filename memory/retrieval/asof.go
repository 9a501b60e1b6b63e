package retrieval

import (
	"context"
	"slices"

	"example.com/assay/state"
)

// mostRefills is how often a search is repeated for hits in place of those that did not
// hold on the day.
const mostRefills = 3

// AsOf finds only passages whose documents hold on a day ("2025-01-31", "2025-01" or "2025");
// an empty day leaves none out. Passages of documents without dates hold.
func AsOf(r Retriever, day string) Retriever {
	if day == "" {
		return r
	}
	return asOf{r, day}
}

type asOf struct {
	Retriever
	day string
}

func (a asOf) Search(ctx context.Context, q Query) (Result, error) {
	found, err := a.Retriever.Search(ctx, q)
	for try := 0; err == nil; try++ {
		var others []string
		found.Hits = slices.DeleteFunc(found.Hits, func(h state.Hit) bool {
			other := !holdsOn(h.Passage, a.day)
			if other {
				others = append(others, h.Passage.ID)
			}
			return other
		})
		if len(others) == 0 || try == mostRefills {
			break
		}
		q.Exclude = append(slices.Clone(q.Exclude), others...)
		found, err = a.Retriever.Search(ctx, q)
	}
	return found, err
}

// holdsOn reports whether a passage's document holds on a day: it holds from no later day,
// or was written on none, and until no earlier one.
func holdsOn(p state.Passage, day string) bool {
	from := p.Metadata["valid_from"]
	if !dated(from) {
		from = p.Metadata["date"]
	}
	if until := p.Metadata["valid_until"]; dated(until) && earlier(until, day) {
		return false
	}
	return !dated(from) || !earlier(day, from)
}

func dated(s string) bool { return len(s) >= len("2025") && s[0] >= '0' && s[0] <= '9' }

// earlier compares days as far as both are known: "2025-01" is not earlier than
// "2025-01-31".
func earlier(a, b string) bool {
	n := min(len(a), len(b))
	return a[:n] < b[:n]
}
