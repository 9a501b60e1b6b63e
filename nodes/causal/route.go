package causal

import (
	"context"
	"fmt"

	"example.com/assay/graph"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// EventVerdict is the name of the custom event that each verdict publishes, once
// it is known what follows it. Its payload is the state.AuditEntry.
const EventVerdict = "verdict"

// A ruling is what follows a verdict.
type ruling struct {
	decision   state.EdgeDecision
	rejection  state.Rejection // of EdgeReject
	refinement string          // of EdgeRefine
}

// routeVerdict decides what follows a verdict:
//
//   - grounded, direct_causal, a quote that counts, and confidence at the
//     threshold or above: a strong edge is attacked, another is accepted;
//   - else a refinement query that was not tried is searched, while iterations are
//     left. One that was tried forces the edge to be not grounded:
//     "exhausted_refinements";
//   - else the edge is rejected, with the reason.
//
// Judge is the skill that the verdict came by, for the audit.
func routeVerdict(o Options, judge skills.Skill, seen repeats) graph.Node[state.EdgeLoop] {
	return func(ctx context.Context, s state.EdgeLoop) (graph.Update[state.EdgeLoop], error) {
		if !foundNew(s) {
			entry, update := nothingNew(s, o)
			return update, graph.Emit(ctx, EventVerdict, entry)
		}
		r := rule(s, o, seen)
		entry := audited(s, NodeJudge, judge, s.Model)
		entry.Verdict, entry.Decision = s.Verdict, r.decision
		entry.Counts, entry.Note = s.Failure == "" && s.Problem == (state.Rejection{}), joined(s.Failure, s.Problem.Detail)
		if r.decision == state.EdgeReject {
			entry.Note = joined(entry.Note, r.rejection.Detail)
			entry.Verdict.IsGrounded = false
			if r.rejection.Reason == state.RejectedRepeat {
				entry.Verdict.RejectionReason, entry.Counts = state.RejectedRepeat, false
			}
		}
		return graph.Update[state.EdgeLoop]{
			state.LoopDecided.Set(r.decision), state.LoopRejection.Set(r.rejection), state.LoopRefinement.Set(r.refinement),
			state.LoopVerdict.Set(entry.Verdict), state.LoopAudit.Add(entry),
		}, graph.Emit(ctx, EventVerdict, entry)
	}
}

func rule(s state.EdgeLoop, o Options, seen repeats) ruling {
	v := s.Verdict
	switch {
	case s.Failure != "":
		return rejected(state.RejectedUnavailable, s.Failure)
	case holds(s, o) && s.Edge.Strength == state.Strong && !o.SkipAdversarial:
		return ruling{decision: state.EdgeAttack}
	case holds(s, o):
		return ruling{decision: state.EdgeAccept}
	}
	why := grounds(s, o)
	switch earlier, repeated := seen.of(v.RefinementQuery, s.Tried); {
	case v.RefinementQuery == "":
		return ruling{decision: state.EdgeReject, rejection: why}
	case repeated:
		return rejected(state.RejectedRepeat, fmt.Sprintf("%q repeats %q; %s", v.RefinementQuery, earlier, joined(why.Reason, why.Detail)))
	case s.Iteration >= o.Iterations:
		why.Detail = joined(why.Detail, fmt.Sprintf("not found in %d iterations", s.Iteration))
		return ruling{decision: state.EdgeReject, rejection: why}
	}
	return ruling{decision: state.EdgeRefine, refinement: v.RefinementQuery}
}

// holds reports whether the last verdict grounds the edge.
func holds(s state.EdgeLoop, o Options) bool {
	v := s.Verdict
	return v.IsGrounded && v.SupportType == state.DirectCausal && s.Problem == (state.Rejection{}) && v.Confidence >= o.Threshold
}

// grounds is why a verdict that does not ground the edge does not.
func grounds(s state.EdgeLoop, o Options) state.Rejection {
	v := s.Verdict
	why := state.Rejection{Detail: v.RejectionReason}
	switch {
	case s.Problem != (state.Rejection{}):
		return s.Problem
	case v.SupportType == state.CorrelationOnly:
		why.Reason = state.RejectedCorrelation
	case v.SupportType != state.DirectCausal:
		why.Reason = state.RejectedIrrelevant
	case v.Confidence < o.Threshold:
		why.Reason = state.RejectedUnsure
		why.Detail = joined(why.Detail, fmt.Sprintf("confidence %.2f is below %.2f", v.Confidence, o.Threshold))
	default:
		why.Reason = state.RejectedIrrelevant
		why.Detail = joined(why.Detail, "the judge does not hold it to be grounded")
	}
	return why
}

// nothingNew rejects an edge without new evidence. When only its refinement found none,
// the earlier verdict stands.
func nothingNew(s state.EdgeLoop, o Options) (state.AuditEntry, graph.Update[state.EdgeLoop]) {
	v := state.VerificationVerdict{SupportType: state.Irrelevant, RejectionReason: state.RejectedNoEvidence}
	why := state.Rejection{Reason: state.RejectedNoEvidence, Detail: "nothing was found, also by single terms"}
	for _, r := range s.Retrievals {
		if r.Error != "" {
			why = state.Rejection{Reason: state.RejectedSearch, Detail: "nothing was found, since a search failed: " + r.Error}
			v.RejectionReason = state.RejectedSearch
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
	return entry, graph.Update[state.EdgeLoop]{
		state.LoopDecided.Set(state.EdgeReject), state.LoopRejection.Set(why), state.LoopVerdict.Set(v), state.LoopAudit.Add(entry),
	}
}

func rejected(reason, detail string) ruling {
	return ruling{decision: state.EdgeReject, rejection: state.Rejection{Reason: reason, Detail: detail}}
}

func joined(a, b string) string {
	switch {
	case a == "" || b == "" || a == b:
		return max(a, b)
	}
	return a + "; " + b
}

func afterRoute(_ context.Context, s state.EdgeLoop) (graph.Route, error) {
	return graph.To(string(s.Decision)), nil
}
