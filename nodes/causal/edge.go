package causal

import (
	"slices"

	"example.com/assay/state"
)

// Strength is the size that the author of an edge assumes for the effect.
type Strength string

const (
	Strong   Strength = "strong"
	Moderate Strength = "moderate"
	Weak     Strength = "weak"
)

// Strengths lists all strengths, the strongest first.
func Strengths() []Strength { return []Strength{Strong, Moderate, Weak} }

// EdgeStatus says how the verification of an edge ended.
type EdgeStatus string

const (
	EdgeDraft    EdgeStatus = "draft" // no evidence was searched for
	EdgeGrounded EdgeStatus = "grounded"
	EdgeRejected EdgeStatus = "rejected"
)

// Reasons why an edge is rejected. A judge's own reason is in Rejection.Detail.
const (
	RejectedNoEvidence  = "no_evidence"           // no passage was found, even by single terms
	RejectedUnavailable = "judge_unavailable"     // the judge failed, or two answers were unreadable: nothing is known about the edge
	RejectedSearch      = "search_unavailable"    // the search failed: nothing is known about the edge
	RejectedRepeat      = "exhausted_refinements" // the judge asks for a search that was already made
	RejectedQuote       = "quote_not_in_evidence"
	RejectedUnnamed     = "quote_names_neither_variable"
	RejectedOrder       = "quote_gives_orders" // its quote is prompt injection
	RejectedCorrelation = "correlation_only"
	RejectedIrrelevant  = "irrelevant"
	RejectedUnsure      = "low_confidence"
	RejectedSpurious    = "alternative_explanation" // the adversarial pass overturned it
	RejectedSelfLoop    = "self_loop"               // cause and effect are the same variable
)

// A Rejection says why an edge is not grounded.
type Rejection struct {
	Reason string `json:"reason"` // one of the constants
	Detail string `json:"detail,omitempty"`
}

// An Edge is an edge of a causal graph: FromVar is assumed to cause ToVar. Drafting fills the
// fields up to Conditions, the pipeline the others.
type Edge struct {
	ID             string         `json:"id"` // unique in its file
	FromVar        string         `json:"from_var"`
	ToVar          string         `json:"to_var"`
	Mechanism      string         `json:"mechanism"`
	Strength       Strength       `json:"strength"`
	ChainOfThought string         `json:"chain_of_thought"`
	Status         EdgeStatus     `json:"edge_status"`
	Assumptions    []string       `json:"assumptions"`
	Conditions     []string       `json:"conditions"`
	Confidence     float64        `json:"confidence,omitzero"` // 0..1, of the last verdict that counted
	Evidence       EvidenceBundle `json:"evidence,omitzero"`
	Rejection      Rejection      `json:"rejection,omitzero"`
}

// An EvidenceBundle is the evidence that the verification of an edge has read. Quotes come from
// verdicts that counted, also for a rejected edge.
type EvidenceBundle struct {
	Quotes         []state.Quote  `json:"quotes"`
	RetrievalTrace RetrievalTrace `json:"retrieval_trace"`
}

// IsZero reports whether nothing was read.
func (b EvidenceBundle) IsZero() bool { return len(b.Quotes) == 0 && len(b.RetrievalTrace) == 0 }

// A RetrievalTrace is every search for an edge, in order.
type RetrievalTrace []Retrieval

// Side says whether a search looks for support or refutation.
type Side string

const (
	supportSide Side = "support"
	refuteSide  Side = "refute"
)

// An EdgeSource is a passage that was read for an edge, and the side whose search found it.
type EdgeSource struct {
	Passage string `json:"passage"` // its id
	Side    Side   `json:"side"`
}

// A Retrieval is one search for an edge.
type Retrieval struct {
	Iteration int       `json:"iteration"` // of the loop, from 1
	Side      Side      `json:"side"`
	Queries   []string  `json:"queries"`            // the primary one first; for a fallback, its single terms
	Fallback  bool      `json:"fallback,omitempty"` // the search used single terms, since the primary one failed or found nothing
	Error     string    `json:"error,omitempty"`    // the error of the primary search, or of the fallback
	Hits      []EdgeHit `json:"hits"`
	ReadBy    []int     `json:"read_by"` // numbers of the verdicts that read its hits
}

// An EdgeHit is a passage that a search for an edge found.
type EdgeHit struct {
	Passage string        `json:"passage"` // its id
	Rank    int           `json:"rank"`
	Scores  []state.Score `json:"scores"`              // one from each ranker that scored it
	Quoted  []int         `json:"quoted_by,omitempty"` // numbers of the verdicts that quote it
}

// Clone returns a copy of e with its own lists; the elements are shared.
func (e Edge) Clone() Edge {
	e.Assumptions, e.Conditions = slices.Clone(e.Assumptions), slices.Clone(e.Conditions)
	return e
}
