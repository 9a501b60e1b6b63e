package offline

import (
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/skills"
)

// Words used for asking, without a topic: what a party must do, who the parties are, that something
// has to be found. Sources have many of them in sentences about anything. They are dropped if other
// content remains.
var (
	askingVerbs = text.Set(`prove proves proved proving show shows showing shown establish establishes established
		establishing win wins winning succeed succeeds prevail prevails sue sues sued suing bring brings brought take
		takes count counts counted make makes made need needs needed get gets give gives given come comes become try
		tries want wants find decide decides rule ruled look follow follows say says happen happens cost costs
		mean means known called never always another together commit commits committed guilty possible ever just still enough really exactly actually likely`)
	askingNouns = text.Set(`plaintiff plaintiffs defendant defendants claimant claimants party parties someone somebody
		anyone person persons people thing things kind kinds type types way ways case cases question claim claims
		lawsuit court courts liable liability action actions police`)
)

// topicWords returns the words of a question's topic: its content without the words that phrase it.
// A word of a glossary term such as "claim preclusion" stays, and so does one of a longer name. If
// nothing remains, all content words are the topic.
func topicWords(question string) []word {
	all := wordsOf(question)
	kept := map[int]bool{} // by offset
	for _, m := range terminology().mentions(all) {
		if m.to-m.from < 2 {
			continue
		}
		for _, w := range all[m.from:m.to] {
			kept[w.Start] = true
		}
	}
	for i := 1; i < len(all); i++ { // "Authorised Person" is a name
		if a, b := all[i-1], all[i]; capitalised(a.Raw) && capitalised(b.Raw) && question[a.End:b.Start] == " " && !startsClause(question, a.Start) {
			kept[a.Start], kept[b.Start] = true, true
		}
	}
	long := func(w word) bool { // "how long", "how many"
		i := slices.IndexFunc(all, func(o word) bool { return o.Start == w.Start })
		return i > 0 && all[i-1].Text == "how"
	}
	var topic []word
	for _, w := range contentOf(question, text.QueryStops) {
		asks := frameWords[w.Text] || askingVerbs[w.Text] || askingNouns[w.Text] || long(w)
		if !asks || kept[w.Start] {
			topic = append(topic, w)
		}
	}
	if len(topic) == 0 {
		return subjectWords(question)
	}
	return topic
}

// storyNames returns the people in a story, in lower case: words that are capitalised everywhere,
// at least once within a sentence, and not part of a longer name.
func storyNames(s string) map[string]bool {
	words := wordsOf(s)
	known := map[string]bool{}
	for _, m := range terminology().mentions(words) {
		for _, w := range words[m.from:m.to] {
			known[w.Text] = true
		}
	}
	found, other := map[string]bool{}, map[string]bool{}
	for i, w := range words {
		switch {
		case !capitalised(w.Raw):
			other[w.Text] = true
		case startsClause(s, w.Start):
		case i+1 < len(words) && capitalised(words[i+1].Raw) && s[w.End:words[i+1].Start] == " ",
			i > 0 && capitalised(words[i-1].Raw) && s[words[i-1].End:w.Start] == " " && !startsClause(s, words[i-1].Start),
			len(w.Raw) > 1 && strings.ToUpper(w.Raw) == w.Raw, hasDigit(w.Raw):
			other[w.Text] = true
		default:
			found[w.Text] = true
		}
	}
	for n := range found {
		if other[n] || known[n] || text.QueryStops.Has(n) {
			delete(found, n)
		}
	}
	return found
}

var asksLawyer = pattern.New(`(?i)\b(?:plaintiff|defendant|liable|liability|duty|duties|tort|statute|elements of|must (?:\w+ ){1,5}prove|guilty|convicted|courts?|jury|crimes?|offen[cs]e|lawsuit|sue[sd]?|police|lawful|unlawful|rule on|rule about|under the rule)\b|U\.S\.C\.|\w v\. \w`)

// legal reports whether a question is to be answered in the legal form of rule, elements and
// exceptions: it names a concept of law, or asks for a rule or for facts to be proved.
func legal(question string) bool {
	words := wordsOf(question)
	return slices.ContainsFunc(terminology().mentions(words), func(m mention) bool { return m.family.concept && !m.everyday(words) }) ||
		asksLawyer.MatchString(question)
}

// framed reports whether an answer is arranged as lawyers do: the question speaks as they
// do, or names a concept of law and is asked of passages that speak so.
func framed(question string, from []skills.Source) bool {
	return asksLawyer.MatchString(question) || legal(question) && ofLaw(from)
}

// leastLaw is the share of passages in legal language from which they count as law: see
// docs/measurements.md.
const leastLaw = 1.0 / 3

// ofLaw reports whether passages are of law. Manuals have its words here and there.
func ofLaw(list []skills.Source) bool {
	n := 0
	for _, s := range list {
		if asksLawyer.MatchString(s.Text) {
			n++
		}
	}
	return float64(n) >= leastLaw*float64(len(list))
}
