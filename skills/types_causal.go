package skills

// Names of the skills of causal edges.
const (
	DraftEdges     = "draft_edges"
	JudgeEdge      = "judge_edge"
	DevilsAdvocate = "devils_advocate"
)

// EdgeSource is a numbered passage and the side whose search found it.
type EdgeSource struct {
	Source
	Side string `json:"side"` // "support" or "refute"
}

// JudgeEdgeInput is the input of judge_edge.
type JudgeEdgeInput struct {
	From      string       `json:"from_var"`
	To        string       `json:"to_var"`
	Mechanism string       `json:"mechanism"`
	Strength  string       `json:"strength"`
	Sources   []EdgeSource `json:"sources"`
	Asked     []string     `json:"asked"` // queries that were tried

	FromNear []string `json:"from_near"` // phrases of the sources that the corpus uses as it uses From
	ToNear   []string `json:"to_near"`   // or To
}

// JudgeEdgeOutput is its output.
type JudgeEdgeOutput struct {
	IsGrounded      bool    `json:"is_grounded"`
	SupportType     string  `json:"support_type"` // "direct_causal", "correlation_only" or "irrelevant"
	SupportingQuote string  `json:"supporting_quote"`
	RejectionReason string  `json:"rejection_reason"`
	Confidence      float64 `json:"confidence"`
	RefinementQuery string  `json:"suggested_refinement_query"`
}

// DevilsAdvocateInput is the input of devils_advocate.
type DevilsAdvocateInput struct {
	From      string       `json:"from_var"`
	To        string       `json:"to_var"`
	Mechanism string       `json:"mechanism"`
	Quote     string       `json:"quote"` // the judge's evidence
	Sources   []EdgeSource `json:"sources"`
}

// DevilsAdvocateOutput is its output.
type DevilsAdvocateOutput struct {
	AlternativeExplanations []string `json:"alternative_explanations"`
	StillGrounded           bool     `json:"still_grounded"`
	Assumptions             []string `json:"assumptions"`
	Conditions              []string `json:"conditions"`
	Reason                  string   `json:"reason"`
}

// DraftEdgesInput is the input of draft_edges.
type DraftEdgesInput struct {
	Sources []Source `json:"sources"`
}

// DraftEdgesOutput is its output.
type DraftEdgesOutput struct {
	Edges []DraftedEdge `json:"edges"`
}

// DraftedEdge is an edge before any search for evidence.
type DraftedEdge struct {
	From           string `json:"from_var"`
	To             string `json:"to_var"`
	Mechanism      string `json:"mechanism"`
	Strength       string `json:"strength"` // "strong", "moderate" or "weak"
	ChainOfThought string `json:"chain_of_thought"`
}
