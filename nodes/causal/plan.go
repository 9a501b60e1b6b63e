package causal

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"example.com/assay/graph"
	"example.com/assay/state"
)

// plan sends each edge to a loop of its own. An edge from a variable to itself
// is rejected here: no document can show it.
func plan() graph.Node[state.Causal] {
	return func(_ context.Context, s state.Causal) (graph.Update[state.Causal], error) {
		if len(s.Drafts) == 0 {
			return nil, errors.New("planning: there is no edge to verify")
		}
		var sends []graph.Send[state.Causal]
		var update graph.Update[state.Causal]
		for _, e := range s.Drafts {
			if Variable(e.FromVar) == Variable(e.ToVar) {
				e.Status = state.EdgeRejected
				e.Rejection = state.Rejection{Reason: state.RejectedSelfLoop, Detail: "cause and effect are one variable"}
				update = append(update, state.CausalEdges.Add(e), state.CausalAudit.Add(state.AuditEntry{
					Edge: e.ID, Node: NodePlan, Queries: []string{}, Passages: []string{}, Decision: state.EdgeReject, Note: e.Rejection.Detail,
					Verdict: state.VerificationVerdict{SupportType: state.Irrelevant, RejectionReason: state.RejectedSelfLoop},
				}))
				continue
			}
			sends = append(sends, graph.Send[state.Causal]{Node: NodeEdge, State: state.Causal{Sent: e}})
		}
		if len(sends) == 0 {
			return append(update, graph.Goto[state.Causal](NodeAssemble)), nil
		}
		return append(update, graph.Goto[state.Causal]().Sends(sends...)), nil
	}
}

// assemble draws the graph of the grounded edges. plan rejects edges from a variable to
// itself before all others; assemble puts the edges back into the order of the draft.
func assemble() graph.Node[state.Causal] {
	return func(_ context.Context, s state.Causal) (graph.Update[state.Causal], error) {
		place := map[string]int{}
		for i, e := range s.Drafts {
			place[e.ID] = i
		}
		inOrder := func(a, b state.Edge) int { return cmp.Compare(place[a.ID], place[b.ID]) }
		if slices.IsSortedFunc(s.Edges, inOrder) {
			return graph.Update[state.Causal]{state.CausalGraph.Set(DAG(s.Edges))}, nil
		}
		edges, audit := slices.Clone(s.Edges), slices.Clone(s.Audit)
		slices.SortStableFunc(edges, inOrder)
		slices.SortStableFunc(audit, func(a, b state.AuditEntry) int { return cmp.Compare(place[a.Edge], place[b.Edge]) })
		return graph.Update[state.Causal]{state.CausalEdges.Overwrite(edges), state.CausalAudit.Overwrite(audit), state.CausalGraph.Set(DAG(edges))}, nil
	}
}

// drafted is what drafting gives of an edge.
func drafted(e state.Edge) state.Edge {
	e = e.Clone()
	e.Status, e.Confidence, e.Evidence, e.Rejection = state.EdgeDraft, 0, state.EvidenceBundle{}, state.Rejection{}
	if e.Strength == "" {
		e.Strength = state.Moderate
	}
	e.Assumptions, e.Conditions = nonNil(e.Assumptions), nonNil(e.Conditions)
	return e
}

func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
