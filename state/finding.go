package state

// RejectionReason is the first criterion that a requirement misses.
type RejectionReason string

const (
	NotRelevant     RejectionReason = "does_not_address_question"
	NeedsInference  RejectionReason = "requires_inference"
	IncompleteQuote RejectionReason = "incomplete_quote"
	NotJudged       RejectionReason = "not_judged" // no verdict could be had; Error says why
)

// FindingKind is a kind of fault in a model's text.
type FindingKind string

const (
	FindNotVerbatim  FindingKind = "not_verbatim"  // a quote that its passage does not contain byte for byte
	FindPlaceholder  FindingKind = "placeholder"   // a quote of text that is still to be written
	FindOrders       FindingKind = "gives_orders"  // a quote with a prompt injection
	FindNotJSON      FindingKind = "not_json"      // an answer that does not fit its schema
	FindUnknownID    FindingKind = "unknown_id"    // an id that no requirement has
	FindRejectedID   FindingKind = "rejected_id"   // the ID of an unverified requirement
	FindUncited      FindingKind = "uncited"       // a statement without an id
	FindUnsupported  FindingKind = "unsupported"   // a statement that its quotes do not support
	FindContradicted FindingKind = "contradicted"  // a number, a modality or another word that its quotes do not have
	FindOneSided     FindingKind = "one_sided"     // one of two conflicting requirements is left out
	FindByModel      FindingKind = "model_finding" // an objection of the reviewing model
	FindNoStatement  FindingKind = "no_statement"  // an answer that says nothing
	FindNotHad       FindingKind = "not_had"       // a call of a model that failed
	FindLimit        FindingKind = "limit"         // parts omitted because of a limit
)
