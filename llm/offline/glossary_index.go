package offline

import (
	"strings"
	"sync"
)

// A family is a group of terms that may stand for each other in a search.
type family struct {
	concept bool
	terms   []string   // as written, the usual name first
	stems   [][]string // of each term
}

// A mention is a place where a text uses a term of a family.
type mention struct {
	family   *family
	term     int // index into the family's terms
	from, to int // the words from..to−1 of the text
}

type glossaryIndex struct {
	families []family
	byFirst  map[string][]entry // by a term's first stem
}

type entry struct{ family, term int }

// terminology is the parsed glossary, built on first use.
var terminology = sync.OnceValue(func() *glossaryIndex {
	g := &glossaryIndex{byFirst: map[string][]entry{}}
	l := newLexer()
	for line := range strings.Lines(strings.TrimSpace(glossary)) {
		line, concept := strings.CutPrefix(strings.TrimSpace(line), "* ")
		f := family{concept: concept}
		for t := range strings.SplitSeq(line, ";") {
			t = strings.TrimSpace(t)
			f.terms = append(f.terms, t)
			f.stems = append(f.stems, l.terms(t, nil))
		}
		g.families = append(g.families, f)
		for t, stems := range f.stems {
			g.byFirst[stems[0]] = append(g.byFirst[stems[0]], entry{len(g.families) - 1, t})
		}
	}
	return g
})

// mentions finds the glossary's terms in words, left to right, the longest at
// each place, without overlap.
func (g *glossaryIndex) mentions(words []word) []mention {
	var found []mention
	for i := 0; i < len(words); {
		best := mention{to: i}
		for _, e := range g.byFirst[words[i].Stem] {
			stems := g.families[e.family].stems[e.term]
			if i+len(stems) > best.to && matchesAt(words, i, stems) {
				best = mention{&g.families[e.family], e.term, i, i + len(stems)}
			}
		}
		if best.family == nil {
			i++
			continue
		}
		found = append(found, best)
		i = best.to
	}
	return found
}

func matchesAt(words []word, at int, stems []string) bool {
	if at+len(stems) > len(words) {
		return false
	}
	for i, s := range stems {
		if words[at+i].Stem != s {
			return false
		}
	}
	return true
}

// concepts returns the names of the distinct concepts in words, in order, as
// the text spells them, without repeats of a family.
func (g *glossaryIndex) concepts(words []word) []string {
	seen := map[*family]bool{}
	var names []string
	for _, m := range g.mentions(words) {
		if !m.family.concept || seen[m.family] || m.everyday(words) {
			continue
		}
		seen[m.family] = true
		names = append(names, m.spelled(words))
	}
	return names
}

// spelled is a mention as the text has it, in lower case, with the hyphens of
// the glossary.
func (m mention) spelled(words []word) string {
	list := make([]string, m.to-m.from)
	for i := range list {
		list[i] = words[m.from+i].Text
	}
	name := strings.Join(list, " ")
	if term := m.family.terms[m.term]; strings.ReplaceAll(term, "-", " ") == name {
		return term
	}
	return name
}

// everyday reports whether a one-word mention is more likely an ordinary word
// than the concept: "he will", "offers a ride".
func (m mention) everyday(words []word) bool {
	if m.to-m.from > 1 {
		return false
	}
	w := words[m.from].Text
	if term := m.family.terms[m.term]; w != term && w != term+"s" {
		return true // "stands", "converted": a form of the word, not its name
	}
	switch w {
	case "attempts", "trusts", "offers", "permits", "consents", "marks":
		return true
	case "will", "offer", "standing", "mark", "fault", "discharge", "outrage", "release", "attempt", "trust", "consent", "permit":
		if m.from == 0 {
			return true
		}
		switch words[m.from-1].Text {
		case "a", "an", "the", "of", "on", "is", "have", "has":
			return false
		}
		return len(words) > 3 // a word alone is what is asked about
	}
	return false
}
