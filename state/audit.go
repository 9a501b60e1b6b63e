package state

// SupportType is the relation between two variables in the evidence.
type SupportType string

const (
	DirectCausal    SupportType = "direct_causal"
	CorrelationOnly SupportType = "correlation_only"
	Irrelevant      SupportType = "irrelevant"
)

// A VerificationVerdict is a judge's verdict on an edge after reading the evidence so far.
type VerificationVerdict struct {
	IsGrounded      bool        `json:"is_grounded"`
	SupportType     SupportType `json:"support_type"`
	SupportingQuote string      `json:"supporting_quote"`
	RejectionReason string      `json:"rejection_reason"`
	Confidence      float64     `json:"confidence"` // 0..1
	RefinementQuery string      `json:"suggested_refinement_query"`
}

// An AuditEntry is one verdict on an edge: its author, its evidence, and its consequence.
type AuditEntry struct {
	Edge      string              `json:"edge"`
	N         int                 `json:"n"` // of the edge's verdicts, from 1
	Node      string              `json:"node"`
	Skill     string              `json:"skill,omitempty"`
	SkillHash string              `json:"skill_hash,omitempty"`
	Model     string              `json:"model,omitempty"` // that answered; empty if none did
	Iteration int                 `json:"iteration"`
	Queries   []string            `json:"queries"`  // every one tried so far
	Passages  []string            `json:"passages"` // ids of those that were read, in the order of the prompt
	Verdict   VerificationVerdict `json:"verdict"`
	Objection *Objection          `json:"objection,omitempty"` // of the adversarial pass
	Counts    bool                `json:"counts"`              // false: its quote is in no passage or is a prompt injection, the call failed, or it is a repetition
	Decision  EdgeDecision        `json:"decision"`
	Note      string              `json:"note,omitempty"` // why it does not count, or why it was decided so
}

// An Objection is the adversarial pass's objection to an edge.
type Objection struct {
	AlternativeExplanations []string `json:"alternative_explanations"`
	StillGrounded           bool     `json:"still_grounded"`
	Assumptions             []string `json:"assumptions"`
	Conditions              []string `json:"conditions"`
	Reason                  string   `json:"reason"`
}

// EdgeDecision is the action of an edge's loop after a verdict.
type EdgeDecision string

const (
	EdgeAccept EdgeDecision = "accept"
	EdgeAttack EdgeDecision = "attack" // let the adversarial pass try
	EdgeRefine EdgeDecision = "refine" // search again
	EdgeReject EdgeDecision = "reject"
)
