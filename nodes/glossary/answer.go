package glossary

import (
	"fmt"

	"example.com/assay/nodes/pipeline"
	"example.com/assay/nodes/verify"
	"example.com/assay/state"
	"example.com/assay/state/proof"
)

// An Answer is the result of a run: the answer's schema, with the definitions.
type Answer struct {
	state.Answer
	Terms []Shown `json:"terms"`
}

// A Shown definition has its source in the answer.
type Shown struct {
	Term   string      `json:"term"`
	Quote  state.Quote `json:"quote"`
	Source int         `json:"source"` // N of the source
}

// Result turns a finished run into its answer. It reads each file again: a source that no longer
// contains its definition is marked stale.
func Result(final State, runErr error, files pipeline.Library) *Answer {
	a := &Answer{Answer: state.FailedAnswer("glossary", final.Term, state.Outcome{
		Err: runErr, Answered: len(final.Terms) > 0, Grounded: true, Searched: state.Searched{Queries: []string{final.Term}},
	}.End()), Terms: []Shown{}}
	switch passages := proof.Count(final.Read, "passage"); {
	case runErr != nil:
	case len(final.Terms) == 0 && final.Term == Every:
		a.Answer.Answer = "No definition was found in " + passages + "."
	case len(final.Terms) == 0:
		a.Answer.Answer = fmt.Sprintf("No definition of “%s” was found in %s.", final.Term, passages)
	default:
		a.Answer.Answer = fmt.Sprintf("%s in %s.", proof.Count(len(final.Terms), "definition"), passages)
	}
	at := map[string]int{}
	for _, d := range final.Terms {
		n, known := at[d.Passage.ID]
		if !known {
			s := verify.SourceOf(d.Passage, files)
			s.N = len(a.Sources) + 1
			a.Sources = append(a.Sources, s)
			n, at[d.Passage.ID] = s.N, s.N
		}
		s := &a.Sources[n-1]
		s.Quotes = append(s.Quotes, state.QuoteSpan{Start: d.Quote.Start, End: d.Quote.End, Text: d.Quote.Text})
		a.Verification.QuotesChecked++
		if s.Stale == "" {
			a.Verification.QuotesExact++
		}
		a.Terms = append(a.Terms, Shown{d.Term, d.Quote, n})
	}
	return a
}
