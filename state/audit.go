package state

// SupportType is what evidence says of two variables.
type SupportType string

const (
	DirectCausal    SupportType = "direct_causal"
	CorrelationOnly SupportType = "correlation_only"
	Irrelevant      SupportType = "irrelevant"
)

// A VerificationVerdict is what a judge says of an edge after it has read the
// evidence that there is so far.
type VerificationVerdict struct {
	IsGrounded      bool        `json:"is_grounded"`
	SupportType     SupportType `json:"support_type"`
	SupportingQuote string      `json:"supporting_quote"`
	RejectionReason string      `json:"rejection_reason"`
	Confidence      float64     `json:"confidence"` // 0..1
	RefinementQuery string      `json:"suggested_refinement_query"`
}

// An AuditEntry is one verdict on an edge: who gave it, on what, and what came
// of it.
type AuditEntry struct {
	Edge      string              `json:"edge"`
	N         int                 `json:"n"` // of the edge's verdicts, from 1
	Node      string              `json:"node"`
	Skill     string              `json:"skill,omitempty"`
	SkillHash string              `json:"skill_hash,omitempty"`
	Model     string              `json:"model,omitempty"` // that answered; empty when none did
	Iteration int                 `json:"iteration"`
	Queries   []string            `json:"queries"`  // every one tried so far
	Passages  []string            `json:"passages"` // ids of those that were read, in the order of the prompt
	Verdict   VerificationVerdict `json:"verdict"`
	Objection *Objection          `json:"objection,omitempty"` // of the adversarial pass
	Counts    bool                `json:"counts"`              // false: its quote is in no passage or gives orders, it could not be had, or it repeats itself
	Decision  EdgeDecision        `json:"decision"`
	Note      string              `json:"note,omitempty"` // why it does not count, or why it was decided so
}

// An Objection is what the adversarial pass says of an edge.
type Objection struct {
	AlternativeExplanations []string `json:"alternative_explanations"`
	StillGrounded           bool     `json:"still_grounded"`
	Assumptions             []string `json:"assumptions"`
	Conditions              []string `json:"conditions"`
	Reason                  string   `json:"reason"`
}

// EdgeDecision is what an edge's loop does after a verdict.
type EdgeDecision string

const (
	EdgeAccept EdgeDecision = "accept"
	EdgeAttack EdgeDecision = "attack" // let the adversarial pass try
	EdgeRefine EdgeDecision = "refine" // search again
	EdgeReject EdgeDecision = "reject"
)
