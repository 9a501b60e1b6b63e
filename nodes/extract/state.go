package extract

import (
	"slices"

	"example.com/assay/graph"
	"example.com/assay/state"
)

// A Box is a rectangle on a page, in the units of its reader: usually pixels, from the upper left
// corner.
type Box struct {
	X1 int `json:"x1"`
	Y1 int `json:"y1"`
	X2 int `json:"x2"` // right of X1
	Y2 int `json:"y2"` // below Y1
}

// A BoxedText is a piece of a document's text with its box: the text's bytes Start..End, all on
// line Row.
type BoxedText struct {
	Row   int `json:"row"` // line of the text, from 1
	Start int `json:"start"`
	End   int `json:"end"` // exclusive
	Box   Box `json:"box"`
}

// A PageStart is the byte at which a page of a document begins.
type PageStart struct {
	Page  int `json:"page"` // from 1
	Start int `json:"start"`
}

// A FieldDocument is the text to extract from.
type FieldDocument struct {
	Source string      `json:"source"` // name of the document
	Text   string      `json:"text"`
	Boxes  []BoxedText `json:"boxes,omitempty"` // in the order of the text; none for text without a layout
	Pages  []PageStart `json:"pages,omitempty"` // in order; none for text without pages

	// Blocks are the fields, rows and items that the document's reader found, in text order.
	Blocks []state.Block `json:"blocks,omitempty"`
}

// A Place is where a value was read: the document's bytes Start..End are exactly Text.
type Place struct {
	Start int    `json:"start"`
	End   int    `json:"end"` // exclusive
	Text  string `json:"text"`
	Page  int    `json:"page,omitempty"`
	Boxes []Box  `json:"boxes,omitempty"`
}

// A FieldValue is the value of one field.
type FieldValue struct {
	Field      string   `json:"field"`    // its path: "total", "items[0].amount"
	Value      string   `json:"value"`    // normalised by the field's type
	Verbatim   string   `json:"verbatim"` // as it was read, white space collapsed
	Confidence float64  `json:"confidence"`
	Place      *Place   `json:"place,omitempty"`      // nil if the document does not contain it
	Normalised []string `json:"normalised,omitempty"` // what turned Verbatim into Value, in order
}

// Severity is the severity of an issue.
type Severity string

const (
	SeverityCritical Severity = "CRITICAL"
	SeverityHigh     Severity = "HIGH"
	SeverityMedium   Severity = "MEDIUM"
	SeverityLow      Severity = "LOW"
)

// Rank is 0 for the most severe.
func (s Severity) Rank() int {
	return slices.Index([]Severity{SeverityCritical, SeverityHigh, SeverityMedium, SeverityLow}, s)
}

// IssueKind is a kind of fault of a field.
type IssueKind string

const (
	IssueMissing       IssueKind = "missing" // required, and without a value
	IssueAbsent        IssueKind = "absent"  // optional, and without a value
	IssueNotInDocument IssueKind = "not_in_document"
	IssueType          IssueKind = "type"
	IssueFormat        IssueKind = "format"
	IssueEnum          IssueKind = "enum"
	IssuePattern       IssueKind = "pattern"
	IssueConstraint    IssueKind = "constraint" // another rule of the schema: a bound, a length
	IssueArithmetic    IssueKind = "arithmetic" // an x-check does not hold
	IssueUnchecked     IssueKind = "unchecked"  // an x-check lacks a value
	IssueDuplicate     IssueKind = "duplicate"
	IssueImplausible   IssueKind = "implausible"
	IssueConfidence    IssueKind = "low_confidence"
	IssueConflict      IssueKind = "conflict" // parts of a long document give different values
	IssueOpinion       IssueKind = "opinion"  // a model's opinion
)

// An Issue is a fault of an extraction.
type Issue struct {
	Kind       IssueKind `json:"kind"`
	Severity   Severity  `json:"severity"`
	Field      string    `json:"field"` // its path; empty for the whole
	Message    string    `json:"message"`
	Suggestion string    `json:"suggestion"`
}

// A Report is the result of the rules for an extraction.
type Report struct {
	Passed           bool    `json:"passed"`
	Score            float64 `json:"score"`             // orders iterations; at most 1.1, and less than 0 with many CRITICAL issues
	Confidence       float64 `json:"confidence"`        // mean of the values
	RequiredCoverage float64 `json:"required_coverage"` // share of required fields with a value that the document contains
	Completeness     float64 `json:"completeness"`      // the same for all fields
	Consistency      float64 `json:"consistency"`       // share of checks across fields that hold
	Issues           []Issue `json:"issues"`            // the most severe first
}

// An Iteration is one extraction and the findings on it.
type Iteration struct {
	N       int          `json:"n"` // from 1
	Values  []FieldValue `json:"values"`
	Report  Report       `json:"report"`
	Changed []string     `json:"changed_fields"` // compared with the previous iteration; all in the first
}

// Decision is the next action of the extraction pipeline.
type Decision string

const (
	decideFinish Decision = "finish"
	decideRefine Decision = "refine"
)

// State is the state of the extraction pipeline. Nodes change it only through
// the channels below.
type State struct {
	Document   FieldDocument    `json:"document"`
	Values     []FieldValue     `json:"values"`             // of the last extraction, by the order of the schema
	Conflicts  []Issue          `json:"conflicts"`          // between parts of a long document, of the last extraction
	Opinions   []Issue          `json:"opinions,omitempty"` // of a model, on the last extraction
	Iterations []Iteration      `json:"iterations"`
	Decision   Decision         `json:"decision,omitempty"`
	Stopped    string           `json:"stopped,omitempty"` // why the loop ended
	Failure    string           `json:"failure,omitempty"` // the call that failed, when one did
	Losses     []state.Loss     `json:"losses,omitempty"`  // calls that failed while the run went on
	Warnings   []string         `json:"warnings,omitempty"`
	Usage      state.ModelUsage `json:"usage"`
}

// Channels of State.
var (
	documentChannel   = graph.LastValue("document", func(s *State) *FieldDocument { return &s.Document })
	valuesChannel     = graph.LastValue("values", func(s *State) *[]FieldValue { return &s.Values })
	conflictsChannel  = graph.LastValue("conflicts", func(s *State) *[]Issue { return &s.Conflicts })
	opinionsChannel   = graph.LastValue("opinions", func(s *State) *[]Issue { return &s.Opinions })
	iterationsChannel = graph.Append("iterations", func(s *State) *[]Iteration { return &s.Iterations })
	decisionChannel   = graph.LastValue("decision", func(s *State) *Decision { return &s.Decision })
	stoppedChannel    = graph.LastValue("stopped", func(s *State) *string { return &s.Stopped })
	failureChannel    = graph.LastValue("failure", func(s *State) *string { return &s.Failure })
	lossesChannel     = graph.Append("losses", func(s *State) *[]state.Loss { return &s.Losses })
	warningsChannel   = graph.Append("warnings", func(s *State) *[]string { return &s.Warnings })
	usageChannel      = graph.Reduce("usage", func(s *State) *state.ModelUsage { return &s.Usage }, state.ModelUsage.Plus)
)

// channels returns every channel of State, for NewStateGraph.
func channels() []graph.Channel[State] {
	return []graph.Channel[State]{
		documentChannel, valuesChannel, conflictsChannel, opinionsChannel, iterationsChannel,
		decisionChannel, stoppedChannel, failureChannel, lossesChannel, warningsChannel, usageChannel,
	}
}

// InDocument returns the values that the document contains.
func InDocument(list []FieldValue) []FieldValue {
	return slices.DeleteFunc(slices.Clone(list), func(v FieldValue) bool { return v.Place == nil })
}

// Best returns the iteration with the highest score, the earliest of equals.
func (s State) Best() (Iteration, bool) {
	if len(s.Iterations) == 0 {
		return Iteration{}, false
	}
	best := s.Iterations[0]
	for _, it := range s.Iterations[1:] {
		if it.Report.Score > best.Report.Score {
			best = it
		}
	}
	return best, true
}

// BoxesIn returns the boxes of the document's bytes start..end.
func (d FieldDocument) BoxesIn(start, end int) []Box {
	var out []Box
	for _, b := range d.Boxes {
		if b.Start < end && start < b.End {
			out = append(out, b.Box)
		}
	}
	return out
}

// PageAt returns the page of a byte, 0 in a document without pages.
func (d FieldDocument) PageAt(at int) int {
	page := 0
	for _, p := range d.Pages {
		if p.Start > at {
			break
		}
		page = p.Page
	}
	return page
}
