package offline

import (
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/skills"
)

// Queries are made of the question's own content words; synonyms come from
// the glossary. The primary is never widened: expansion gains a little on
// topical questions and loses on precise ones (pseudo-relevance feedback has
// the same trade-off; Carpineto and Romano, 2012), so it belongs into the
// alternatives.

const (
	minQuery = 10 // words, where the question holds so many
	maxQuery = 30
	// maxOverlap is the Jaccard index of words from which two queries count
	// as the same.
	maxOverlap = .8
)

// Words that rules and exceptions are stated in: an alternative that would
// repeat another query, or is too short, takes them.
var (
	ruleFrame      = strings.Fields(`rule requires elements standard test requirements applies governing conditions`)
	exceptionFrame = strings.Fields(`exception unless limits defense scope liability circumstances effect duty`)
)

func rewrite(in skills.RewriteInput) (skills.RewriteOutput, error) {
	question, objective := oneLine(in.Question), oneLine(in.Objective)
	if question == "" {
		question = objective
	}
	if question == "" {
		return skills.RewriteOutput{}, errBlank
	}
	l := newLexer()
	words := uniqueWords(searchWords(l, question))
	wider := uniqueWords(subjectWords(l, objective))
	if len(words) == 0 {
		words = wider
	}
	if len(words) == 0 {
		words = l.words(question)
	}
	primary := rawWords(words)
	if len(primary) == 0 { // no word at all: punctuation, symbols
		primary = strings.Fields(question)
	}
	primary = head(primary, maxQuery)
	first := distinctFrom(anchored(l, question, words, wider), ruleFrame, primary)
	second := distinctFrom(synonyms(l, question, words), exceptionFrame, primary, first)
	return skills.RewriteOutput{
		Primary:      strings.Join(primary, " "),
		Alternatives: []string{strings.Join(first, " "), strings.Join(second, " ")},
	}, nil
}

// searchWords are the content words of a question. What only puts it is left
// out, but "elements", "exceptions" and their like are also what the passage
// looked for says.
func searchWords(l *lexer, question string) []word {
	subject := setOf(stemsOf(subjectWords(l, question)))
	return slices.DeleteFunc(l.content(question, text.QueryStops), func(w word) bool {
		return !subject[w.Stem] && !soughtWords[w.Text]
	})
}

var soughtWords = wordSet(`elements requirements exceptions exception defenses defences limits definition standard`)

// anchored starts with what pins the question down, then its concepts and
// last words, then what only the whole question says.
func anchored(l *lexer, question string, words, wider []word) []string {
	var list []string
	for _, a := range anchors(question) {
		list = append(list, strings.Fields(a)...)
	}
	for _, c := range terminology().concepts(l.words(question)) {
		list = append(list, strings.Fields(c)...)
	}
	list = append(list, rawWords(words[max(0, len(words)-4):])...)
	own := map[string]bool{}
	for _, w := range words {
		own[w.Stem] = true
	}
	for _, w := range wider {
		if !own[w.Stem] && len(list) < maxQuery {
			list = append(list, w.Raw)
		}
	}
	return uniqueStrings(list)
}

// synonyms replaces the question's terms by other terms of their glossary
// families, two for a concept and one for any other, and keeps the rest.
func synonyms(l *lexer, question string, words []word) []string {
	all := l.words(question)
	var list []string
	at := 0
	keep := func(to int) {
		for ; at < to; at++ {
			if w := all[at].Text; !text.QueryStops.Has(w) && (!frameWords[w] || soughtWords[w]) {
				list = append(list, all[at].Raw)
			}
		}
	}
	for _, m := range terminology().mentions(all) {
		if w := all[m.from].Text; m.everyday(all) || m.to-m.from == 1 && frameWords[w] && !soughtWords[w] {
			continue
		}
		keep(m.from)
		at = m.to
		take := 1
		if m.family.concept {
			take = 2
		}
		for i, term := range m.family.terms {
			if i != m.term && take > 0 {
				list = append(list, strings.Fields(term)...)
				take--
			}
		}
	}
	keep(len(all))
	if len(list) == 0 {
		list = rawWords(words)
	}
	return uniqueStrings(list)
}

// distinctFrom makes a query differ from the others and fill ten words: it
// adds words of the frame, and drops words that it shares while that is not
// enough.
func distinctFrom(list, frame []string, others ...[]string) []string {
	list = head(list, maxQuery)
	for _, w := range frame {
		if len(list) >= minQuery && !overlapsAny(list, others) {
			break
		}
		if len(list) < maxQuery && !slices.ContainsFunc(list, func(x string) bool { return strings.EqualFold(x, w) }) {
			list = append(list, w)
		}
	}
	for i := len(list) - 1; i >= 0 && len(list) > 3 && overlapsAny(list, others); i-- {
		if slices.ContainsFunc(others, func(o []string) bool { return slices.Contains(o, list[i]) }) {
			list = slices.Delete(slices.Clone(list), i, i+1)
		}
	}
	return list
}

func overlapsAny(list []string, others [][]string) bool {
	for _, o := range others {
		if jaccard(list, o) >= maxOverlap {
			return true
		}
	}
	return false
}

// jaccard is |a ∩ b| / |a ∪ b| over lower-case words; 1 for two empty lists.
func jaccard(a, b []string) float64 {
	lower := func(list []string) map[string]bool {
		set := make(map[string]bool, len(list))
		for _, w := range list {
			set[strings.ToLower(w)] = true
		}
		return set
	}
	sa, sb := lower(a), lower(b)
	common := 0
	for w := range sa {
		if sb[w] {
			common++
		}
	}
	union := len(sa) + len(sb) - common
	if union == 0 {
		return 1
	}
	return float64(common) / float64(union)
}

func uniqueWords(words []word) []word {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(words), func(w word) bool {
		again := seen[w.Stem]
		seen[w.Stem] = true
		return again
	})
}

func uniqueStrings(list []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(w string) bool {
		key := strings.ToLower(w)
		again := seen[key]
		seen[key] = true
		return again
	})
}

func rawWords(words []word) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = w.Raw
	}
	return list
}

func head(list []string, n int) []string { return list[:min(len(list), n)] }
