package verify

import (
	"fmt"
	"slices"
	"strings"

	"example.com/assay/state"
)

// An Answer is the result of a run, as `agent verify --json` prints it: a state.Answer whose text
// is the given response, and the attempted corrections.
type Answer struct {
	state.Answer
	FinalResponse string         `json:"final_response"`       // the given response, with unsupported claims marked
	Correction    *Correction    `json:"correction,omitempty"` // nil if no correction is better supported
	Attempts      int            `json:"attempts"`             // corrections that were judged
	History       []ShownAttempt `json:"verification_history"`
	Additional    []state.Source `json:"additional_context_used"` // passages that corrections read
}

// A Correction is a suggested version of the response. It does not affect the verdicts on the
// response, the status or the exit code.
type Correction struct {
	Response   string               `json:"response"` // with unsupported claims marked
	Confidence float64              `json:"confidence"`
	IsGrounded bool                 `json:"is_grounded"`
	Supported  int                  `json:"claims_supported"`
	Checked    int                  `json:"claims_checked"`
	Claims     []state.CheckedClaim `json:"claims"` // with their quotes
	Sources    []state.Source       `json:"sources"`
}

// A ShownAttempt is a version of the response in an Answer; the first is the given response.
type ShownAttempt struct {
	N          int               `json:"n"`
	Confidence float64           `json:"confidence"`
	IsGrounded bool              `json:"is_grounded"`
	Response   string            `json:"response"`
	Supported  int               `json:"claims_supported"`
	Checked    int               `json:"claims_checked"`
	Queries    []CorrectiveQuery `json:"queries,omitempty"`
}

// Result turns a finished run into its answer. Sources are the passages that verdicts quote, in the
// order of the evidence. If a run was stopped while it wrote a correction, the response has been
// judged: the reason is then a loss, unless the run was cancelled.
func Result(final State, runErr error, files Locator) Answer {
	check := Check(final)
	given, judged := final.Given()
	losses := final.Losses
	if judged && final.Final == "" {
		final.Final = Treat(given.Response, given.Verdicts, MarkUnsupported)
	}
	if judged && state.CauseOf(runErr) != "" {
		losses, runErr = append(slices.Clone(losses), state.LossOf(theCorrection, runErr)), nil
	}
	a := Answer{
		Answer: state.Answer{
			Schema: state.AnswerSchema, Pipeline: "verify", Question: final.Query, Answer: final.Final,
			Confidence: check.Confidence, Verification: state.Verification{ClaimCheck: &check}, Warnings: final.Warnings,
			Metrics: state.RunMetrics{Metrics: state.Metrics{ModelUsage: final.Usage, HasAnswer: final.Final != ""}, NodeMS: map[string]float64{}},
		},
		FinalResponse: final.Final, Attempts: check.CRAGAttempts, History: []ShownAttempt{}, Additional: []state.Source{},
	}
	a.End = state.Outcome{
		Err: runErr, Answered: judged && (check.ClaimsChecked == 0 || check.ClaimsUnjudged < check.ClaimsChecked),
		Grounded: check.IsGrounded, Losses: losses, Why: why(final, check),
	}.End()
	a.Sources = quoted(final.Evidence, check.Claims, files)
	for _, s := range a.Sources {
		a.Verification.QuotesChecked += len(s.Quotes)
		if s.Stale == "" {
			a.Verification.QuotesExact += len(s.Quotes)
		}
	}
	if best, _ := final.Best(); final.Corrected != "" && best.Response != given.Response {
		claims := CheckOf(best).Claims
		a.Correction = &Correction{
			Response: final.Corrected, Confidence: best.Confidence, IsGrounded: best.Grounded, Supported: best.Counts(state.Supported),
			Checked: len(best.Verdicts), Claims: claims, Sources: quoted(final.Evidence, claims, files),
		}
	}
	for _, t := range final.Attempts {
		a.History = append(a.History, ShownAttempt{
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

// NothingChecked says why a response without a claim is not grounded.
const NothingChecked = "Nothing was checked: the response states no fact that evidence could support."

// why says why a response is not grounded.
func why(final State, check state.ClaimCheck) string {
	without := check.ClaimsChecked - check.ClaimsSupported - check.ClaimsUnjudged
	switch {
	case check.ClaimsChecked == 0:
		return NothingChecked
	case without == 0:
		return ""
	case check.ClaimsSupported == 0 && foundNothing(final):
		return "Not grounded: no claim is supported, and the corpus holds nothing on any of them."
	case without == 1:
		return fmt.Sprintf("Not grounded: 1 of %d claims is not supported by the evidence.", check.ClaimsChecked)
	}
	return fmt.Sprintf("Not grounded: %d of %d claims are not supported by the evidence.", without, check.ClaimsChecked)
}

// notHeld is the confidence of a search below which the corpus does not contain the claim.
const notHeld = 0.35

// foundNothing reports whether the corpus was searched for every claim, contains none of them, and
// was the only evidence.
func foundNothing(final State) bool {
	given, _ := final.Given()
	for _, v := range given.Verdicts {
		at := searched(final, v.Spoken())
		if at < 0 || final.Searches[at].Error != "" || final.Searches[at].Confidence >= notHeld {
			return false
		}
	}
	return !slices.ContainsFunc(final.Evidence, func(e state.Evidence) bool { return !strings.HasPrefix(e.Label, foundLabel) })
}

// quoted returns the passages that claims quote, in the order of the evidence.
func quoted(evidence []state.Evidence, claims []state.CheckedClaim, files Locator) []state.Source {
	sources := []state.Source{}
	for _, e := range evidence {
		if quotes := quotesOf(claims, e.Passage.ID); len(quotes) > 0 {
			s := SourceOf(e.Passage, files)
			s.N, s.Label, s.Quotes, s.Where = len(sources)+1, e.Label, quotes, e.Passage.WhereIn(quotes)
			sources = append(sources, s)
		}
	}
	return sources
}

// quotesOf returns the verdicts' quotes from a passage, each span once, in the order of the claims.
func quotesOf(claims []state.CheckedClaim, passage string) []state.QuoteSpan {
	var spans []state.QuoteSpan
	for _, c := range claims {
		for _, q := range slices.Concat(c.Evidence, c.Against) {
			span := state.QuoteSpan{Start: q.Start, End: q.End, Text: q.Text}
			if q.Passage == passage && !slices.Contains(spans, span) {
				spans = append(spans, span)
			}
		}
	}
	return spans
}
