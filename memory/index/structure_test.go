package index

import (
	"fmt"
	"testing"

	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// a manual of sections, each with two passages that name its subject equally often.
func sections(subjects ...string) []state.Passage {
	var out []state.Passage
	for n, s := range subjects {
		doc, at := fmt.Sprintf("%s.html", s), 0
		for i, body := range []string{
			fmt.Sprintf("Every %s is kept in the hold and counted once a week by the mate.", s),
			fmt.Sprintf("No %s is sold; when one breaks, %s and mate go ashore together.", s, s),
		} {
			out = append(out, state.Passage{ID: fmt.Sprintf("%s#%d", doc, 9-i), Doc: doc, Title: fmt.Sprintf("%d. %ss", n+1, s), Section: fmt.Sprintf("Stores > %d.1. %ss", n+1, s), Text: body, Start: at, End: at + len(body), Source: doc})
			at += len(body) + 1
		}
	}
	return out
}

func TestTheFirstPassageBelowAHeadingComesFirst(t *testing.T) {
	passages := sections("lantern", "anchor", "compass", "hawser", "barrel")
	x := open(t, build(t, passages))
	res := search(t, x, retrieval.Query{Primary: "lanterns"})
	if got := res.Hits[0]; got.Passage.ID != "lantern.html#9" || value(got, retrieval.RankerHeading) <= 0 {
		t.Errorf("first is %s with %v", got.Passage.ID, got.Scores)
	}
	if got := res.Hits[1]; value(got, retrieval.RankerHeading) != 0 {
		t.Errorf("the second passage of a section has %v", got.Scores)
	}
	for i := range passages {
		passages[i].Section = ""
	}
	for _, h := range search(t, open(t, build(t, passages)), retrieval.Query{Primary: "lanterns"}).Hits {
		if value(h, retrieval.RankerHeading) != 0 {
			t.Errorf("without headings %s has %v", h.Passage.ID, h.Scores)
		}
	}
}

func value(h state.Hit, ranker string) float64 {
	for _, s := range h.Scores {
		if s.Ranker == ranker {
			return s.Value
		}
	}
	return 0
}
