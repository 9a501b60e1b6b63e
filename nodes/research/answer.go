package research

import (
	"context"
	"errors"

	"example.com/assay/nodes/verify"
	"example.com/assay/state"
)

// A Locator finds the file whose bytes a passage's offsets count, and the file
// that it was extracted from, if it is not the same. memory.Corpus is one.
type Locator interface {
	TextPath(source string) (path, original string, err error)
}

// Result turns a finished run into the answer that is printed. It reads the
// cited files once more: a source whose file no longer holds the passage is
// marked stale, and its quotes do not count as exact.
func Result(final state.Agent, runErr error, files Locator) state.Answer {
	a := state.Answer{
		Schema: state.AnswerSchema, Pipeline: "research", End: state.End{Status: status(final, runErr)}, Question: final.Objective,
		Answer: final.Answer, Choice: final.Choice.Letter, Sources: []state.Source{}, Confidence: final.MeanConfidence(), Warnings: final.Warnings,
		Metrics: state.RunMetrics{Metrics: final.Metrics, NodeMS: map[string]float64{}, NodeUsage: map[string]state.ModelUsage{}},
	}
	switch {
	case runErr != nil:
		a.Error = runErr.Error()
	case a.Status == state.StatusFailed:
		a.Error = stoppedBy(final.Plan)
	}
	a.Verification.ClaimCheck = final.Check
	for i, c := range Cited(final) {
		source := sourceOf(i+1, c, files)
		a.Sources = append(a.Sources, source)
		a.Verification.QuotesChecked += len(source.Quotes)
		if source.Stale == "" {
			a.Verification.QuotesExact += len(source.Quotes)
		}
	}
	return a
}

func status(final state.Agent, runErr error) state.Status {
	switch {
	case errors.Is(runErr, context.Canceled) || errors.Is(runErr, context.DeadlineExceeded):
		return state.StatusCancelled
	case runErr != nil:
		return state.StatusFailed
	case !final.Injection.Safe:
		return state.StatusRejected
	case final.Count(state.StepCompleted) > 0:
		return state.StatusAnswered
	case stoppedBy(final.Plan) != "":
		return state.StatusFailed
	}
	return state.StatusNoEvidence
}

// stoppedBy returns the first error of the model or the index that stopped a
// step, which is not the same as finding nothing.
func stoppedBy(plan []state.Step) string {
	for _, step := range plan {
		if step.Error != "" {
			return step.Error
		}
	}
	return ""
}

func sourceOf(n int, c CitedSource, files Locator) state.Source {
	s := verify.SourceOf(c.Hit.Passage, files)
	s.N, s.Query, s.Source = n, c.Step, c.N
	for _, q := range c.Quotes {
		s.Quotes = append(s.Quotes, state.QuoteSpan{Start: q.Start, End: q.End, Text: q.Text})
	}
	return s
}
