package causal

import (
	"context"
	"fmt"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/skills"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

// devilsAdvocate assumes that a grounded edge is spurious, and asks what else explains the
// evidence. The edge gets the answer's assumptions and conditions, and is rejected when the
// objection removes its support. A failed call, or a second unreadable answer, is a loss and leaves
// the edge unproven (judge_unavailable). An error stops the run.
func devilsAdvocate(m llm.Model, skill skills.Skill, corpus Corpus) graph.Node[edgeLoop] {
	return func(ctx context.Context, s edgeLoop) (graph.Update[edgeLoop], error) {
		e, asked := s.Edge, &answering{model: m}
		var out skills.DevilsAdvocateOutput
		var usage state.ModelUsage
		passages, err := passagesOf(s, corpus)
		if err != nil {
			err = unread{err}
		} else {
			out, usage, err = llm.Ask[skills.DevilsAdvocateOutput](ctx, asked, skill, skills.DevilsAdvocateInput{
				From: e.FromVar, To: e.ToVar, Mechanism: e.Mechanism, Quote: s.Quote.Text, Sources: sources(s, passages),
			})
		}
		if err := llm.Stops(ctx, err); err != nil {
			return nil, err
		}
		entry := audited(s, NodeDevil, skill, asked.name)
		entry.Verdict = s.Verdict
		update := graph.Update[edgeLoop]{loopUsageChannel.Add(usage)}
		switch {
		case err != nil:
			entry.Verdict.IsGrounded, entry.Verdict.RejectionReason = false, RejectedUnavailable
			entry.Decision, entry.Note = state.EdgeReject, err.Error()
			update = append(update, loopRejectionChannel.Set(Rejection{Reason: RejectedUnavailable, Detail: "the adversarial pass: " + err.Error()}),
				loopLossesChannel.Add(state.LossOf(fmt.Sprintf("the adversarial pass on edge %q", e.ID), err)))
		default:
			o := &state.Objection{
				AlternativeExplanations: nonNil(out.AlternativeExplanations), StillGrounded: out.StillGrounded,
				Assumptions: nonNil(out.Assumptions), Conditions: nonNil(out.Conditions), Reason: out.Reason,
			}
			entry.Objection, entry.Counts, entry.Decision, entry.Note = o, true, state.EdgeAccept, out.Reason
			update = append(update, loopObjectionChannel.Set(o))
			if !o.StillGrounded {
				entry.Decision, entry.Verdict.IsGrounded, entry.Verdict.RejectionReason = state.EdgeReject, false, RejectedSpurious
				update = append(update, loopRejectionChannel.Set(Rejection{Reason: RejectedSpurious, Detail: out.Reason}))
			}
		}
		update = append(update, loopDecisionChannel.Set(entry.Decision), loopVerdictChannel.Set(entry.Verdict), loopAuditChannel.Add(entry))
		return update, graph.Emit(ctx, event.Verdict, entry)
	}
}
