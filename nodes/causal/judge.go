package causal

import (
	"context"
	"fmt"
	"math"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/memory/retrieval"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// judgeEdge asks whether the evidence so far shows an edge. A failing model, a second unreadable
// answer, or passages that cannot be read again leave the edge without a verdict: a loss, which
// routeVerdict turns into a rejection. A verdict does not count if its quote is prompt injection or
// names neither variable. The error stops the run: cancellation or a spent budget.
func judgeEdge(m llm.Model, skill skills.Skill, corpus Corpus, inspect retrieval.Inspect, near *wordings) graph.Node[edgeLoop] {
	return func(ctx context.Context, s edgeLoop) (graph.Update[edgeLoop], error) {
		e := s.Edge
		passages, err := passagesOf(s, corpus)
		if err != nil {
			return unjudged(e, unread{err}), nil
		}
		fromNear, toNear := near.of(e.FromVar, e.ToVar, passages), near.of(e.ToVar, e.FromVar, passages)
		asked := &answering{model: m}
		out, usage, err := llm.Ask[skills.JudgeEdgeOutput](ctx, asked, skill, skills.JudgeEdgeInput{
			From: e.FromVar, To: e.ToVar, Mechanism: e.Mechanism, Strength: string(e.Strength), Sources: sources(s, passages), Asked: nonNil(s.Tried),
			FromNear: fromNear, ToNear: toNear,
		})
		if err := llm.Stops(ctx, err); err != nil {
			return nil, err
		}
		update := graph.Update[edgeLoop]{loopUsageChannel.Add(usage), loopModelChannel.Set(asked.name)}
		if err != nil {
			return append(update, unjudged(e, err)...), nil
		}
		v, quote, problem := weigh(out, passages, inspect)
		if v.IsGrounded && quote.Text != "" && !names(quote.Text, e.FromVar, fromNear) && !names(quote.Text, e.ToVar, toNear) {
			quote, problem = state.Quote{}, Rejection{Reason: RejectedUnnamed, Detail: "its quote names neither variable"}
		}
		if quote.Text != "" {
			update = append(update, loopQuotesChannel.Add(quote))
		}
		return append(update, loopVerdictChannel.Set(v), loopQuoteChannel.Set(quote), loopProblemChannel.Set(problem)), nil
	}
}

// unjudged leaves an edge without a verdict.
func unjudged(e Edge, why error) graph.Update[edgeLoop] {
	v := state.VerificationVerdict{SupportType: state.Irrelevant, RejectionReason: RejectedUnavailable}
	return graph.Update[edgeLoop]{
		loopVerdictChannel.Set(v), loopFailureChannel.Set(why.Error()), loopLossesChannel.Add(state.LossOf(fmt.Sprintf("the verdict on edge %q", e.ID), why)),
	}
}

// unread is the error of evidence that could not be read again.
type unread struct{ error }

func (e unread) Unwrap() error { return e.error }

func (unread) Cause() state.Cause { return state.CauseIndex }

// An answering model records the model name of its last answer.
type answering struct {
	model llm.Model
	name  string
}

func (a *answering) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	out, err := a.model.Generate(ctx, req)
	if err == nil {
		a.name = out.Model
	}
	return out, err
}

// weigh turns a judge's answer into a verdict. The verdict does not count if no passage contains
// its quote byte for byte, if the quote is prompt injection, or if it grounds without a quote.
func weigh(out skills.JudgeEdgeOutput, passages []state.Passage, inspect retrieval.Inspect) (v state.VerificationVerdict, quote state.Quote, problem Rejection) {
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
			problem = Rejection{Reason: RejectedQuote, Detail: "it gives no quote"}
		}
		return v, quote, problem
	}
	problem = Rejection{Reason: RejectedQuote, Detail: "its quote is in no passage"}
	for _, p := range passages {
		start, end, ok := skills.Find(p.Text, words)
		if !ok {
			continue
		}
		if ordered(inspect.In(p), start, end) {
			problem = Rejection{Reason: RejectedOrder, Detail: "its quote gives orders to an assistant"}
			continue
		}
		return v, state.QuoteIn(p, start, end-start), Rejection{}
	}
	return v, quote, problem
}

// ordered reports whether the bytes start..end overlap a prompt injection.
func ordered(orders []retrieval.Order, start, end int) bool {
	for _, o := range orders {
		if o.Start < end && start < o.End {
			return true
		}
	}
	return false
}

// audited begins the audit entry of a verdict.
func audited(s edgeLoop, node string, skill skills.Skill, model string) state.AuditEntry {
	a := state.AuditEntry{
		Edge: s.Edge.ID, N: len(s.Audit) + 1, Node: node, Skill: skill.Name, SkillHash: skill.Hash, Model: model, Iteration: s.Iteration,
		Queries: nonNil(s.Tried), Passages: make([]string, len(s.Sources)),
	}
	for i, src := range s.Sources {
		a.Passages[i] = src.Passage
	}
	return a
}

// passagesOf reads the passages of a loop again.
func passagesOf(s edgeLoop, corpus Corpus) ([]state.Passage, error) {
	out := make([]state.Passage, len(s.Sources))
	for i, src := range s.Sources {
		p, ok, err := corpus.Passage(src.Passage)
		switch {
		case err != nil:
			return nil, fmt.Errorf("reading the evidence: %w", err)
		case !ok:
			return nil, fmt.Errorf("reading the evidence: the corpus no longer holds passage %q: verify the edge again", src.Passage)
		}
		out[i] = p
	}
	return out, nil
}

// sources numbers the evidence for a prompt, from 1.
func sources(s edgeLoop, passages []state.Passage) []skills.EdgeSource {
	list := make([]skills.EdgeSource, len(passages))
	for i, p := range passages {
		list[i].Source = skills.Source{N: i + 1, Title: p.Title, Section: p.Section, Text: p.Text}
		list[i].Side = string(s.Sources[i].Side)
	}
	return list
}
