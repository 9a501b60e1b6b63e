package followup

import (
	"slices"
	"strings"

	"example.com/assay/memory/text/wordnet"
)

// predicate returns the index of the verb, participle or adjective after the subject of a clause
// that begins with its auxiliary. It is the length of the clause if the subject is all that
// follows: "is the notice period".
//
// The subject is a run of words without a preposition, a second article or another auxiliary. The
// predicate is one of the words at its end. After "is" it is the last one, if it can describe a
// thing or nothing else is asked. After other auxiliaries it is a word that is not a noun, else the
// last one with an agent noun ("sell", "seller").
func predicate(list []token, asksWhether bool) int {
	end, first := 1, 2
	for end < len(list) {
		w := list[end].word
		if end > 1 && (articles[w] || auxiliary[w]) || preps[w] || connecting[w] || pronouns[w] {
			break
		}
		if end == 1 && articles[w] {
			first = 3 // an article needs a noun
		}
		end++
	}
	if first >= end {
		return min(max(end, 1), len(list))
	}
	switch list[0].word {
	case "is", "are", "was", "were", "isn't", "aren't":
		if asksWhether || said(list[end-1].word) {
			return end - 1
		}
		return end
	}
	for i := first; i < end; i++ {
		if names := wordnet.Hypernyms(list[i].word); len(names) == 0 && does(list[i].word) {
			return i
		}
	}
	for i := end - 1; i >= first; i-- {
		if does(list[i].word) {
			return i
		}
	}
	return end - 1
}

// does reports whether somebody or something can do a word: others name the one who does
// it, or that it is done.
func does(verb string) bool {
	stem := verb[:min(len(verb), max(3, len(verb)-2))]
	return slices.ContainsFunc(wordnet.Derived(verb), func(w string) bool {
		rest, ok := strings.CutPrefix(w, stem)
		return ok && len(rest) > 1 && len(rest) < 9 && slices.ContainsFunc(deeds, func(end string) bool { return strings.HasSuffix(rest, end) })
	})
}

// deeds are endings of nouns for an agent or for the result of an act.
var deeds = []string{"er", "or", "ee", "ing", "ment", "ion", "ance", "ence"}

// said reports whether a word says how a thing is: a participle, or an adjective that
// the state itself is named after ("open", "openness").
func said(w string) bool {
	if states.MatchString(w) && !strings.HasSuffix(w, "ing") {
		return true
	}
	if bases := wordnet.Bases(w); len(bases) > 0 && !slices.Contains(bases, w) || len(bases) > 1 && bases[0] == w && !strings.HasSuffix(w, "s") {
		return slices.ContainsFunc(bases, does) && !strings.HasSuffix(w, "ing") && !strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "er")
	}
	return slices.ContainsFunc(wordnet.Derived(w), func(d string) bool {
		rest, ok := strings.CutPrefix(d, strings.TrimRight(w, "ey"))
		return ok && (strings.HasSuffix(rest, "ness") || strings.HasSuffix(rest, "ity"))
	})
}
