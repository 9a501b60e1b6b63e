package offline

import (
	"regexp"
	"slices"

	"example.com/assay/skills"
)

var asksLawyer = regexp.MustCompile(`(?i)\b(?:plaintiff|defendant|liable|liability|duty|duties|tort|statute|elements of|must (?:\w+ ){1,5}prove|guilty|convicted|courts?|jury|crimes?|offen[cs]e|lawsuit|sue[sd]?|police|lawful|unlawful|rule on|rule about|under the rule)\b|U\.S\.C\.|\w v\. \w`)

// legal reports whether a question is to be answered as lawyers do, by rule,
// elements and exceptions: it names a concept of law, or asks for a rule or what has
// to be proved.
func legal(l *lexer, question string) bool {
	words := l.words(question)
	return slices.ContainsFunc(terminology().mentions(words), func(m mention) bool { return m.family.concept && !m.everyday(words) }) ||
		asksLawyer.MatchString(question)
}

// framed reports whether an answer is arranged as lawyers do: the question speaks as they
// do, or names a concept of law and is asked of passages that speak so.
func framed(l *lexer, question string, from []skills.Source) bool {
	return asksLawyer.MatchString(question) || legal(l, question) && ofLaw(from)
}

// leastLaw is the share of passages that speak as lawyers do from which they are of
// law: see docs/measurements.md.
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
