package claims

import (
	"example.com/assay/state"
)

// A Label is the judgement of a person or a judge.
type Label string

// Labels are those of state.ClaimStatus and, only in the format scifact, Contradicted.
const (
	Supported          = Label(state.Supported)
	PartiallySupported = Label(state.PartiallySupported)
	Unsupported        = Label(state.Unsupported)
	Contradicted       = Label("contradicted")
)

// An Item is a claim, or a whole response, with the evidence that people
// judged it by.
type Item struct {
	ID       string
	Group    string // items of one group have the same subject and stay together in cross-validation
	Text     string
	Evidence []state.Evidence
	Gold     Label
}

// A Dataset is a judged collection. It does not change after reading.
type Dataset struct {
	Format    string
	Items     []Item // in the order of the file; ids distinct
	Responses bool   // items are whole responses, not single claims
	Labels    []Label
	Hash      string // SHA-256 over the items' ids, texts, evidence and labels, in hexadecimal
}
