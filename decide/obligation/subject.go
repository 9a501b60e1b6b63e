package obligation

import (
	"slices"

	"example.com/assay/memory/text"
)

// frames are words that phrase a question about duties and are not part of its subject.
var frames = text.StemSet(`require requires required requirement requirements must shall obligation obligations obligated duty duties rule rules ruled
	need needs expect expected expectations regulation regulations regulatory mandate mandates mandated mandatory necessary
	provide provides describe explain clarify clarification elaborate outline outlines regarding concerning under according
	enough sufficient allowed permitted forbidden prohibited possible
	specific specifically detail details example examples guidance guideline guidelines advice recommend recommends recommended recommendation
	recommendations suggest suggested do does should may apply applies applicable exist exists say says tell ensure ensures clarity`)

// words of questions that are content when they are all that is left: "What does
// the policy say about the law?"
var asides = text.StemSet(`policy policies statute statutes law laws context best practice practices criteria criterion aspect aspects factor factors
	element elements scenario scenarios circumstance circumstances step steps framework set include includes included consider considered
	considerations help meet process processes procedure procedures type types kind kinds take taken`)

// modifiers are frames before another frame, "key requirements", and content before
// anything else, "key cabinets".
var modifiers = text.StemSet(`key main certain typical typically particular relevant appropriate various general`)

// A SubjectWord is a subject word of a question.
type SubjectWord struct {
	text.Span        // bytes of the question
	Stem      string // in the language of the question
}

// Subject returns the subject words of a question about duties, each stem once, in order. It leaves
// out words that only ask for duties. If a question has no other words, its weaker words of asking
// are the subject, and otherwise all its content words.
func Subject(question string) []SubjectWord {
	tokens, in := text.Tokens(question), text.LanguageOf(question)
	var subject, weak, all []SubjectWord
	add := func(list []SubjectWord, w SubjectWord) []SubjectWord {
		if slices.ContainsFunc(list, func(o SubjectWord) bool { return o.Stem == w.Stem }) {
			return list
		}
		return append(list, w)
	}
	for i, t := range tokens {
		word := in.Word(t.Text)
		if in.Stops(word) {
			continue
		}
		w := SubjectWord{text.Span{Start: t.Start, End: t.End}, in.Stem(word)}
		all = add(all, w)
		switch {
		case i > 0 && tokens[i-1].Text == "how": // long, many
		case text.QueryStops.Has(t.Text) || frames[w.Stem] || deontic(word) || modifiers[w.Stem] && i+1 < len(tokens) && asks(tokens[i+1].Text):
		case asides[w.Stem]:
			weak = add(weak, w)
		default:
			subject = add(subject, w)
		}
	}
	for _, list := range [][]SubjectWord{subject, weak} {
		if len(list) > 0 {
			return list
		}
	}
	return all
}

// deontic reports whether a word means must, may or is in another language.
func deontic(word string) bool {
	return slices.ContainsFunc(traits()[word], func(t trait) bool { return t <= may })
}

// asks reports whether a word asks for duties.
func asks(word string) bool {
	stem := text.Stem(word)
	return frames[stem] || asides[stem] || modifiers[stem]
}
