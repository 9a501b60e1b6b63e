package causal

import (
	"context"
	"math"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// JudgeEdge asks whether the evidence so far shows an edge. llm.Ask has an answer
// that cannot be read repaired once; a second one, and a model that fails, leave
// the edge without a verdict, which the route makes a rejection of. The error is
// one that has to stop the run: cancellation, or a spent budget.
func JudgeEdge(m llm.Model, skill skills.Skill) graph.Node[state.EdgeLoop] {
	return func(ctx context.Context, s state.EdgeLoop) (graph.Update[state.EdgeLoop], error) {
		e := s.Edge
		out, usage, err := llm.Ask[skills.JudgeEdgeOutput](ctx, m, skill, skills.JudgeEdgeInput{
			From: e.FromVar, To: e.ToVar, Mechanism: e.Mechanism, Strength: string(e.Strength), Sources: sources(s), Asked: nonNil(s.Tried),
		})
		if err := llm.Stops(ctx, err); err != nil {
			return nil, err
		}
		update := graph.Update[state.EdgeLoop]{state.LoopUsage.Add(usage)}
		entry := audited(s, NodeJudge, skill)
		if err != nil {
			entry.Verdict = state.VerificationVerdict{SupportType: state.Irrelevant, RejectionReason: state.RejectedUnavailable}
			entry.Note = err.Error()
			return append(update, state.LoopVerdict.Set(entry.Verdict), state.LoopFailure.Set(err.Error()), state.LoopAudit.Add(entry)), nil
		}
		v, quote, problem := weigh(out, s.Evidence)
		entry.Verdict, entry.Counts, entry.Note = v, problem == "", problem
		if quote.Text != "" {
			update = append(update, state.LoopQuotes.Add(quote))
		}
		return append(update, state.LoopVerdict.Set(v), state.LoopQuote.Set(quote), state.LoopProblem.Set(problem), state.LoopAudit.Add(entry)), nil
	}
}

// weigh turns a judge's answer into a verdict. A quote that no passage holds byte
// for byte makes it not count, and so does a grounding without a quote.
func weigh(out skills.JudgeEdgeOutput, evidence []state.Evidence) (v state.VerificationVerdict, quote state.Quote, problem string) {
	v = state.VerificationVerdict{
		IsGrounded: out.IsGrounded, SupportType: state.SupportType(out.SupportType), SupportingQuote: out.SupportingQuote,
		RejectionReason: strings.TrimSpace(out.RejectionReason), Confidence: out.Confidence, RefinementQuery: strings.TrimSpace(out.RefinementQuery),
	}
	if math.IsNaN(v.Confidence) {
		v.Confidence = 0
	}
	v.Confidence = min(max(v.Confidence, 0), 1)
	words := strings.TrimSpace(out.SupportingQuote)
	if words == "" {
		if v.IsGrounded {
			problem = "it gives no quote"
		}
		return v, quote, problem
	}
	for _, e := range evidence {
		if start, end, ok := skills.Find(e.Passage.Text, words); ok {
			return v, state.QuoteIn(e.Passage, start, end-start), ""
		}
	}
	return v, quote, "its quote is in no passage"
}

// audited begins the entry of a verdict that is about to be given.
func audited(s state.EdgeLoop, node string, skill skills.Skill) state.AuditEntry {
	a := state.AuditEntry{
		Edge: s.Edge.ID, N: len(s.Audit) + 1, Node: node, Skill: skill.Name, SkillHash: skill.Hash, Iteration: s.Iteration,
		Queries: nonNil(s.Tried), Passages: make([]string, len(s.Evidence)),
	}
	for i, e := range s.Evidence {
		a.Passages[i] = e.Passage.ID
	}
	return a
}

// sources numbers the evidence for a prompt, from 1.
func sources(s state.EdgeLoop) []skills.EdgeSource {
	list := make([]skills.EdgeSource, len(s.Evidence))
	for i, e := range s.Evidence {
		list[i].Source = skills.Source{N: i + 1, Title: e.Passage.Title, Section: e.Passage.Section, Text: e.Passage.Text}
		list[i].Side = string(s.Sides[i])
	}
	return list
}
