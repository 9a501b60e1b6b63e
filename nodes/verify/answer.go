package verify

import (
	"context"
	"errors"
	"slices"

	"example.com/assay/state"
)

// An Answer is what a run comes to, as `agent verify --json` prints it: the
// answer's schema, with the final response as its text, and the corrections.
type Answer struct {
	state.Answer
	FinalResponse string         `json:"final_response"`
	Attempts      int            `json:"attempts"` // corrections that were judged
	History       []Attempt      `json:"verification_history"`
	Additional    []state.Source `json:"additional_context_used"` // passages that corrections read
}

// An Attempt is one version of the response in an Answer.
type Attempt struct {
	N          int                     `json:"n"`
	Confidence float64                 `json:"confidence"`
	IsGrounded bool                    `json:"is_grounded"`
	Response   string                  `json:"response"`
	Supported  int                     `json:"claims_supported"`
	Checked    int                     `json:"claims_checked"`
	Queries    []state.CorrectiveQuery `json:"queries,omitempty"`
}

// Result turns a finished run into the answer that is printed. Sources are the
// passages that verdicts quote, in the order of the evidence. A run that failed
// or was stopped has the error; a response that is not grounded has the status
// no_evidence.
func Result(final state.Verify, runErr error, files Locator) Answer {
	check := Check(final)
	a := Answer{
		Answer: state.Answer{
			Schema: state.AnswerSchema, Pipeline: "verify", End: state.End{Status: status(check, runErr)}, Question: final.Query, Answer: final.Final,
			Sources: []state.Source{}, Confidence: check.Confidence, Verification: state.Verification{ClaimCheck: &check}, Warnings: final.Warnings,
			Metrics: state.RunMetrics{Metrics: state.Metrics{ModelUsage: final.Usage, HasAnswer: final.Final != ""}, NodeMS: map[string]float64{}},
		},
		FinalResponse: final.Final, Attempts: check.CRAGAttempts, History: []Attempt{}, Additional: []state.Source{},
	}
	if runErr != nil {
		a.Error = runErr.Error()
	}
	for _, e := range final.Evidence {
		if quotes := quotesOf(check, e.Passage.ID); len(quotes) > 0 {
			s := SourceOf(e.Passage, files)
			s.N, s.Label, s.Quotes = len(a.Sources)+1, e.Label, quotes
			a.Sources = append(a.Sources, s)
			a.Verification.QuotesChecked += len(quotes)
			if s.Stale == "" {
				a.Verification.QuotesExact += len(quotes)
			}
		}
	}
	for _, t := range final.Attempts {
		a.History = append(a.History, Attempt{
			N: t.N, Confidence: t.Confidence, IsGrounded: t.Grounded, Response: t.Response,
			Supported: t.Counts(state.Supported), Checked: len(t.Verdicts), Queries: t.Queries,
		})
		for _, id := range t.Added {
			at := slices.IndexFunc(final.Evidence, func(e state.Evidence) bool { return e.Passage.ID == id })
			s := SourceOf(final.Evidence[at].Passage, files)
			s.N, s.Label = len(a.Additional)+1, final.Evidence[at].Label
			a.Additional = append(a.Additional, s)
		}
	}
	return a
}

func status(check state.ClaimCheck, runErr error) state.Status {
	switch {
	case errors.Is(runErr, context.Canceled) || errors.Is(runErr, context.DeadlineExceeded):
		return state.StatusCancelled
	case runErr != nil:
		return state.StatusFailed
	case check.IsGrounded:
		return state.StatusAnswered
	}
	return state.StatusNoEvidence
}

// quotesOf returns what the verdicts quote from a passage, each span once, in
// the order of the claims.
func quotesOf(check state.ClaimCheck, passage string) []state.QuoteSpan {
	var spans []state.QuoteSpan
	for _, c := range check.Claims {
		for _, q := range slices.Concat(c.Evidence, c.Against) {
			span := state.QuoteSpan{Start: q.Start, End: q.End, Text: q.Text}
			if q.Passage == passage && !slices.Contains(spans, span) {
				spans = append(spans, span)
			}
		}
	}
	return spans
}
