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

// The leading readings are those that are likely to be quoted; whoever has read them changes which one is,
// and the chance of the quote.
func TestLeading(t *testing.T) {
	sources := []Source{{Text: "Dogs stay outside. The gate is locked at nine in the evening.", Near: []float64{.1, .6}}, {Text: "Cats come in.", Near: []float64{.2}}}
	const q = "When is the gate locked?"
	gate, all := Lead{0, 1, "The gate is locked at nine in the evening."}, Leading(q, sources, 9)
	if len(all) != 3 || all[0] != gate {
		t.Fatalf("%+v", all)
	}
	if got := Leading(q, sources, 1); len(got) != 1 || got[0] != gate {
		t.Errorf("the first is %+v", got)
	}
	first := func(odds map[int]float64) (int, float64) {
		sources[0].Read = odds
		r := Rank(q, sources, nil)
		return r.Quotes[0].Start, r.Chance
	}
	gateAt, none := first(nil)
	at, low := first(map[int]float64{1: -4})
	if at != gateAt || low >= none {
		t.Errorf("read with odds of -4, byte %d is quoted with %v; unread %v", at, low, none)
	}
	at, high := first(map[int]float64{0: -4, 1: 4})
	if at != gateAt || high <= low {
		t.Errorf("read with odds of 4, byte %d is quoted with %v", at, high)
	}
	if at, _ := first(map[int]float64{0: 30, 1: -30}); at != 0 {
		t.Errorf("another stretch is read as the answer, and byte %d is quoted", at)
	}
	if got := Leading(q, nil, 9); len(got) != 0 {
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
