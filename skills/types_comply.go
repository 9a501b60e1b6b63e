package skills

// Names of the compliance skills.
const (
	ExtractRequirements = "extract_requirements"
	VerifyGrounding     = "verify_grounding"
	ComposeAnswer       = "compose_answer"
	ReviewAnswer        = "review_answer"
)

// RequirementsInput is the input of extract_requirements.
type RequirementsInput struct {
	Sources []RequirementSource `json:"sources"`
}

// RequirementSource is a passage and the parts of it that may be rules.
type RequirementSource struct {
	Source
	Parts []SourcePart `json:"parts,omitempty" prompt:"-"`
}

// SourcePart is a sentence or a row of a source: the bytes Start..End of its text. Label is the
// heading or label above the part.
type SourcePart struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Label string `json:"label,omitempty"`
	Item  bool   `json:"item,omitempty"` // one of a list
}

// RequirementsOutput is its output.
type RequirementsOutput struct {
	Requirements []ExtractedRequirement `json:"requirements"`
}

// ExtractedRequirement is a requirement that a model attributes to a source.
type ExtractedRequirement struct {
	Source     int    `json:"source"`                // the source's number
	Quote      string `json:"exact_quote"`           // byte for byte
	Confidence string `json:"extraction_confidence"` // "high", "medium" or "low"
}

// GroundingInput is the input of verify_grounding.
type GroundingInput struct {
	Question    string            `json:"question"`
	Requirement QuotedRequirement `json:"requirement"`
}

// QuotedRequirement is a requirement as models read it.
type QuotedRequirement struct {
	ID         string `json:"requirement_id"`
	SourceType string `json:"source_type"` // "statute" or "policy"
	Document   string `json:"document"`    // its title
	Section    string `json:"section_heading"`
	Quote      string `json:"exact_quote"` // after its list's stem
	// Relevance is the share of the question that the requirement covers, computed by code relative
	// to the others, from 0 to 1.
	Relevance float64 `json:"relevance,omitempty" prompt:"-"`
	// Answers says that it answers the question by its meaning, so that it needs no share of its words.
	Answers bool `json:"answers,omitempty" prompt:"-"`
	// Least is the relevance that it needs; 0 when it was not compared with others.
	Least float64 `json:"least,omitempty" prompt:"-"`
}

// GroundingOutput is its output.
type GroundingOutput struct {
	ID        string `json:"requirement_id"`
	Verified  bool   `json:"verified"`
	Reason    string `json:"rejection_reason"` // "none", or one of the three of state.RejectionReason
	Rationale string `json:"verification_rationale"`
}

// ComposeInput is the input of compose_answer.
type ComposeInput struct {
	Question     string              `json:"question"`
	Requirements []QuotedRequirement `json:"requirements"` // verified
	Conflicts    []ComposeConflict   `json:"conflicts"`
	Draft        string              `json:"draft"`    // that failed its review; empty at first
	Findings     []ComposeFinding    `json:"findings"` // of that draft
}

// ComposeConflict is a conflict between two of the requirements.
type ComposeConflict struct {
	A    string `json:"requirement_a"`
	B    string `json:"requirement_b"`
	Kind string `json:"kind"` // such as "number"
}

// ComposeFinding is an objection of a review.
type ComposeFinding struct {
	Kind   string `json:"kind"`
	Text   string `json:"text"`
	Detail string `json:"detail"`
}

// ComposeOutput is its output.
type ComposeOutput struct {
	Answer     string             `json:"final_answer"`
	References []ComposeReference `json:"requirement_references"`
	Unused     []string           `json:"unused_requirements"`
	Confidence string             `json:"confidence"` // "high", "medium" or "low"
}

// ComposeReference says how an answer uses a requirement.
type ComposeReference struct {
	ID        string `json:"requirement_id"`
	Used      bool   `json:"used_in_answer"`
	Statement string `json:"statement"`
}

// ReviewInput is the input of review_answer.
type ReviewInput struct {
	Question     string              `json:"question"`
	Statements   []ReviewStatement   `json:"statements"`
	Requirements []QuotedRequirement `json:"requirements"` // those that statements cite
}

// ReviewStatement is a statement of the answer.
type ReviewStatement struct {
	N    int      `json:"n"` // 1, 2, 3 …
	Text string   `json:"text"`
	IDs  []string `json:"requirement_ids"`
}

// ReviewOutput is its output.
type ReviewOutput struct {
	Findings []ReviewFinding `json:"findings"` // empty: nothing to object to
}

// ReviewFinding is a fault of a statement.
type ReviewFinding struct {
	Statement int    `json:"statement"` // its number
	Problem   string `json:"problem"`
}
