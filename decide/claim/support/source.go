package support

import (
	"strings"

	"example.com/assay/memory/text"
)

// A Source is a passage. Its title and section are evidence for the text's topic, but cannot
// support a claim alone.
type Source struct {
	Doc     string // ID of its document; sources of one document share it
	Title   string
	Section string
	Text    string
	Skip    []text.Span // bytes of the text that do not count as evidence
}

// A Place is the place of a sentence: the bytes Start..End of the text of a source, by its index.
// Titles and sections have none.
type Place struct{ Source, Start, End int }

// PrepareSources splits passages into sentences, and sentences into words.
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

// Place returns the place of a sentence of a judgement. It returns false for titles, sections, and
// evidence without sources.
func (e *Evidence) Place(sentence int) (Place, bool) {
	if sentence < 0 || sentence >= len(e.places) || e.places[sentence].Source < 0 {
		return Place{}, false
	}
	return e.places[sentence], true
}
