package causal

import (
	"context"
	"fmt"

	"example.com/assay/graph"
	"example.com/assay/skills"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

// A ruling is the consequence of a verdict.
type ruling struct {
	decision   state.EdgeDecision
	rejection  Rejection // for EdgeReject
	refinement string    // for EdgeRefine
}

// routeVerdict decides the consequence of a verdict:
//
//   - A verdict that is grounded and direct_causal, with a quote that counts and a confidence at or
//     above the threshold, sends a strong edge to the adversary and accepts any other edge.
//   - Otherwise, a new refinement query is searched for while iterations are left. A repeated query
//     makes the edge not grounded: "exhausted_refinements".
//   - Otherwise the edge is rejected, with the reason.
//
// Judge is the skill that gave the verdict, for the audit.
func routeVerdict(o Options, judge skills.Skill, seen repeats) graph.Node[edgeLoop] {
	return func(ctx context.Context, s edgeLoop) (graph.Update[edgeLoop], error) {
		if !foundNew(s) {
			entry, update := nothingNew(s, o)
			return update, graph.Emit(ctx, event.Verdict, entry)
		}
		r := rule(s, o, seen)
		entry := audited(s, NodeJudge, judge, s.Model)
		entry.Verdict, entry.Decision = s.Verdict, r.decision
		entry.Counts, entry.Note = s.Failure == "" && s.Problem == (Rejection{}), joined(s.Failure, s.Problem.Detail)
		if r.decision == state.EdgeReject {
			entry.Note = joined(entry.Note, r.rejection.Detail)
			entry.Verdict.IsGrounded = false
			if r.rejection.Reason == RejectedRepeat {
				entry.Verdict.RejectionReason, entry.Counts = RejectedRepeat, false
			}
		}
		return graph.Update[edgeLoop]{
			loopDecisionChannel.Set(r.decision), loopRejectionChannel.Set(r.rejection), loopRefinementChannel.Set(r.refinement),
			loopVerdictChannel.Set(entry.Verdict), loopAuditChannel.Add(entry),
		}, graph.Emit(ctx, event.Verdict, entry)
	}
}

func rule(s edgeLoop, o Options, seen repeats) ruling {
	v := s.Verdict
	switch {
	case s.Failure != "":
		return rejected(RejectedUnavailable, s.Failure)
	case holds(s, o) && s.Edge.Strength == Strong && !o.SkipAdversarial:
		return ruling{decision: state.EdgeAttack}
	case holds(s, o):
		return ruling{decision: state.EdgeAccept}
	}
	why := grounds(s, o)
	switch earlier, repeated := seen.of(v.RefinementQuery, s.Tried); {
	case v.RefinementQuery == "":
		return ruling{decision: state.EdgeReject, rejection: why}
	case repeated:
		return rejected(RejectedRepeat, fmt.Sprintf("%q repeats %q; %s", v.RefinementQuery, earlier, joined(why.Reason, why.Detail)))
	case s.Iteration >= o.Iterations:
		why.Detail = joined(why.Detail, fmt.Sprintf("not found in %d iterations", s.Iteration))
		return ruling{decision: state.EdgeReject, rejection: why}
	}
	return ruling{decision: state.EdgeRefine, refinement: v.RefinementQuery}
}

// holds reports whether the last verdict grounds the edge.
func holds(s edgeLoop, o Options) bool {
	v := s.Verdict
	return v.IsGrounded && v.SupportType == state.DirectCausal && s.Problem == (Rejection{}) && v.Confidence >= o.Threshold
}

// grounds returns the reason why the last verdict does not ground the edge.
func grounds(s edgeLoop, o Options) Rejection {
	v := s.Verdict
	why := Rejection{Detail: v.RejectionReason}
	switch {
	case s.Problem != (Rejection{}):
		return s.Problem
	case v.SupportType == state.CorrelationOnly:
		why.Reason = RejectedCorrelation
	case v.SupportType != state.DirectCausal:
		why.Reason = RejectedIrrelevant
	case v.Confidence < o.Threshold:
		why.Reason = RejectedUnsure
		why.Detail = joined(why.Detail, fmt.Sprintf("confidence %.2f is below %.2f", v.Confidence, o.Threshold))
	default:
		why.Reason = RejectedIrrelevant
		why.Detail = joined(why.Detail, "the judge does not hold it to be grounded")
	}
	return why
}

// nothingNew rejects an edge without new evidence. If only its refinement found none, the earlier
// verdict counts.
func nothingNew(s edgeLoop, o Options) (state.AuditEntry, graph.Update[edgeLoop]) {
	v := state.VerificationVerdict{SupportType: state.Irrelevant, RejectionReason: RejectedNoEvidence}
	why := Rejection{Reason: RejectedNoEvidence, Detail: "nothing was found, also by single terms"}
	for _, r := range s.Retrievals {
		if r.Error != "" {
			why = Rejection{Reason: RejectedSearch, Detail: "nothing was found, since a search failed: " + r.Error}
			v.RejectionReason = RejectedSearch
		}
	}
	if len(s.Audit) > 0 {
		v, why = s.Verdict, grounds(s, o)
		why.Detail = joined(why.Detail, fmt.Sprintf("%q found nothing new", s.Refinement))
	}
	v.IsGrounded = false
	entry := state.AuditEntry{
		Edge: s.Edge.ID, N: len(s.Audit) + 1, Node: NodeRoute, Iteration: s.Iteration, Queries: nonNil(s.Tried), Passages: []string{},
		Verdict: v, Decision: state.EdgeReject, Note: why.Detail,
	}
	return entry, graph.Update[edgeLoop]{
		loopDecisionChannel.Set(state.EdgeReject), loopRejectionChannel.Set(why), loopVerdictChannel.Set(v), loopAuditChannel.Add(entry),
	}
}

func rejected(reason, detail string) ruling {
	return ruling{decision: state.EdgeReject, rejection: Rejection{Reason: reason, Detail: detail}}
}

func joined(a, b string) string {
	switch {
	case a == "" || b == "" || a == b:
		return max(a, b)
	}
	return a + "; " + b
}

func afterRoute(_ context.Context, s edgeLoop) (graph.Route, error) {
	return graph.To(string(s.Decision)), nil
}
