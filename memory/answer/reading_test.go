package answer

import (
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
