package offline

import (
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// A story is split at its own sentence and clause borders; questions about it are fixed phrases
// around such spans.

// maxClause is the length in words from which a sentence of a story is split.
const maxClause = 28

var (
	clauseBorder = pattern.New(`;\s+(?:and\s+)?|,\s+(?:and|but|so|while|whereupon)\s+`)
	lightOpening = pattern.New(`^(?:Separately|Meanwhile|Later|Then|Afterwards|However|Next|Also|Finally|Eventually|Unfortunately|Thereafter|Subsequently),?\s+`)
	leaning      = text.Set(`it he she they this that these those his her their its him them one both neither`)
)

// storyClauses returns the clauses of a story in order, each fit to follow "when". A clause that
// depends on the one before it by a pronoun is joined to it.
func storyClauses(facts string) []string {
	var list []string
	for _, span := range text.Sentences(facts) {
		s := strings.TrimRight(text.OneLine(facts[span.Start:span.End]), " .?!;:")
		s = lightOpening.ReplaceAllString(s, "")
		for _, c := range cutLong(s) {
			first, _, _ := strings.Cut(strings.ToLower(c), " ")
			if n := len(list); n > 0 && leaning[first] && len(strings.Fields(list[n-1]+" "+c)) <= maxClause {
				list[n-1] += ", and " + lowerFirst(c)
			} else if len(strings.Fields(c)) >= 3 {
				list = append(list, lowerFirst(c))
			}
		}
	}
	return list
}

// cutLong cuts a sentence of more than maxClause words at its clause borders.
func cutLong(s string) []string {
	if len(strings.Fields(s)) <= maxClause {
		return []string{s}
	}
	var list []string
	start := 0
	for _, m := range clauseBorder.FindAllStringIndex(s, -1) {
		if len(strings.Fields(s[start:m[0]])) >= 5 && len(strings.Fields(s[m[1]:])) >= 5 {
			list = append(list, s[start:m[0]])
			start = m[1]
		}
	}
	return append(list, s[start:])
}

// lowerFirst converts a sentence's first word to lower case if only its position capitalises it.
func lowerFirst(s string) string {
	first, _, _ := strings.Cut(s, " ")
	lower := strings.ToLower(first)
	if text.DocStops.Has(lower) && first != "I" || strings.HasSuffix(lower, "ing") || leaning[lower] {
		return lower + s[len(first):]
	}
	return s
}

// nearestClause returns the clause of the story that shares the most words with a question about
// it; the first of equals, or "" if none shares any.
func nearestClause(clauses []string, question string) string {
	asked := setOf(stemsOf(topicWords(question)))
	best, most := "", 0
	for _, c := range clauses {
		n := 0
		for _, t := range text.Distinct(text.Terms(c, text.QueryStops)) {
			if asked[t] {
				n++
			}
		}
		if n > most {
			best, most = c, n
		}
	}
	return best
}

// eventClause returns the clause with the decisive event of the story: the last one that is long
// enough.
func eventClause(clauses []string) string {
	for _, c := range slices.Backward(clauses) {
		if len(strings.Fields(c)) >= 6 {
			return c
		}
	}
	if len(clauses) == 0 {
		return ""
	}
	return clauses[len(clauses)-1]
}

// rulePrefix opens the questions for a rule that plans and replans ask.
const rulePrefix = "What is the rule on "

// ruleQuestion returns the form in which plans and replans ask for a rule.
func ruleQuestion(name string) string {
	return rulePrefix + name + ", and what are its elements?"
}

// whenQuestion returns a question for the rule on a clause of a story.
func whenQuestion(clause string) string {
	return "What is the rule when " + strings.TrimRight(clause, " .?,;:") + "?"
}

// applyQuestion returns a question for how a rule applies to a clause of a story.
func applyQuestion(name, clause string) string {
	return "How does the rule on " + name + " apply when " + strings.TrimRight(clause, " .?,;:") + "?"
}

// storyForm finds questions made by whenQuestion and applyQuestion; its group
// is the concept, empty for the former.
var storyForm = pattern.New(`^(?:How does the rule on (.+?) apply when |What is the rule when )`)
