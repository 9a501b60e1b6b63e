package research

import (
	"strconv"
	"strings"

	"example.com/assay/memory/text/pattern"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// quoteLine is a line of an answer that is a quotation: “…” [Query 1][Source 2].
var quoteLine = pattern.New(`^\s*(?:[-•*]\s+)?“(.+)”\s*\[Query (\d+)\]\[Source (\d+)\]`)

// quotesOf lists the quotations of an answer in order, as they are in their sources, each with the
// heading above it.
func quotesOf(final state.Agent, sources []state.Source) []state.ShownQuote {
	var out []state.ShownQuote
	head := ""
	shown := func(text string) string {
		if head == "" {
			return text
		}
		return strings.TrimSuffix(head, ":") + ": " + text
	}
	for _, line := range strings.Split(body(final.Answer), "\n") {
		m := quoteLine.FindStringSubmatch(line)
		if m == nil {
			if strings.TrimSpace(line) != "" {
				head = ""
			}
			if rest, ok := strings.CutPrefix(line, headMark); ok {
				head = rest
			}
			continue
		}
		for _, s := range sources {
			if strconv.Itoa(s.Query) != m[2] || strconv.Itoa(s.Source) != m[3] {
				continue
			}
			if start, end, ok := skills.Find(s.Text, m[1]); ok {
				text := s.Text[start:end]
				out = append(out, state.ShownQuote{Text: text, Shown: shown(text), Head: head, Source: s.N})
			}
		}
		head = ""
	}
	return out
}

// headMark begins the line of a headword, in an answer.
const headMark = "##### "
