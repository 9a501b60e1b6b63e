package evidence

import (
	"fmt"
	"slices"
	"strings"

	"example.com/assay/decide/obligation"
	"example.com/assay/llm"
	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// Missing returns the topics of a question that no passage covers: words of its subject that
// occur in no passage, or only where the text has a placeholder. Neighbouring words form one
// topic.
func Missing(question string, hits []state.Hit) []string {
	written := map[string]bool{}
	var open []gap
	for _, h := range hits {
		w, gaps := speaks(h.Passage)
		for _, stem := range w {
			written[stem] = true
		}
		open = append(open, gaps...)
	}
	var absent, unwritten []obligation.SubjectWord
	for _, w := range obligation.Subject(question) {
		switch {
		case obligation.Within(written, w.Stem):
		case slices.ContainsFunc(open, func(g gap) bool { return obligation.Within(g.stems, w.Stem) }):
			unwritten = append(unwritten, w)
		default:
			absent = append(absent, w)
		}
	}
	var out []string
	for _, topic := range topics(question, absent) {
		out = append(out, "no passage that was read speaks of "+topic)
	}
	for _, g := range open {
		of := slices.DeleteFunc(slices.Clone(unwritten), func(w obligation.SubjectWord) bool { return !obligation.Within(g.stems, w.Stem) })
		if len(of) > 0 {
			out = append(out, fmt.Sprintf("%s: the text is not written yet: %s: %q", strings.Join(topics(question, of), ", "), g.where, g.words))
		}
	}
	return out
}

// A gap is a sentence with a placeholder.
type gap struct {
	stems map[string]bool // of the sentence, and of the headings of its passage
	where string
	words string // the placeholder
}

// speaks returns the stems of a passage's text, and its gaps. If the passage has a gap, its heading
// does not count: the passage may lack what the heading announces.
func speaks(p state.Passage) (written []string, gaps []gap) {
	open := obligation.Placeholders(p.Text)
	over := text.Terms(p.Title+"\n"+p.Section, text.DocStops)
	if len(open) == 0 {
		return append(text.Terms(p.Text, text.DocStops), over...), nil
	}
	for _, s := range text.Sentences(p.Text) {
		terms := text.Terms(p.Text[s.Start:s.End], text.DocStops)
		at := slices.IndexFunc(open, func(o text.Span) bool { return o.Start < s.End && s.Start < o.End })
		if at < 0 {
			written = append(written, terms...)
			continue
		}
		g := gap{stems: map[string]bool{}, words: llm.Cut(oneLine(p.Text[open[at].Start:open[at].End]), mostShown)}
		g.where = fmt.Sprintf("%s, bytes %d–%d", p.Where(), p.Start+open[at].Start, p.Start+open[at].End)
		for _, stem := range append(terms, over...) {
			g.stems[stem] = true
		}
		gaps = append(gaps, g)
	}
	return written, gaps
}

// topics returns words in the question's spelling, in quotation marks. Words separated only by
// spaces form one topic.
func topics(question string, list []obligation.SubjectWord) []string {
	var out []string
	for i := 0; i < len(list); {
		from, to := list[i].Start, list[i].End
		for i++; i < len(list) && strings.TrimSpace(question[to:list[i].Start]) == ""; i++ {
			to = list[i].End
		}
		out = append(out, "“"+oneLine(question[from:to])+"”")
	}
	return out
}
