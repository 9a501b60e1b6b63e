package causal

import (
	"fmt"
	"slices"

	"example.com/assay/nodes/pipeline"
	"example.com/assay/nodes/verify"
	"example.com/assay/state"
)

// A Library finds the passages of a corpus and their files, as memory.Corpus does.
type Library interface {
	verify.Locator
	Passage(id string) (p state.Passage, ok bool, err error)
}

// An Answer is the result of a run, as `agent edges verify --json` prints it: a state.Answer with
// the edges, the graph and the audit.
type Answer struct {
	state.Answer
	Edges []Edge             `json:"edges"` // in the order of the draft
	DAG   DAG                `json:"dag"`
	Audit []state.AuditEntry `json:"audit"`
}

// Result turns a finished run into its answer. Sources are the passages that edges quote. Each is
// read again from its file, and marked stale if the file no longer contains it. The answer of a
// failed or stopped run has the error and the edges in its state: see Kept.
func Result(final State, runErr error, library Library) (Answer, error) {
	edges := final.Edges
	a := Answer{
		Answer: state.Answer{
			Schema: state.AnswerSchema, Pipeline: "edges", End: End(final, runErr), Sources: []state.Source{}, Warnings: united(nil, final.Warnings),
			Metrics: state.RunMetrics{Metrics: state.Metrics{ModelUsage: final.Usage, HasAnswer: runErr == nil}, NodeMS: map[string]float64{}},
		},
		Edges: nonNil(edges), DAG: final.DAG, Audit: nonNil(final.Audit),
	}
	grounded, open, confidence := 0, 0, 0.0
	for _, e := range edges {
		if e.Status == EdgeGrounded {
			grounded++
			confidence += e.Confidence
		}
		if unknown(e) {
			open++
		}
	}
	if grounded > 0 {
		a.Confidence = confidence / float64(grounded)
	}
	a.Answer.Answer = fmt.Sprintf("%d of %d edges are grounded.", grounded, len(final.Drafts))
	if open > 0 {
		a.Answer.Answer += fmt.Sprintf(" Nothing is known of %d, since calls were lost.", open)
	}
	if runErr != nil {
		a.DAG = NewDAG(edges)
	}
	return a, a.quote(library)
}

// quote lists the passages that edges quote; none without a library.
func (a *Answer) quote(library Library) error {
	if _, nobody := library.(pipeline.Elsewhere); nobody {
		return nil
	}
	at := map[string]int{}
	for _, e := range a.Edges {
		for _, q := range e.Evidence.Quotes {
			i, ok := at[q.Passage]
			if !ok {
				p, known, err := library.Passage(q.Passage)
				if err != nil {
					return fmt.Errorf("citing edge %q: %w", e.ID, err)
				}
				if !known {
					a.Warnings = append(a.Warnings, fmt.Sprintf("the corpus no longer holds passage %s, which edge %s quotes", q.Passage, e.ID))
					continue
				}
				i = len(a.Sources)
				at[q.Passage] = i
				s := verify.SourceOf(p, library)
				s.N = i + 1
				a.Sources = append(a.Sources, s)
			}
			s := &a.Sources[i]
			span := state.QuoteSpan{Start: q.Start, End: q.End, Text: q.Text}
			if slices.Contains(s.Quotes, span) {
				continue
			}
			s.Quotes = append(s.Quotes, span)
			a.Verification.QuotesChecked++
			if s.Stale == "" {
				a.Verification.QuotesExact++
			}
		}
	}
	return nil
}

// End returns how a run ended. A run with a grounded edge is answered, even if it rejected others.
func End(final State, runErr error) state.End {
	o := state.Outcome{Err: runErr, Grounded: true, Losses: slices.Clone(final.Losses), Searched: state.Searched{Queries: []string{}}}
	for _, e := range final.Edges {
		o.Answered = o.Answered || e.Status == EdgeGrounded
		for _, r := range e.Evidence.RetrievalTrace {
			o.Searched.Queries = united(o.Searched.Queries, r.Queries)
		}
	}
	return o.End()
}

// unknown reports whether the run learned nothing about an edge.
func unknown(e Edge) bool {
	return e.Rejection.Reason == RejectedUnavailable || e.Rejection.Reason == RejectedSearch
}
