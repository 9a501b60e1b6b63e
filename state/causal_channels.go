package state

import "example.com/assay/graph"

// Causal is the state of the pipeline of causal edges. Nodes change it only
// through the channels below.
type Causal struct {
	Drafts []Edge       `json:"drafts"`          // as given
	Sent   Edge         `json:"sent,omitzero"`   // the edge of a task
	Edges  []Edge       `json:"edges,omitempty"` // concluded, in the order of the draft
	Audit  []AuditEntry `json:"audit"`           // by edge in the order of the draft, each in the order of its loop
	DAG    CausalDAG    `json:"dag"`
	Usage  ModelUsage   `json:"usage"`

	Losses   []Loss   `json:"losses,omitempty"` // calls that failed while the run went on
	Warnings []string `json:"warnings,omitempty"`
}

// Channels of Causal.
var (
	CausalDrafts = graph.Append("drafts", func(s *Causal) *[]Edge { return &s.Drafts })
	CausalSent   = graph.LastValue("sent", func(s *Causal) *Edge { return &s.Sent })
	CausalEdges  = graph.Append("edges", func(s *Causal) *[]Edge { return &s.Edges })
	CausalAudit  = graph.Append("audit", func(s *Causal) *[]AuditEntry { return &s.Audit })
	CausalGraph  = graph.LastValue("dag", func(s *Causal) *CausalDAG { return &s.DAG })
	CausalUsage  = graph.Reduce("usage", func(s *Causal) *ModelUsage { return &s.Usage }, ModelUsage.Plus)
	CausalLosses = graph.Append("losses", func(s *Causal) *[]Loss { return &s.Losses })
	CausalWarned = graph.Append("warnings", func(s *Causal) *[]string { return &s.Warnings })
)

// CausalChannels returns every channel of Causal, for NewStateGraph.
func CausalChannels() []graph.Channel[Causal] {
	return []graph.Channel[Causal]{CausalDrafts, CausalSent, CausalEdges, CausalAudit, CausalGraph, CausalUsage, CausalLosses, CausalWarned}
}

// EdgeLoop is the state of the loop of one edge. Passages are in it by their ids
// alone: the corpus holds them.
type EdgeLoop struct {
	Edge       Edge                `json:"edge"`
	Iteration  int                 `json:"iteration"`            // of retrieval, from 1
	Refinement string              `json:"refinement,omitempty"` // what the next retrieval looks for; empty for the first
	Tried      []string            `json:"tried,omitempty"`      // every query but single terms
	Sources    []EdgeSource        `json:"sources,omitempty"`    // passages read, each once
	Retrievals []Retrieval         `json:"retrievals,omitempty"`
	Verdict    VerificationVerdict `json:"verdict"`           // the last
	Model      string              `json:"model,omitempty"`   // that gave it
	Quote      Quote               `json:"quote,omitzero"`    // of the last verdict, located
	Problem    Rejection           `json:"problem,omitzero"`  // why the last verdict does not count
	Failure    string              `json:"failure,omitempty"` // why there is no verdict
	Quotes     []Quote             `json:"quotes,omitempty"`  // of verdicts that counted
	Objection  *Objection          `json:"objection,omitempty"`
	Decision   EdgeDecision        `json:"decision,omitempty"`
	Rejection  Rejection           `json:"rejection,omitzero"`
	Audit      []AuditEntry        `json:"audit,omitempty"`
	Usage      ModelUsage          `json:"usage"`
	Losses     []Loss              `json:"losses,omitempty"`
	Warnings   []string            `json:"warnings,omitempty"`
}

// Channels of EdgeLoop.
var (
	LoopEdge       = graph.LastValue("edge", func(s *EdgeLoop) *Edge { return &s.Edge })
	LoopIteration  = graph.LastValue("iteration", func(s *EdgeLoop) *int { return &s.Iteration })
	LoopRefinement = graph.LastValue("refinement", func(s *EdgeLoop) *string { return &s.Refinement })
	LoopTried      = graph.Append("tried", func(s *EdgeLoop) *[]string { return &s.Tried })
	LoopSources    = graph.Append("sources", func(s *EdgeLoop) *[]EdgeSource { return &s.Sources })
	LoopRetrievals = graph.Append("retrievals", func(s *EdgeLoop) *[]Retrieval { return &s.Retrievals })
	LoopVerdict    = graph.LastValue("verdict", func(s *EdgeLoop) *VerificationVerdict { return &s.Verdict })
	LoopModel      = graph.LastValue("model", func(s *EdgeLoop) *string { return &s.Model })
	LoopQuote      = graph.LastValue("quote", func(s *EdgeLoop) *Quote { return &s.Quote })
	LoopProblem    = graph.LastValue("problem", func(s *EdgeLoop) *Rejection { return &s.Problem })
	LoopFailure    = graph.LastValue("failure", func(s *EdgeLoop) *string { return &s.Failure })
	LoopQuotes     = graph.Append("quotes", func(s *EdgeLoop) *[]Quote { return &s.Quotes })
	LoopObjection  = graph.LastValue("objection", func(s *EdgeLoop) **Objection { return &s.Objection })
	LoopDecided    = graph.LastValue("decision", func(s *EdgeLoop) *EdgeDecision { return &s.Decision })
	LoopRejection  = graph.LastValue("rejection", func(s *EdgeLoop) *Rejection { return &s.Rejection })
	LoopAudit      = graph.Append("audit", func(s *EdgeLoop) *[]AuditEntry { return &s.Audit })
	LoopUsage      = graph.Reduce("usage", func(s *EdgeLoop) *ModelUsage { return &s.Usage }, ModelUsage.Plus)
	LoopLosses     = graph.Append("losses", func(s *EdgeLoop) *[]Loss { return &s.Losses })
	LoopWarned     = graph.Append("warnings", func(s *EdgeLoop) *[]string { return &s.Warnings })
)

// EdgeLoopChannels returns every channel of EdgeLoop, for NewStateGraph.
func EdgeLoopChannels() []graph.Channel[EdgeLoop] {
	return []graph.Channel[EdgeLoop]{
		LoopEdge, LoopIteration, LoopRefinement, LoopTried, LoopSources, LoopRetrievals, LoopVerdict, LoopModel, LoopQuote,
		LoopProblem, LoopFailure, LoopQuotes, LoopObjection, LoopDecided, LoopRejection, LoopAudit, LoopUsage, LoopLosses, LoopWarned,
	}
}
