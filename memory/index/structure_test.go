package index

import (
	"fmt"
	"slices"
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
	if got := res.Hits[0]; got.Passage.ID != "lantern.html#9" || value(got, RankerHeading) <= 0 {
		t.Errorf("first is %s with %v", got.Passage.ID, got.Scores)
	}
	if got := res.Hits[1]; value(got, RankerHeading) != 0 {
		t.Errorf("the second passage of a section has %v", got.Scores)
	}
	for i := range passages {
		passages[i].Section = ""
	}
	for _, h := range search(t, open(t, build(t, passages)), retrieval.Query{Primary: "lanterns"}).Hits {
		if value(h, RankerHeading) != 0 {
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

func TestWhatIsAskedToBeDefined(t *testing.T) {
	for question, want := range map[string][]string{
		"What is a tow line?":                nil,
		"whats a hawser":                     {"hawser"},
		"What’s meant by the term “ballast”": {"term", "ballast"},
		"define bilge":                       {"bilg"},
		"What is the length of the line that a tug may use in fog?": nil,
		"How long is a hawser?": nil,
	} {
		if question == "What is a tow line?" {
			want = []string{"tow", "line"}
		}
		if got := focusOf(question); !slices.Equal(got, want) {
			t.Errorf("%q asks for %q, want %q", question, got, want)
		}
	}
}

func TestASentenceThatDefines(t *testing.T) {
	focus := focusOf("What is a hawser?")
	for s, want := range map[string]bool{
		"A hawser is a thick rope.":                              true,
		"It is dear. Hawsers are thick ropes.":                   true,
		"The hawser means trouble.":                              true,
		"The rope is a hawser.":                                  false,
		"Hawser and line are kept apart.":                        false,
		"A hawser":                                               false,
		"Coil the hawser, which is wet, before it freezes over.": false,
	} {
		if got := defines(s, focus); got != want {
			t.Errorf("%q defines it: %v, want %v", s, got, want)
		}
	}
	texts := []string{"A hawser is a thick rope that moors a ship and must be dry."}
	for i := range 8 {
		texts = append(texts, fmt.Sprintf("Hawser %d: hawser store, hawser rack, hawser list.", i))
	}
	x := open(t, build(t, plain(texts...)))
	hit := search(t, x, retrieval.Query{Primary: "What is a hawser?", K: 9}).Hits
	at := slices.IndexFunc(hit, func(h state.Hit) bool { return h.Passage.ID == "p00" })
	if at < 0 || value(hit[at], RankerDefinition) != definitionWeight {
		t.Errorf("the passage that defines it is hit %d of %v", at, hit)
	}
}
