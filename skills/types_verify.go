package skills

// Names of the verification skills.
const (
	JudgeClaim         = "judge_claim"
	GapQueries         = "gap_queries"
	RegenerateResponse = "regenerate_response"
)

// JudgeInput is the input of judge_claim.
type JudgeInput struct {
	Claim   string   `json:"claim"`
	Sources []Source `json:"sources"`
}

// JudgeOutput is its output.
type JudgeOutput struct {
	Status     string        `json:"status"`     // "supported", "partially_supported" or "unsupported"
	Confidence float64       `json:"confidence"` // 0..1 that the sources support the whole claim
	Quotes     []SourceQuote `json:"quotes"`     // the strongest first
	Against    []SourceQuote `json:"against"`
	Reason     string        `json:"reason"`
}

// SourceQuote is text that a model attributes to a source verbatim.
type SourceQuote struct {
	Source int    `json:"source"` // its number
	Text   string `json:"text"`
}

// JudgedClaim is a claim with its verdict.
type JudgedClaim struct {
	ID     int    `json:"id"`
	Text   string `json:"text"`   // as in the response
	Status string `json:"status"` // as in JudgeOutput
	Why    string `json:"why"`

	Nearest *Nearest `json:"nearest,omitempty" prompt:"-"` // nil where no encoder took part
}

// Nearest is the part of the evidence nearest to a claim in meaning.
type Nearest struct {
	Text string  `json:"text"`
	Cite string  `json:"cite"`
	Near float64 `json:"near"` // 1 for the same
}

// GapInput is the input of gap_queries.
type GapInput struct {
	Question string        `json:"question"`
	Claims   []JudgedClaim `json:"claims"`
	Asked    []string      `json:"asked"`
}

// GapOutput is its output.
type GapOutput struct {
	Queries []GapQuery `json:"queries"`
}

// GapQuery is a search for evidence for or against a claim.
type GapQuery struct {
	ClaimID int    `json:"claim_id"`
	Query   string `json:"query"`
}

// RegenerateInput is the input of regenerate_response. Its output is text.
type RegenerateInput struct {
	Question string        `json:"question"`
	Response string        `json:"response"`
	Claims   []JudgedClaim `json:"claims"` // in the order of the response
	Sources  []CitedSource `json:"sources"`
}

// CitedSource is a source and the mark by which a response cites it.
type CitedSource struct {
	Source
	Cite string `json:"cite"` // brackets included: "[Source 2]", "[Query 1][Source 2]"
}
