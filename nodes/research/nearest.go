package research

import (
	"slices"
	"strings"

	"example.com/assay/llm"
	"example.com/assay/memory/answer"
	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// longestShown bounds the line of a passage that is shown, in bytes, and the words that
// are named.
const (
	longestShown = 200
	mostNamed    = 5
)

// nearest is the passage that comes nearest to an unanswered question, with the reason why
// it does not answer; nil when nothing was found.
func nearest(final state.Agent, files Locator) *state.Nearest {
	step, ok := closest(final.Plan)
	if !ok {
		return nil
	}
	question := asked(final, step)
	passage, line := step.Hits[0].Passage, ""
	if list := answer.Rank(question, readable(step.Hits), &answer.Options{Most: 1}).Quotes; len(list) > 0 {
		passage = step.Hits[list[0].Source].Passage
		line = passage.Text[list[0].Start:list[0].End]
	} else {
		line, _, _ = strings.Cut(strings.TrimSpace(passage.Text), "\n")
	}
	n := &state.Nearest{Where: passage.Where(), Doc: passage.Doc, Start: passage.Start, End: passage.End, Line: llm.Cut(strings.Join(strings.Fields(line), " "), longestShown)}
	n.Why = whyNot(question, passage, step)
	if files != nil {
		source := sourceOf(0, CitedSource{Hit: state.Hit{Passage: passage}}, files)
		n.Path, n.Original = source.Path, source.Original
	}
	return n
}

// closest is the step whose passages are nearest to what it asks; the first of equals.
func closest(plan []state.Step) (state.Step, bool) {
	var best state.Step
	for _, step := range plan {
		if len(step.Hits) > 0 && (len(best.Hits) == 0 || step.Confidence > best.Confidence) {
			best = step
		}
	}
	return best, len(best.Hits) > 0
}

// whyNot names the words of a question that no read passage has, else those that this one
// lacks.
func whyNot(question string, passage state.Passage, step state.Step) string {
	var read []string
	for _, h := range step.Hits {
		read = append(read, wordsOf(h.Passage.Title+" "+h.Passage.Section+" "+h.Passage.Text)...)
	}
	slices.Sort(read)
	if list := absent(question, slices.Compact(read)); len(list) > 0 {
		return "no passage that was read has " + strings.Join(list, ", ")
	}
	if list := absent(question, wordsOf(passage.Title+" "+passage.Section+" "+passage.Text)); len(list) > 0 {
		return "it does not have " + strings.Join(list, ", ") + ", which other passages have"
	}
	return "it has words of the question, and none of its sentences says what was asked"
}

// absent are the words that say what a question is about and are not among others,
// in quotation marks.
func absent(question string, words []string) []string {
	lang := text.LanguageOf(question)
	var out []string
	for _, t := range topicOf(question) {
		if !among(t, words, lang) && len(out) < mostNamed {
			out = append(out, "“"+t+"”")
		}
	}
	return out
}
