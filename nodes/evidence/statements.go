package evidence

import (
	"slices"
	"strings"
	"unicode"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// oneMark is a pair of brackets with ids.
const oneMark = `\[\s*REQ-[A-Za-z]*\d+(?:\s*[,;]\s*REQ-[A-Za-z]*\d+)*\s*\]`

// marks match the IDs after a statement: "[REQ-S001, REQ-P003]", or several such marks in a row.
var (
	marks  = pattern.New(oneMark + `(?:\s*(?:,|and)?\s*` + oneMark + `)*`)
	markID = pattern.New(`REQ-[A-Za-z]*\d+`)
	bullet = pattern.New(`^\s*(?:[-*•#>]+|\d{1,3}[.)])?\s*`)
)

// Statements splits an answer into its sentences, with the ids at the end of each. Text
// between “ and ” does not end a sentence. Everything with a letter or a digit is a
// statement, headings too: nothing may be said without a requirement.
func Statements(answer string) []Statement {
	var out []Statement
	at := 0
	for _, line := range strings.SplitAfter(answer, "\n") {
		from := at + len(bullet.FindString(line))
		at += len(line)
		end := max(from, at-(len(line)-len(strings.TrimRight(line, " \t\r\n"))))
		for _, m := range marks.FindAllStringIndex(answer[from:end], -1) {
			stop := from + m[0]
			if stop < at0(out, from) {
				continue
			}
			begin := at0(out, from)
			sentences := split(answer, begin, stop)
			if len(sentences) == 0 {
				continue // marks without a text before them
			}
			for _, s := range sentences[:len(sentences)-1] {
				out = append(out, Statement{Text: answer[s.Start:s.End], Start: s.Start, End: s.End})
			}
			last := sentences[len(sentences)-1]
			until := from + m[1]
			for until > from+m[0] && strings.ContainsRune(" \t", rune(answer[until-1])) {
				until--
			}
			for until < end && strings.ContainsRune(".;,!", rune(answer[until])) {
				until++
			}
			out = append(out, Statement{Text: answer[last.Start:last.End], IDs: ids(answer[from+m[0] : from+m[1]]), Start: last.Start, End: until})
		}
		for _, s := range split(answer, at0(out, from), end) {
			out = append(out, Statement{Text: answer[s.Start:s.End], Start: s.Start, End: s.End})
		}
	}
	return out
}

// at0 returns where the text after the last statement begins, at least from.
func at0(out []Statement, from int) int {
	if n := len(out); n > 0 {
		return max(from, out[n-1].End)
	}
	return from
}

// split returns the sentences of answer[from:to] that contain text.
func split(answer string, from, to int) []text.Span {
	if from >= to {
		return nil
	}
	part := answer[from:to]
	masked := mask(part)
	var out []text.Span
	for _, s := range text.Sentences(masked) {
		words := part[s.Start:s.End]
		if !strings.ContainsFunc(marks.ReplaceAllString(words, ""), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			continue
		}
		lead := len(words) - len(strings.TrimLeft(words, " \t.,;"))
		words = strings.TrimRight(words[lead:], " \t\r\n")
		out = append(out, text.Span{Start: from + s.Start + lead, End: from + s.Start + lead + len(words)})
	}
	return out
}

// mask overwrites the text between “ and ”, including nested marks, so nothing in it ends a
// sentence. It leaves a mark without its partner.
func mask(part string) string {
	out := []byte(part)
	var open []int
	for i, r := range part {
		switch r {
		case '“':
			open = append(open, i)
		case '”':
			if n := len(open); n > 0 {
				from := open[n-1] + len("“")
				copy(out[from:i], strings.Repeat("x", i-from))
				open = open[:n-1]
			}
		}
	}
	return string(out)
}

// ids returns the IDs in a mark, each once, in order.
func ids(mark string) []string {
	var out []string
	for _, id := range markID.FindAllString(mark, -1) {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// without returns an answer without some of its statements, and without lines that then have no
// statement.
func without(answer string, drop []Statement) string {
	var b strings.Builder
	last := 0
	for _, s := range drop {
		if s.Start < last {
			continue
		}
		b.WriteString(answer[last:s.Start])
		last = s.End
	}
	b.WriteString(answer[last:])
	var lines []string
	for _, line := range strings.Split(b.String(), "\n") {
		if strings.ContainsFunc(marks.ReplaceAllString(line, ""), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			lines = append(lines, strings.TrimRight(line, " \t"))
		}
	}
	return strings.Join(lines, "\n")
}

// bare returns a statement without quotation marks and final punctuation.
func bare(s string) string { return strings.Trim(oneLine(s), "“”\"' .;:") }

// quotation returns the line of an answer that quotes requirements with the same words.
func quotation(r Requirement) string {
	return "- “" + r.Spoken() + "” [" + strings.Join(append([]string{r.ID}, r.SameAs...), ", ") + "]"
}
