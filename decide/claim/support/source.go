package support

import (
	"strings"

	"example.com/assay/memory/text"
)

// A Source is a passage as claims are judged against it. Title and section
// count as evidence of what the text is about, and can carry no claim alone.
type Source struct {
	Doc     string // names its document; sources of one document share it
	Title   string
	Section string
	Text    string
	Skip    []text.Span // bytes of the text that are no evidence
}

// A Place is where a sentence of the evidence stands: the bytes Start..End of
// the text of a source, by its index. Titles and sections have none.
type Place struct{ Source, Start, End int }

// PrepareSources splits passages into sentences and those into words.
func (m *Model) PrepareSources(sources []Source) *Evidence {
	var sentences []string
	var places []Place
	seen := map[string]bool{}
	for i, src := range sources {
		for _, context := range []string{src.Title, src.Section} {
			if context = strings.TrimSpace(context); context != "" && !seen[context] {
				seen[context] = true
				sentences, places = append(sentences, context), append(places, Place{Source: -1})
			}
		}
		for _, span := range text.Sentences(src.Text) {
			if !overlaps(span, src.Skip) {
				sentences = append(sentences, src.Text[span.Start:span.End])
				places = append(places, Place{Source: i, Start: span.Start, End: span.End})
			}
		}
	}
	e := m.Prepare(sentences)
	e.places = places
	return e
}

func overlaps(span text.Span, others []text.Span) bool {
	for _, o := range others {
		if span.Start < o.End && o.Start < span.End {
			return true
		}
	}
	return false
}

// Place says where a sentence of a judgement stands. It is false for titles,
// sections, and evidence that was not prepared from sources.
func (e *Evidence) Place(sentence int) (Place, bool) {
	if sentence < 0 || sentence >= len(e.places) || e.places[sentence].Source < 0 {
		return Place{}, false
	}
	return e.places[sentence], true
}
