package analysis

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// LanguageKey is the key of metadata that says in which language a passage is. Passages
// without it are English, or of a language that is not known.
const LanguageKey = "language"

// languageSample is how much of a document tells its language, in bytes.
const languageSample = 4 << 10

// WithLanguages adds to the passages of each document in another language than English
// which one that is, unless their metadata say it. A document that is too short to tell
// has the language of its source. The passages handed in stay as they are.
func WithLanguages(passages []state.Passage) []state.Passage {
	copied := false
	var source text.Language
	for from, to := 0, 0; from < len(passages); from = to {
		if first := passages[from]; from == 0 || passages[from-1].Source != first.Source {
			source, _ = sampled(passages[from:], func(p state.Passage) bool { return p.Source == first.Source })
		}
		l, n := sampled(passages[from:], func(p state.Passage) bool { return p.Doc == passages[from].Doc })
		to = from + n
		if l = cmp.Or(l, source); l == "" || l == text.English {
			continue
		}
		if !copied {
			passages, copied = slices.Clone(passages), true
		}
		for i := from; i < to; i++ {
			if p := &passages[i]; declared(*p) == "" {
				own := map[string]string{LanguageKey: string(l)}
				maps.Copy(own, p.Metadata)
				p.Metadata = own
			}
		}
	}
	return passages
}

// sampled is the language of the first passages, as many as belong together.
func sampled(passages []state.Passage, together func(state.Passage) bool) (l text.Language, n int) {
	var sample strings.Builder
	for ; n < len(passages) && together(passages[n]); n++ {
		if sample.Len() < languageSample {
			sample.WriteString(passages[n].Text + "\n")
		}
	}
	return text.LanguageOf(sample.String()), n
}

// declared is what the metadata of a passage say that its language is.
func declared(p state.Passage) string {
	if l, ok := p.Metadata[LanguageKey]; ok {
		return l
	}
	for key, value := range p.Metadata {
		if len(key) == len(LanguageKey) && text.Key(key) == LanguageKey {
			return value
		}
	}
	return ""
}

// LanguageOf is the language that a passage is analysed in.
func LanguageOf(p state.Passage) text.Language {
	if len(p.Metadata) == 0 {
		return text.English
	}
	return text.ParseLanguage(declared(p))
}
