package answer

import (
	"strings"
	"testing"

	"example.com/assay/state"
)

// A source that nobody has read is neither preferred nor left behind.
func TestGuess(t *testing.T) {
	sources := []Source{{Text: "Dogs stay outside.", Near: []float64{.6}}, {Text: "Cats come in.", Near: []float64{.2}}, {Text: "Birds sing."}}
	p := newPool(reader{}, sources, nil)
	for i, want := range []float64{.6, .2, .4} {
		if got := p.sentences[i].means; got != want {
			t.Errorf("%q is %v near, want %v", p.sentences[i].text, got, want)
		}
	}
	if got := newPool(reader{}, sources[2:], nil).sentences[0].means; got != 0 {
		t.Errorf("without an encoder it is %v near", got)
	}
}

// A heading in bold is a headword without its marks.
func TestBoldHeading(t *testing.T) {
	const in = "**Leaving**\nGive a month's notice. Take your shed."
	source := Source{Text: in, Blocks: []state.Block{{Kind: state.BlockHeading, End: 11}, {Kind: state.BlockParagraph, Start: 12, End: len(in), Under: "Leaving"}}}
	for _, s := range newPool(reader{}, []Source{source}, nil).sentences {
		if s.head == nil || s.head.text != "Leaving" {
			t.Errorf("%q stands under %+v", s.text, s.head)
		}
	}
}

// The leading reading is that of the best quote, and whoever has read it changes the chance of the quote.
func TestLeading(t *testing.T) {
	sources := []Source{{Text: "Dogs stay outside. The gate is locked at nine in the evening.", Near: []float64{.1, .6}}, {Text: "Cats come in.", Near: []float64{.2}}}
	const q = "When is the gate locked?"
	if got, ok := Leading(q, sources); !ok || got != (Lead{0, 1, "The gate is locked at nine in the evening."}) {
		t.Fatalf("%+v, %t", got, ok)
	}
	chance := func(odds map[int]float64) float64 {
		sources[0].Read = odds
		return Rank(q, sources, nil).Chance
	}
	none, low, high := chance(nil), chance(map[int]float64{1: -4}), chance(map[int]float64{1: 4})
	if low >= none || high <= low {
		t.Errorf("the chance is %v; read with odds of -4 it is %v, and of 4 %v", none, low, high)
	}
	if other := chance(map[int]float64{0: 4}); other != none {
		t.Errorf("another stretch was read, and the chance is %v, not %v", other, none)
	}
	if got, ok := Leading(q, nil); ok {
		t.Errorf("of nothing leads %+v", got)
	}
}

// The mark of an item is not shown above a quote.
func TestMarksAreNotShown(t *testing.T) {
	const in = "Walls drained in two hours.\n\n- The gravel costs 40 euros.\n\n- Geotextile was not needed."
	item := func(said string) state.Block {
		at := strings.Index(in, said)
		return state.Block{Kind: state.BlockItem, Start: at, End: at + len(said)}
	}
	sources := []Source{{Title: "Walls", Section: "Results", Text: in, Blocks: []state.Block{item("The gravel costs 40 euros."), item("Geotextile was not needed.")}}}
	if r := Rank("Was geotextile needed?", sources, nil); len(r.Quotes) != 1 || r.Quotes[0].Head != "" {
		t.Errorf("%+v", r.Quotes)
	}
}
