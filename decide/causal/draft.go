package causal

import (
	"strings"

	"example.com/assay/memory/text"
)

// Design is the kind of study that a text reports.
type Design uint8

const (
	Unknown Design = iota
	Survey         // an observing study
	Trial          // an intervening study
)

// Design reads the words by which studies describe themselves.
func (s *Sentence) Design() Design {
	switch has := s.has(0, len(s.Tokens)); {
	case has[design]:
		return Trial
	case has[survey]:
		return Survey
	}
	return Unknown
}

// Plain causal words, by the side that they make the cause.
var (
	draftsOn = newLexicon(map[class]string{fwd: `causes, caused, cause, leads to, lead to, led to, results in, result in, resulted in, triggers, trigger, triggered, induces, induced,
		raises, raised, increases, increase, reduces, reduce, lowers, prevents, prevented, worsens, worsened, improves, improved, contributes to, contribute to, contributed to, brings about, impairs, promotes`})
	draftsBack = newLexicon(map[class]string{back: `is caused by, are caused by, was caused by, were caused by, is due to, are due to, was due to, were due to, results from, result from, resulted from, stems from, is a consequence of, is triggered by, is induced by`})
)

// mostWords is the maximum number of words in a drafted variable.
const mostWords = 6

// Draft reads a sentence as an edge: the noun phrases before and after its first plain causal
// words, unchanged. It refuses sentences that deny, ask, or state what is still unknown.
func Draft(sentence string) (cause, effect string, hedged, ok bool) {
	s := Read(sentence)
	has := s.has(0, len(s.Tokens))
	if has[null] || has[agenda] || has[assoc] || s.question() {
		return "", "", false, false
	}
	at, turned := first(draftsBack.in(s.Tokens)), true
	if at.to == 0 {
		at, turned = first(draftsOn.in(s.Tokens)), false
	}
	if at.to == 0 {
		return "", "", false, false
	}
	left, right := s.phraseBefore(at.from), s.phraseAfter(at.to)
	if left == "" || right == "" || strings.EqualFold(left, right) {
		return "", "", false, false
	}
	if turned {
		left, right = right, left
	}
	return left, right, has[modal], true
}

func first(all []found) found {
	if len(all) == 0 {
		return found{}
	}
	return all[0]
}

// breaks end a noun phrase.
var breaks = text.Set("that which who and or but when while if because although by with that is are was were be been has have had may might can could will would should where within at by before after until unless this these it they we to not also often usually only")

func (s *Sentence) phraseBefore(to int) string {
	for to > 0 && (breaks[s.Tokens[to-1].Low] || strings.HasSuffix(s.Tokens[to-1].Low, "ly")) {
		to--
	}
	from := to
	for from > 0 && to-from < mostWords && s.inPhrase(from-1) {
		from--
	}
	return s.phrase(from, to)
}

func (s *Sentence) phraseAfter(from int) string {
	to := from
	for to < len(s.Tokens) && to-from < mostWords && s.inPhrase(to) {
		if to > from && (s.Tokens[to].Low == "in" || s.Tokens[to].Low == "among" || s.Tokens[to].Low == "for" || s.Tokens[to].Low == "during" || s.Tokens[to].Low == "from") {
			break
		}
		to++
	}
	return s.phrase(from, to)
}

func (s *Sentence) inPhrase(i int) bool {
	return (s.Tokens[i].Word || s.Tokens[i].Low == "0") && !breaks[s.Tokens[i].Low]
}

// phrase returns the words of a noun phrase without articles and prepositions at its ends; "" if
// only function words remain.
func (s *Sentence) phrase(from, to int) string {
	for from < to && text.DocStops.Has(s.Tokens[from].Low) {
		from++
	}
	for from < to && text.DocStops.Has(s.Tokens[to-1].Low) {
		to--
	}
	if from >= to {
		return ""
	}
	name := s.Text[s.Tokens[from].Start:s.Tokens[to-1].End]
	if first := s.Tokens[from]; from == 0 && len(first.Low) > 1 && s.Text[first.Start+1:first.End] == first.Low[1:] {
		name = strings.ToLower(name[:1]) + name[1:]
	}
	return strings.Join(strings.Fields(name), " ")
}
