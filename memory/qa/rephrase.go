package qa

import (
	"slices"
	"strings"
)

// The following functions rewrite different wordings of a question to one. Each rule matches whole
// phrases in fixed places: with one more word it does not apply. No rule applies where a negation
// could change the meaning: "is not required to" is not "must not".

// An opening is a beginning of a question and its equivalent. In from, "what" also stands for
// "which".
type opening struct{ from, to []string }

func open(from, to string) opening { return opening{strings.Fields(from), strings.Fields(to)} }

var openings = []opening{
	open("for what reason", "why"), open("for what reasons", "why"),
	open("at what time", "when"), open("at what point", "when"), open("at what moment", "when"),
	open("in what case", "when"), open("in what cases", "when"),
	open("under what circumstances", "when"), open("in what circumstances", "when"), open("under what conditions", "when"),
	open("in what year", "what year"), open("on what date", "what date"), open("on what day", "what day"),
	open("what person", "who"),
	open("how much time", "how long"), open("how big", "how large"),
	open("what number of", "how many"),
	open("how can i", "how do i"), open("how does one", "how do i"), open("how can one", "how do i"), open("how to", "how do i"),
	open("what is meant by", "define"),
	open("what is the length of", "how long is"), open("what is the duration of", "how long is"),
	open("what is the amount of", "how much is"), open("what is the location of", "where is"),
	open("what is the reason for", "why"),
}

var (
	negations = wordsOf(`not no never nobody none nothing neither nor without hardly only`)
	allowed   = wordsOf(`allowed permitted`)
	required  = wordsOf(`required obliged obligated`)
	isOrAre   = wordsOf(`is are am`)
	begins    = wordsOf(`is are am was were do does did has have had can could may might must shall should will would`)

	// had are nouns N for which "what N does X have" asks for the N of X.
	had = wordsOf(`right duty obligation power element requirement exception component`)

	// fronts are words that begin a phrase which may precede or follow a question.
	fronts = wordsOf(`in under at on for by within during before after according`)
)

// unfront moves a phrase before a question, separated by its only comma, after it: "under the
// lease, who pays" asks "who pays under the lease".
func unfront(q string) string {
	front, rest, found := strings.Cut(q, ", ")
	if !found || strings.Contains(rest, ",") {
		return q
	}
	before, after := questionWords(front), questionWords(rest)
	if len(before) < 2 || len(before) > 8 || len(after) < 2 || !fronts.has(before[0]) || !askWords.has(after[0]) && !begins.has(after[0]) {
		return q
	}
	return strings.TrimRight(rest, " ?.!") + " " + strings.ToLower(front[:1]) + front[1:]
}

// rephrase applies the rules to the words of a question without its wrapping.
func rephrase(words []string) []string {
	words = opened(words)
	words = located(costs(words))
	if slices.ContainsFunc(words, negations.has) {
		return words
	}
	return possessed(modal(words))
}

// opened rewrites the opening of a question.
func opened(words []string) []string {
	for _, o := range openings {
		if len(words) <= len(o.from) {
			continue
		}
		matches := true
		for i, w := range o.from {
			matches = matches && (words[i] == w || w == "what" && words[i] == "which")
		}
		if matches {
			return slices.Concat(o.to, words[len(o.from):])
		}
	}
	return words
}

// costs rewrites "what is the cost of X" as "how much does X cost".
func costs(words []string) []string {
	if len(words) > 5 && slices.Equal(words[:3], []string{"what", "is", "the"}) && (words[3] == "cost" || words[3] == "price") && words[4] == "of" &&
		!slices.ContainsFunc(words[5:], closed.has) {
		return slices.Concat([]string{"how", "much", "does"}, words[5:], []string{"cost"})
	}
	return words
}

// located rewrites "where is X located" as "where is X".
func located(words []string) []string {
	if n := len(words); n > 3 && words[0] == "where" && isOrAre.has(words[1]) && (words[n-1] == "located" || words[n-1] == "situated") {
		return words[:n-1]
	}
	return words
}

// modal replaces "who is allowed to", "is X required to", "who has to" by the modal of the same
// meaning.
func modal(words []string) []string {
	at := 0 // of the verb that the modal takes the place of
	if len(words) > 0 && askWords.has(words[0]) {
		for at = 1; at < len(words) && !closed.has(words[at]) && !modals.has(words[at]); at++ {
		}
	}
	if at >= len(words)-2 {
		return words
	}
	if at > 0 && (words[at] == "has" || words[at] == "have") && words[at+1] == "to" {
		return slices.Concat(words[:at], []string{"must"}, words[at+2:])
	}
	if !isOrAre.has(words[at]) {
		return words
	}
	for i := at + 1; i < len(words)-2; i++ {
		switch {
		case i == at+1 && (words[0] == "what" || words[0] == "which"):
			// "What is required to win" does not ask what must win.
		case words[i+1] == "to" && allowed.has(words[i]):
			return slices.Concat(words[:at], []string{"may"}, words[at+1:i], words[i+2:])
		case words[i+1] == "to" && required.has(words[i]):
			return slices.Concat(words[:at], []string{"must"}, words[at+1:i], words[i+2:])
		case closed.has(words[i]) && words[i] != "i" && words[i] != "you" && words[i] != "they" && words[i] != "we" && words[i] != "'s":
			return words
		}
	}
	return words
}

// possessed replaces "what rights does X have" and "what exceptions are there to X" by "what are
// the".
func possessed(words []string) []string {
	n := len(words)
	if n < 5 || words[0] != "what" && words[0] != "which" || !had.has(canonical(words[1])) {
		return words
	}
	switch {
	case (words[2] == "do" || words[2] == "does") && words[n-1] == "have" && !slices.ContainsFunc(words[3:n-1], closed.has):
		return slices.Concat([]string{"what", "are", "the", words[1], "of"}, words[3:n-1])
	case words[2] == "are" && words[3] == "there" && n > 5:
		return slices.Concat([]string{"what", "are", "the", words[1]}, words[4:])
	}
	return words
}
