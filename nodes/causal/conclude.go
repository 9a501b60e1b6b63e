package causal

import (
	"slices"
	"strings"

	"example.com/assay/state"
)

// conclude returns the edge of a finished loop, with its status, its confidence, its evidence and
// what the adversary added. The evidence lists every search with the verdicts that used it, also
// for a rejected edge.
func conclude(s edgeLoop) Edge {
	e := s.Edge.Clone()
	e.Status, e.Rejection = EdgeRejected, s.Rejection
	if s.Decision == state.EdgeAccept {
		e.Status, e.Rejection = EdgeGrounded, Rejection{}
	}
	e.Confidence = s.Verdict.Confidence
	if o := s.Objection; o != nil {
		e.Assumptions, e.Conditions = united(e.Assumptions, o.Assumptions), united(e.Conditions, o.Conditions)
	}
	e.Evidence = EvidenceBundle{Quotes: []state.Quote{}, RetrievalTrace: used(s)}
	for _, q := range s.Quotes {
		if !slices.Contains(e.Evidence.Quotes, q) {
			e.Evidence.Quotes = append(e.Evidence.Quotes, q)
		}
	}
	return e
}

// used records which verdicts read each search's hits, and which verdicts quote each hit.
func used(s edgeLoop) RetrievalTrace {
	trace := make(RetrievalTrace, len(s.Retrievals))
	for i, r := range s.Retrievals {
		r.Hits, r.ReadBy = slices.Clone(r.Hits), []int{}
		for _, a := range s.Audit {
			if len(r.Hits) > 0 && slices.Contains(a.Passages, r.Hits[0].Passage) {
				r.ReadBy = append(r.ReadBy, a.N)
			}
			for j, h := range r.Hits {
				if a.Counts && quotes(a, h.Passage, s.Quotes) {
					r.Hits[j].Quoted = append(slices.Clone(r.Hits[j].Quoted), a.N)
				}
			}
		}
		trace[i] = r
	}
	return trace
}

func quotes(a state.AuditEntry, passage string, located []state.Quote) bool {
	return slices.ContainsFunc(located, func(q state.Quote) bool {
		return q.Passage == passage && q.Text == strings.TrimSpace(a.Verdict.SupportingQuote)
	})
}

// united returns a and the elements of b that a lacks.
func united(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return nonNil(out)
}
