package offline

import (
	"regexp"
	"slices"
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
