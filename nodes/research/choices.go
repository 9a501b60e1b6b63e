package research

import (
	"strings"

	"example.com/assay/memory/text/pattern"
	"example.com/assay/skills"
)

var (
	// choiceHeader introduces the options.
	choiceHeader = pattern.New(`(?im)^[ \t]*(?:answer[ \t]+)?(?:choices|options)[ \t]*:[ \t]*`)
	// inlineHeader is choiceHeader in the middle of a line.
	inlineHeader = pattern.New(`(?i)\b(?:answer[ \t]+choices|choices|options)[ \t]*:[ \t]*`)
	// lineLabel starts a line: "A.", "(A)", "A)", "A:", also in lower case and
	// as a list item.
	lineLabel = pattern.New(`(?m)^[ \t]*(?:[-*][ \t]+)?(?:\(([A-Za-z])\)|([A-Za-z])[.):])[ \t]+`)
	// inlineLabel stands between words: "(A)" or "A)".
	inlineLabel = pattern.New(`(?:^|[\s;,])(?:\(([A-Z])\)|([A-Z])\))[ \t]+`)
	// looseLabel is inlineLabel with "A." and "A:", for text after a header.
	looseLabel = pattern.New(`(?:^|[\s;,])(?:\(([A-Za-z])\)|([A-Z])[.):])[ \t]+`)
)

// splitChoices separates a multiple-choice question into its stem and its options. It recognises
// options on separate lines, options in running text marked (A) or A), and both after a heading
// such as "Answer choices:". A question without at least two options in the order A, B, … is only a
// stem.
func splitChoices(question string) (stem string, choices []skills.Choice) {
	if at := choiceHeader.FindStringIndex(question); at != nil {
		if c := options(question[at[1]:], lineLabel); c != nil {
			return strings.TrimSpace(question[:at[0]]), c
		}
	}
	if at := inlineHeader.FindStringIndex(question); at != nil {
		if c := options(question[at[1]:], looseLabel); c != nil {
			return strings.TrimSpace(question[:at[0]]), c
		}
	}
	for _, label := range []*pattern.Pattern{lineLabel, inlineLabel} {
		for _, at := range label.FindAllStringIndex(question, -1) {
			if c := options(question[at[0]:], label); c != nil {
				return strings.TrimSpace(question[:at[0]]), c
			}
		}
	}
	return strings.TrimSpace(question), nil
}

// options reads A, B, C … from text, which must begin with A. A label out of order is part of the
// previous option.
func options(text string, label *pattern.Pattern) []skills.Choice {
	var choices []skills.Choice
	begin := 0
	finish := func(end int) {
		if n := len(choices); n > 0 {
			choices[n-1].Text = strings.Join(strings.Fields(strings.TrimRight(text[begin:end], " \t\n;,")), " ")
		}
	}
	for _, m := range label.FindAllStringSubmatchIndex(text, -1) {
		letter := ""
		for group := 2; group < len(m); group += 2 {
			if m[group] >= 0 {
				letter = strings.ToUpper(text[m[group]:m[group+1]])
			}
		}
		if len(choices) == 26 || letter != string(rune('A'+len(choices))) {
			continue
		}
		if len(choices) == 0 && strings.TrimSpace(text[:m[0]]) != "" {
			return nil
		}
		finish(m[0])
		choices = append(choices, skills.Choice{Letter: letter})
		begin = m[1]
	}
	finish(len(text))
	if len(choices) < 2 {
		return nil
	}
	for _, c := range choices {
		if c.Text == "" {
			return nil
		}
	}
	return choices
}
