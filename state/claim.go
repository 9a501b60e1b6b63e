package state

// ClaimStatus is the degree to which the evidence supports a claim.
type ClaimStatus string

const (
	Supported          ClaimStatus = "supported"
	PartiallySupported ClaimStatus = "partially_supported"
	Unsupported        ClaimStatus = "unsupported"
)

// Evidence is a passage that claims are checked against, under the label by
// which a response cites it.
type Evidence struct {
	Label   string  `json:"label"` // as in a response's mark, without brackets: "Source 1", "Query 2 Source 1", "REQ-S001"
	Passage Passage `json:"passage"`
}

// A Claim is an atomic factual statement of a response: the response's bytes
// Start..End are exactly Text.
type Claim struct {
	ID    int      `json:"id"` // 1, 2, 3 … in the order of the response
	Text  string   `json:"text"`
	Start int      `json:"start"`           // bytes of the response
	End   int      `json:"end"`             // bytes, exclusive
	Cites []string `json:"cites,omitempty"` // labels of its citation marks, in order
	// Context is the text before a claim that makes it readable: the lead-in of its list, the label
	// of its item, the header of its table. It is not part of the span.
	Context string `json:"context,omitempty"`
	// Quotation is the text between the quotation marks around the claim. It is empty if the claim
	// is all of it, or is outside any.
	Quotation string `json:"quotation,omitempty"`
}

// Spoken is the claim in the form in which it is judged: its text after its context.
func (c Claim) Spoken() string {
	if c.Context == "" {
		return c.Text
	}
	return c.Context + " " + c.Text
}

// ConflictKind is the part of a claim that the evidence contradicts or does not have.
type ConflictKind string

const (
	ConflictNumber     ConflictKind = "number"
	ConflictUnit       ConflictKind = "unit" // of measure, or currency
	ConflictDate       ConflictKind = "date"
	ConflictName       ConflictKind = "name"
	ConflictNegation   ConflictKind = "negation"
	ConflictDirection  ConflictKind = "direction" // increases and decreases, before and after
	ConflictQuantifier ConflictKind = "quantifier"
	ConflictModality   ConflictKind = "modality" // may and must, associated with and causes
	ConflictGender     ConflictKind = "gender"   // son and daughter, his and her
	ConflictRole       ConflictKind = "role"     // who did what to whom, who said it
)

// A Conflict is a hard signal, found by code: the claim and the evidence on the same
// thing differ in a word that changes the meaning.
type Conflict struct {
	Kind     ConflictKind `json:"kind"`
	Claim    string       `json:"claim"`              // the claim's words
	Evidence string       `json:"evidence,omitempty"` // those of the evidence; empty if it has none
	Opposed  bool         `json:"opposed,omitempty"`  // the evidence says the contrary, rather than nothing of the kind
}

// A Doubt is a critical part of a claim that the evidence neither shows nor refutes: the claim may
// be supported, but this part was not confirmed.
type Doubt struct {
	Kind  ConflictKind `json:"kind"`
	Claim string       `json:"claim"` // the claim's words
}

// A Verdict is the judgement of one claim.
type Verdict struct {
	Claim
	Status     ClaimStatus `json:"status"`
	Confidence float64     `json:"confidence"`          // 0..1 that the evidence supports the claim
	For        []Quote     `json:"for,omitempty"`       // supporting quotes, the best first
	Against    []Quote     `json:"against,omitempty"`   // quotes with which a conflict was found
	Conflicts  []Conflict  `json:"conflicts,omitempty"` // hard signals
	Doubts     []Doubt     `json:"doubts,omitempty"`    // parts neither found nor refuted, in the order of the claim
	Miscited   bool        `json:"miscited,omitempty"`  // supported, but not by its citations
	Reason     string      `json:"reason"`
	Error      string      `json:"error,omitempty"`    // why the claim could not be judged; it then counts as unsupported
	StandIn    string      `json:"stand_in,omitempty"` // why the judge that was chosen did not give the verdict, and another did
	Cause      Cause       `json:"cause,omitempty"`    // of Error, or of StandIn
}
