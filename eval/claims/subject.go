package claims

import (
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// mostSubject is the greatest number of words in a subject.
const mostSubject = 6

// subjectOf returns the text of a sentence before its first verb, empty if that is a pronoun, or
// not only words.
func subjectOf(sentence string) string {
	e := &editor{}
	e.read("", sentence)
	for i := 1; i < len(e.words) && i <= mostSubject; i++ {
		from, last := e.words[i-1].to, strings.ToLower(e.word(i-1))
		if e.words[0].from != 0 || strings.TrimSpace(sentence[from:e.words[i].from]) != "" {
			return ""
		}
		if w := e.word(i); !auxiliaries.MatchString(w) && pastOf(w) == "" {
			continue
		}
		if text.DocStops.Has(last) || text.DocStops.Has(strings.ToLower(e.word(0))) && !articles[strings.ToLower(e.word(0))] {
			return ""
		}
		return sentence[:from]
	}
	return ""
}

var articles = text.Set(`the a an each every all both its their his her our`)

// subjectsOf collects the subjects of the sentences of a claim's evidence.
func (e *editor) subjectsOf(evidence []state.Evidence) {
	e.doing = nil
	for _, one := range evidence {
		for _, s := range text.Sentences(one.Passage.Text) {
			if who := subjectOf(one.Passage.Text[s.Start:s.End]); who != "" && !slices.Contains(e.doing, who) {
				e.doing = append(e.doing, who)
			}
		}
	}
}

// subjects put the subject of another sentence of the evidence in the place of the
// claim's: a name for a name, and a thing for a thing.
func (e *editor) subjects() []edit {
	own := subjectOf(e.claim)
	if own == "" {
		return nil
	}
	var out []edit
	for _, other := range e.doing {
		if named := isName(other); named != isName(own) || sharesWord(other, e.claim) {
			continue
		}
		out = append(out, edit{0, len(own), other})
	}
	return out
}

// isName reports whether a subject ends in a capitalised word.
func isName(subject string) bool {
	last := subject[strings.LastIndexByte(subject, ' ')+1:]
	return last != strings.ToLower(last)
}

// sharesWord reports whether a claim has a word of a subject, articles aside.
func sharesWord(subject, claim string) bool {
	in := map[string]bool{}
	for _, w := range wordPattern.FindAllString(claim, -1) {
		in[text.Stem(strings.ToLower(w))] = true
	}
	return slices.ContainsFunc(strings.Fields(strings.ToLower(subject)), func(w string) bool { return !text.DocStops.Has(w) && in[text.Stem(w)] })
}
