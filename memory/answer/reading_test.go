package answer

import "testing"

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
