package offline

import (
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/skills"
)

var (
	// frameWords phrase a question and are not part of its topic. "Defense" is excluded because
	// "self-defense" contains it.
	frameWords = text.Set(`rule rules element elements requirement requirements require requires required exceptions
		exception defenses defences limits compare compared contrast differ differs difference differences between
		distinguish apply applies applied application happen happens mean means meaning definition define defined law
		legal result outcome likely decide decided answer question treat treated relevant governing govern governs
		describe explain summarize list standard`)
)

// subjectWords returns the content words of a question without those that only phrase it; if none
// remains, with them.
func subjectWords(question string) []word {
	words := contentOf(question, text.QueryStops)
	var subject []word
	for _, w := range words {
		if !frameWords[w.Text] {
			subject = append(subject, w)
		}
	}
	if len(subject) == 0 {
		return words
	}
	return subject
}

// stemsOf returns the stems of words, without repeats.
func stemsOf(words []word) []string {
	stems := make([]string, len(words))
	for i, w := range words {
		stems[i] = w.Stem
	}
	return text.Distinct(stems)
}

// choiceMark finds the mark of an option at the start of a line or after a
// space: "A.", "A)", "(A)", "A:".
var choiceMark = pattern.New(`(?:^|[\s;])(?:\(([A-Z])\)|([A-Z])[.):])\s+`)

// splitChoices splits a question into its stem and its options. Options are marked A, B, C … in
// order; fewer than two mean that there are none.
func splitChoices(question string) (string, []skills.Choice) {
	type mark struct{ start, end int }
	var marks []mark
	for _, m := range choiceMark.FindAllStringSubmatchIndex(question, -1) {
		letter := m[2]
		if letter < 0 {
			letter = m[4]
		}
		switch question[letter] {
		case byte('A' + len(marks)):
			marks = append(marks, mark{m[0], m[1]})
		case 'A': // an earlier "A." was an initial or an article
			marks = []mark{{m[0], m[1]}}
		}
	}
	if len(marks) < 2 {
		return question, nil
	}
	choices := make([]skills.Choice, len(marks))
	for i, m := range marks {
		end := len(question)
		if i+1 < len(marks) {
			end = marks[i+1].start
		}
		choices[i] = skills.Choice{Letter: string(rune('A' + i)), Text: strings.Trim(question[m.end:end], " \t\n;")}
	}
	return strings.TrimSpace(question[:marks[0].start]), choices
}

// parts splits a question into the facts that it tells and the sentence that
// asks. Facts are empty for a question of one sentence.
func parts(question string) (facts, asks string) {
	spans := text.Sentences(question)
	if len(spans) == 0 {
		return "", strings.TrimSpace(question)
	}
	last := len(spans) - 1
	for i := last; i >= 0; i-- {
		if strings.HasSuffix(question[spans[i].Start:spans[i].End], "?") {
			last = i
			break
		}
	}
	asks = question[spans[last].Start:spans[last].End]
	facts = strings.TrimSpace(question[:spans[last].Start] + " " + question[spans[last].End:])
	return facts, asks
}

// onlyQuestions reports whether a question consists of nothing but questions.
func onlyQuestions(question string) bool {
	for _, span := range text.Sentences(question) {
		if !strings.HasSuffix(question[span.Start:span.End], "?") {
			return false
		}
	}
	return true
}

var (
	quoted   = pattern.New(`“[^”]{3,80}”|"[^"]{3,80}"`)
	citation = pattern.New(`(?:\d+\s+)?U\.S\.C\.\s*§*\s*\d+\w*|§+\s*\d[\w.()-]*|\b(?i:sections?|articles?|arts?\.|rules?|regulation|paragraph|clause|schedule|chapter|part)\s+\d[\w.()-]*|\b[A-Z][\w'’]+ v\. [A-Z][\w'’]+`)
	number   = pattern.New(`[$€£]?\d[\d.,]*%?(?:\s+(?:days?|months?|years?|hours?|weeks?|percent|per cent))?`)
	name     = pattern.New(`\b[A-Z][\w'’-]+(?:\s+(?:of\s+|and\s+|the\s+)?[A-Z][\w'’-]+)*`)
)

// anchors returns the most specific parts of a question, in order of strength: quoted phrases,
// citations, names, numbers. Spelling is the question's; no anchor overlaps an earlier one.
func anchors(question string) []string {
	var found []string
	add := func(a string) {
		a = strings.Trim(text.OneLine(a), `“”" .,;:`)
		for _, f := range found {
			if a == "" || strings.Contains(f, a) {
				return
			}
		}
		found = append(found, a)
	}
	for _, re := range []*pattern.Pattern{quoted, citation} {
		for _, m := range re.FindAllString(question, -1) {
			add(m)
		}
	}
	for _, m := range name.FindAllStringIndex(question, -1) {
		n := question[m[0]:m[1]]
		if first, _, more := strings.Cut(n, " "); startsClause(question, m[0]) {
			lower := strings.ToLower(first)
			if !more || text.QueryStops.Has(lower) {
				n = strings.TrimSpace(n[len(first):]) // a sentence's first word is capital anyway
			}
		}
		add(n)
	}
	for _, m := range number.FindAllString(question, -1) {
		add(m)
	}
	return found
}

// startsClause reports whether a sentence or a quotation begins at byte i.
func startsClause(s string, i int) bool {
	before := strings.TrimRight(s[:i], " \t\n\"“(*")
	return before == "" || strings.ContainsRune(".?!:", rune(before[len(before)-1]))
}
