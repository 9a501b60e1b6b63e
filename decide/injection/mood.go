package injection

import (
	"strings"

	"example.com/assay/memory/text"
)

// order says how much the verb at piece i instructs the reader: 1 for an imperative or "you must
// …", .7 after a conjunction, .3 if it has a subject or is in a question about somebody else.
func (t *talk) order(i int) float64 {
	j := i - 1
	negated := false
	for t.is(j, "not", "don't", "dont", "never", "do", "completely", "totally", "fully", "entirely", "always", "only") {
		negated = true
		j--
	}
	if j < 0 || t.tokens[j].punct && !t.is(j, ",", "/") {
		return 1
	}
	if t.asksAboutOthers(i) && !t.has(j, your) && !t.is(j, "please", ",") {
		if t.is(j, "and", "then", "now", "also") {
			return .7
		}
		return .3
	}
	switch {
	case t.is(j, ","):
		if t.asksAboutOthers(i) {
			return .6
		}
		return 1
	case t.is(j, "you"):
		return 1
	case t.has(j, lead):
		return 1
	case t.has(j, modal) || t.is(j, "to", "ought"):
		// "you must ignore", "I want you to ignore", "the assistant will ignore"
		if t.near(j-5, j, "you", "assistant", "ai", "chatbot", "model", "bot", "llm", "system", "gpt") {
			return 1
		}
		return .3
	case negated:
		return .7
	}
	return .3
}

// asksAboutOthers reports whether i's sentence opens as a question or a research task that does not
// address "you".
func (t *talk) asksAboutOthers(i int) bool {
	s := t.sentenceStart(i)
	for s < i && (t.tokens[s].punct || t.has(s, lead)) {
		s++
	}
	if s >= i {
		return false
	}
	first := t.tokens[s].text
	if t.near(s, s+3, "you") && t.is(s, "can", "could", "would", "will") {
		return false // "can you ignore …" is a request, "must you ignore …" a question
	}
	return text.Interrogatives[first] || text.Auxiliaries[first] || t.is(s, "whether", "explain", "discuss", "describe", "analyze", "analyse",
		"summarize", "compare", "under", "if", "suppose", "assume", "a", "an", "the", "in", "after", "during", "what's")
}

// mentioned reports whether the verb at piece i is only mentioned: it is in quotation marks inside
// a text that says something else and does not ask to follow the quote, or after "phrases such as".
func (t *talk) mentioned(i int) bool {
	at := t.tokens[i].start
	for _, q := range t.quotes {
		if q[0] < at && at < q[1] {
			return t.speaksAboutQuotes()
		}
	}
	start := t.sentenceStart(i)
	topic := false
	for j := start; j < i; j++ {
		topic = topic || t.has(j, discourse)
		if topic && (t.is(j, "like", "e.g", "eg", "called", "saying", "says", "reads", "reading") || t.is(j, "such") && t.is(j+1, "as")) {
			return t.isQuestion(i)
		}
	}
	// "What does ignore previous instructions mean?"
	return t.isQuestion(i) && (t.is(start, "what") && t.is(start+1, "does", "is") && t.near(i, len(t.tokens), "mean", "attack", "injection"))
}

// isQuestion reports whether i's sentence ends with a question mark or opens as a request to
// explain.
func (t *talk) isQuestion(i int) bool {
	if t.is(t.sentenceStart(i), "explain", "describe", "discuss", "define", "compare") {
		return true
	}
	for j := i; j < len(t.tokens); j++ {
		if t.ends(j) {
			return t.is(j, "?")
		}
	}
	return false
}

// speaksAboutQuotes reports whether the text outside quotation marks has at least three words and
// does not ask to follow the quote.
func (t *talk) speaksAboutQuotes() bool {
	outside := 0
	for i, p := range t.tokens {
		inside := false
		for _, q := range t.quotes {
			inside = inside || q[0] < p.start && p.start < q[1]
		}
		if inside || p.punct {
			continue
		}
		outside++
		if t.is(i, "follow", "obey", "execute", "perform", "comply", "run", "decode", "do") && t.order(i) == 1 && !t.asksAboutOthers(i) {
			return false
		}
	}
	return outside >= 3
}

// quotedWord reports whether all occurrences of s are inside quotation marks of a text that speaks
// about them.
func (t *talk) quotedWord(s string) bool {
	if s == "" {
		return false
	}
	found := false
	for from := 0; ; {
		n := strings.Index(t.s[from:], s)
		if n < 0 {
			return found && t.speaksAboutQuotes()
		}
		at := from + n
		inside := false
		for _, q := range t.quotes {
			inside = inside || q[0] < at && at < q[1]
		}
		if !inside {
			return false
		}
		found = true
		from = at + len(s)
	}
}
