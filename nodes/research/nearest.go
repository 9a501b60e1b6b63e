package research

import (
	"slices"
	"strings"

	"example.com/assay/llm"
	"example.com/assay/memory/answer"
	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// longestShown bounds the shown line of a passage, in bytes, and the named words.
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
	n.Why = whyNot(question, passage, step, files)
	if files != nil {
		source := sourceOf(0, CitedSource{Hit: state.Hit{Passage: passage}}, files)
		n.Path, n.Original = source.Path, source.Original
	}
	return n
}

// closest returns the step whose passages are nearest to its question, the first of equals.
func closest(plan []state.Step) (state.Step, bool) {
	var best state.Step
	for _, step := range plan {
		if len(step.Hits) > 0 && (len(best.Hits) == 0 || step.Confidence > best.Confidence) {
			best = step
		}
	}
	return best, len(best.Hits) > 0
}

// A vocabulary knows whether a corpus has a word, in any inflection. A Locator may be one.
type vocabulary interface {
	Mentions(word string) bool
}

// whyNot names the words of a question that the documents lack, else those that all passages that
// were read lack, else those that the nearest passage lacks.
func whyNot(question string, passage state.Passage, step state.Step, files Locator) string {
	var read []string
	for _, h := range step.Hits {
		read = append(read, wordsOf(h.Passage.Title+" "+h.Passage.Section+" "+h.Passage.Text)...)
	}
	slices.Sort(read)
	list := absent(question, slices.Compact(read))
	if why := nowhere(list, files); why != "" {
		return why
	}
	if len(list) > 0 {
		return "no passage that was found mentions " + quoted(list)
	}
	if list := absent(question, wordsOf(passage.Title+" "+passage.Section+" "+passage.Text)); len(list) > 0 {
		return "no sentence speaks of " + quoted(list) + " and the rest of the question together"
	}
	return "no sentence that was found surely says what was asked"
}

// nowhere names the words that the documents lack; "" if they have all, or if it is unknown.
func nowhere(words []string, files Locator) string {
	v, ok := files.(vocabulary)
	if !ok {
		return ""
	}
	if words = slices.DeleteFunc(slices.Clone(words), v.Mentions); len(words) == 0 {
		return ""
	}
	return "nothing in them mentions " + quoted(words)
}

// quoted lists words in quotation marks.
func quoted(words []string) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = "“" + w + "”"
	}
	if n := len(list); n > 1 {
		return strings.Join(list[:n-1], ", ") + " or " + list[n-1]
	}
	return strings.Join(list, "")
}

// absent returns the subject words of a question that are not among others.
func absent(question string, words []string) []string {
	lang := text.LanguageOf(question)
	var out []string
	for _, t := range topicOf(question) {
		if !among(t, words, lang) && len(out) < mostNamed {
			out = append(out, t)
		}
	}
	return out
}
