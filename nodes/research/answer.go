package research

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/nodes/verify"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// A Locator finds the file that a passage's offsets refer to, and the file that it was
// extracted from, if that is another. memory.Corpus is one.
type Locator interface {
	TextPath(source string) (path, original string, err error)
}

// Result turns a finished run into the printed answer. It reads the cited files again: a
// source whose file no longer contains the passage is marked stale, and its quotes do not
// count as exact.
func Result(final state.Agent, runErr error, files Locator) state.Answer {
	a := state.Answer{
		Schema: state.AnswerSchema, Pipeline: "research", Question: cmp.Or(final.Asked, final.Objective), Respelt: respellings(final.Plan...),
		Answer: final.Answer, Choice: final.Choice.Letter, Sources: []state.Source{}, Warnings: text.Distinct(final.Warnings),
		Metrics: state.RunMetrics{Metrics: final.Metrics, NodeMS: map[string]float64{}, NodeUsage: map[string]state.ModelUsage{}},
	}
	if final.Asked != "" {
		a.Resolved = final.Objective
	}
	for i, c := range Cited(final) {
		source := sourceOf(i+1, c, files)
		a.Sources = append(a.Sources, source)
		a.Verification.QuotesChecked += len(source.Quotes)
		if source.Stale == "" {
			a.Verification.QuotesExact += len(source.Quotes)
		}
	}
	a.Quotes = quotesOf(final, a.Sources)
	a.Verification.ClaimCheck, a.Verification.Choice = final.Check, final.Choice.Check
	a.Verification.ClaimsQuoted = claimsQuoted(final.Check)
	if a.Relevance = relevance(final); a.Relevance != nil {
		a.Confidence = a.Relevance.Confidence
	}
	a.End = end(final, runErr, a.Verification)
	if named, ok := files.(interface{ Name() string }); ok && a.Searched != nil {
		a.Searched.Corpus = named.Name()
	}
	if runErr == nil {
		if a.Status == state.StatusNoEvidence {
			a.Nearest = nearest(final, files)
		}
		if n := note(a.End, a.Nearest, final); n != "" {
			a.Answer = withNote(a.Answer, n)
		} else if a.Status == state.StatusNoEvidence && !final.Whole.None() { // otherwise the answer already names the nearest passage
			a.Answer = strings.TrimSpace(a.Answer + " " + refusal(a.Nearest, final, files))
		}
	}
	return a
}

// refusal says why the documents do not answer, and what comes nearest, if anything was
// found.
func refusal(near *state.Nearest, final state.Agent, files Locator) string {
	if near != nil {
		return near.Words()
	}
	stem, _ := splitChoices(final.Objective)
	if why := nowhere(absent(stem, nil), files); why != "" {
		return strings.ToUpper(why[:1]) + why[1:] + "."
	}
	return ""
}

// Unfinished completes the answer of a run that was stopped or failed: its sums so far
// and, when there is no text yet, the steps that it completed.
func Unfinished(a *state.Answer, final state.Agent) {
	a.Metrics.Metrics = final.Sums()
	if a.Answer != "" {
		return
	}
	var b strings.Builder
	for _, step := range final.Plan {
		if step.Status == state.StepCompleted {
			answer := strings.ReplaceAll(step.Answer, "[Source ", fmt.Sprintf("[Query %d][Source ", step.ID))
			fmt.Fprintf(&b, "### Step %d: %s\n\n%s\n\n", step.ID, step.Phase, answer)
		}
	}
	a.Answer = strings.TrimSpace(b.String())
}

// End is the end of a run for its trace. It does not read the cited files again.
func End(final state.Agent, runErr error) state.End {
	return end(final, runErr, state.Verification{ClaimCheck: final.Check, Choice: final.Choice.Check})
}

// note is the text of an answer about its own end: what is missing, and why. A refusal
// says what comes nearest instead.
func note(e state.End, near *state.Nearest, final state.Agent) string {
	switch {
	case e.Status == state.StatusUngrounded, e.Status == state.StatusUnavailable:
		return e.Words()
	case e.Status == state.StatusNoEvidence && final.Stopped != "" && near == nil:
		return "No further step was planned: " + final.Stopped
	}
	return ""
}

// withNote inserts a note before an answer's list of sources, after a choice.
func withNote(answer, note string) string {
	if note == "" {
		return answer
	}
	if at := strings.LastIndex(answer, sourcesHeading); at >= 0 && !strings.Contains(answer[at:], choiceRule) {
		return answer[:at] + note + "\n\n" + answer[at:]
	}
	return strings.TrimSpace(answer + "\n\n" + note)
}

// end returns how a run ended.
func end(final state.Agent, runErr error, v state.Verification) state.End {
	o := state.Outcome{Err: runErr, Losses: final.Losses, Missing: slices.Clone(final.Whole.Missing), Searched: whereSearched(final)}
	o.Rejected = final.Injection.Checked && !final.Injection.Safe
	o.Answered = final.Count(state.StepCompleted) > 0 && !final.Whole.None()
	o.Grounded = allHold(v.ClaimCheck) && allHold(v.Choice) && v.QuotesExact == v.QuotesChecked
	if len(final.Choice.Options) > 0 && final.Choice.Letter == "" {
		o.Missing = append(o.Missing, "a choice that they support")
	}
	return o.End()
}

// allHold reports whether every claim of a check is supported. Unchecked claims do not
// count.
func allHold(check *state.ClaimCheck) bool {
	return check == nil || check.Unverified == "" && check.ClaimsSupported == check.ClaimsChecked
}

// whereSearched lists every query of a run once, in order.
func whereSearched(final state.Agent) state.Searched {
	s := state.Searched{Queries: []string{}}
	for _, step := range final.Plan {
		for _, q := range step.Queries {
			if !slices.Contains(s.Queries, q) {
				s.Queries = append(s.Queries, q)
			}
		}
	}
	return s
}

// claimsQuoted counts the supported claims that are a source's own words.
func claimsQuoted(check *state.ClaimCheck) int {
	n := 0
	if check == nil {
		return n
	}
	for _, c := range check.Claims {
		if c.Status == state.Supported && slices.ContainsFunc(c.Evidence, func(q state.Quote) bool {
			_, _, ok := skills.Find(q.Text, c.Claim)
			return ok
		}) {
			n++
		}
	}
	return n
}

func sourceOf(n int, c CitedSource, files Locator) state.Source {
	s := verify.SourceOf(c.Hit.Passage, files)
	s.N, s.Query, s.Source = n, c.Step, c.N
	for _, q := range c.Quotes {
		s.Quotes = append(s.Quotes, state.QuoteSpan{Start: q.Start, End: q.End, Text: q.Text})
	}
	s.Where = c.Hit.Passage.WhereIn(s.Quotes)
	return s
}
