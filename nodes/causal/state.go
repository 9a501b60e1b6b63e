package causal

import (
	"example.com/assay/graph"
	"example.com/assay/state"
)

// State is the state of the pipeline. Nodes change it only through the channels below.
type State struct {
	Drafts []Edge             `json:"drafts"`          // as given
	Sent   Edge               `json:"sent,omitzero"`   // the edge of a task
	Edges  []Edge             `json:"edges,omitempty"` // concluded, in the order of the draft
	Audit  []state.AuditEntry `json:"audit"`           // by edge in the order of the draft, then in the order of its loop
	DAG    DAG                `json:"dag"`
	Usage  state.ModelUsage   `json:"usage"`

	Losses   []state.Loss `json:"losses,omitempty"` // calls that failed while the run went on
	Warnings []string     `json:"warnings,omitempty"`
}

// Channels of State.
var (
	draftsChannel   = graph.Append("drafts", func(s *State) *[]Edge { return &s.Drafts })
	sentChannel     = graph.LastValue("sent", func(s *State) *Edge { return &s.Sent })
	edgesChannel    = graph.Append("edges", func(s *State) *[]Edge { return &s.Edges })
	auditChannel    = graph.Append("audit", func(s *State) *[]state.AuditEntry { return &s.Audit })
	dagChannel      = graph.LastValue("dag", func(s *State) *DAG { return &s.DAG })
	usageChannel    = graph.Reduce("usage", func(s *State) *state.ModelUsage { return &s.Usage }, state.ModelUsage.Plus)
	lossesChannel   = graph.Append("losses", func(s *State) *[]state.Loss { return &s.Losses })
	warningsChannel = graph.Append("warnings", func(s *State) *[]string { return &s.Warnings })
)

// channels returns every channel of State, for NewStateGraph.
func channels() []graph.Channel[State] {
	return []graph.Channel[State]{draftsChannel, sentChannel, edgesChannel, auditChannel, dagChannel, usageChannel, lossesChannel, warningsChannel}
}

// edgeLoop is the state of the loop of one edge. It holds only the IDs of passages: the corpus
// holds the passages.
type edgeLoop struct {
	Edge       Edge                      `json:"edge"`
	Iteration  int                       `json:"iteration"`            // of retrieval, from 1
	Refinement string                    `json:"refinement,omitempty"` // query of the next retrieval; empty for the first
	Tried      []string                  `json:"tried,omitempty"`      // every query except single terms
	Sources    []EdgeSource              `json:"sources,omitempty"`    // passages read, each once
	Retrievals []Retrieval               `json:"retrievals,omitempty"`
	Verdict    state.VerificationVerdict `json:"verdict"`           // the last verdict
	Model      string                    `json:"model,omitempty"`   // the model that gave the last verdict
	Quote      state.Quote               `json:"quote,omitzero"`    // of the last verdict, located
	Problem    Rejection                 `json:"problem,omitzero"`  // why the last verdict does not count
	Failure    string                    `json:"failure,omitempty"` // why there is no verdict
	Quotes     []state.Quote             `json:"quotes,omitempty"`  // quotes of verdicts that counted
	Objection  *state.Objection          `json:"objection,omitempty"`
	Decision   state.EdgeDecision        `json:"decision,omitempty"`
	Rejection  Rejection                 `json:"rejection,omitzero"`
	Audit      []state.AuditEntry        `json:"audit,omitempty"`
	Usage      state.ModelUsage          `json:"usage"`
	Losses     []state.Loss              `json:"losses,omitempty"`
	Warnings   []string                  `json:"warnings,omitempty"`
}

// Channels of edgeLoop.
var (
	loopEdgeChannel       = graph.LastValue("edge", func(s *edgeLoop) *Edge { return &s.Edge })
	loopIterationChannel  = graph.LastValue("iteration", func(s *edgeLoop) *int { return &s.Iteration })
	loopRefinementChannel = graph.LastValue("refinement", func(s *edgeLoop) *string { return &s.Refinement })
	loopTriedChannel      = graph.Append("tried", func(s *edgeLoop) *[]string { return &s.Tried })
	loopSourcesChannel    = graph.Append("sources", func(s *edgeLoop) *[]EdgeSource { return &s.Sources })
	loopRetrievalsChannel = graph.Append("retrievals", func(s *edgeLoop) *[]Retrieval { return &s.Retrievals })
	loopVerdictChannel    = graph.LastValue("verdict", func(s *edgeLoop) *state.VerificationVerdict { return &s.Verdict })
	loopModelChannel      = graph.LastValue("model", func(s *edgeLoop) *string { return &s.Model })
	loopQuoteChannel      = graph.LastValue("quote", func(s *edgeLoop) *state.Quote { return &s.Quote })
	loopProblemChannel    = graph.LastValue("problem", func(s *edgeLoop) *Rejection { return &s.Problem })
	loopFailureChannel    = graph.LastValue("failure", func(s *edgeLoop) *string { return &s.Failure })
	loopQuotesChannel     = graph.Append("quotes", func(s *edgeLoop) *[]state.Quote { return &s.Quotes })
	loopObjectionChannel  = graph.LastValue("objection", func(s *edgeLoop) **state.Objection { return &s.Objection })
	loopDecisionChannel   = graph.LastValue("decision", func(s *edgeLoop) *state.EdgeDecision { return &s.Decision })
	loopRejectionChannel  = graph.LastValue("rejection", func(s *edgeLoop) *Rejection { return &s.Rejection })
	loopAuditChannel      = graph.Append("audit", func(s *edgeLoop) *[]state.AuditEntry { return &s.Audit })
	loopUsageChannel      = graph.Reduce("usage", func(s *edgeLoop) *state.ModelUsage { return &s.Usage }, state.ModelUsage.Plus)
	loopLossesChannel     = graph.Append("losses", func(s *edgeLoop) *[]state.Loss { return &s.Losses })
	loopWarningsChannel   = graph.Append("warnings", func(s *edgeLoop) *[]string { return &s.Warnings })
)

// loopChannels returns every channel of edgeLoop, for NewStateGraph.
func loopChannels() []graph.Channel[edgeLoop] {
	return []graph.Channel[edgeLoop]{
		loopEdgeChannel, loopIterationChannel, loopRefinementChannel, loopTriedChannel, loopSourcesChannel, loopRetrievalsChannel, loopVerdictChannel, loopModelChannel, loopQuoteChannel,
		loopProblemChannel, loopFailureChannel, loopQuotesChannel, loopObjectionChannel, loopDecisionChannel, loopRejectionChannel, loopAuditChannel, loopUsageChannel, loopLossesChannel, loopWarningsChannel,
	}
}
