package causal

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"example.com/assay/graph"
	"example.com/assay/state"
)

// plan sends each edge to its own loop. It rejects an edge from a variable to itself, which no
// document can show.
func plan() graph.Node[State] {
	return func(_ context.Context, s State) (graph.Update[State], error) {
		if len(s.Drafts) == 0 {
			return nil, errors.New("planning: there is no edge to verify")
		}
		var sends []graph.Send[State]
		var update graph.Update[State]
		for _, e := range s.Drafts {
			if Variable(e.FromVar) == Variable(e.ToVar) {
				e.Status = EdgeRejected
				e.Rejection = Rejection{Reason: RejectedSelfLoop, Detail: "cause and effect are one variable"}
				update = append(update, edgesChannel.Add(e), auditChannel.Add(state.AuditEntry{
					Edge: e.ID, Node: NodePlan, Queries: []string{}, Passages: []string{}, Decision: state.EdgeReject, Note: e.Rejection.Detail,
					Verdict: state.VerificationVerdict{SupportType: state.Irrelevant, RejectionReason: RejectedSelfLoop},
				}))
				continue
			}
			sends = append(sends, graph.Send[State]{Node: NodeEdge, State: State{Sent: e}})
		}
		if len(sends) == 0 {
			return append(update, graph.Goto[State](NodeAssemble)), nil
		}
		return append(update, graph.Goto[State]().Sends(sends...)), nil
	}
}

// assemble builds the graph of the grounded edges. It restores the draft's order of the edges,
// since plan rejects some of them first.
func assemble() graph.Node[State] {
	return func(_ context.Context, s State) (graph.Update[State], error) {
		place := map[string]int{}
		for i, e := range s.Drafts {
			place[e.ID] = i
		}
		inOrder := func(a, b Edge) int { return cmp.Compare(place[a.ID], place[b.ID]) }
		if slices.IsSortedFunc(s.Edges, inOrder) {
			return graph.Update[State]{dagChannel.Set(NewDAG(s.Edges))}, nil
		}
		edges, audit := slices.Clone(s.Edges), slices.Clone(s.Audit)
		slices.SortStableFunc(edges, inOrder)
		slices.SortStableFunc(audit, func(a, b state.AuditEntry) int { return cmp.Compare(place[a.Edge], place[b.Edge]) })
		return graph.Update[State]{edgesChannel.Overwrite(edges), auditChannel.Overwrite(audit), dagChannel.Set(NewDAG(edges))}, nil
	}
}

// drafted returns an edge with only its drafted fields.
func drafted(e Edge) Edge {
	e = e.Clone()
	e.Status, e.Confidence, e.Evidence, e.Rejection = EdgeDraft, 0, EvidenceBundle{}, Rejection{}
	if e.Strength == "" {
		e.Strength = Moderate
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
