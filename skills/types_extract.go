package skills

// Names of the extraction skills.
const (
	ExtractFields    = "extract_fields"
	RefineExtraction = "refine_extraction"
	VerifyExtraction = "verify_extraction"
)

// FieldSpec is a field that is looked for.
type FieldSpec struct {
	Path        string   `json:"path"`     // "total"; "items[].amount" for each element of a list
	Type        string   `json:"type"`     // string, number, integer or boolean
	Format      string   `json:"format"`   // date, currency, company, …; may be empty
	Required    string   `json:"required"` // "required" or "optional"
	Description string   `json:"description"`
	Anchors     []string `json:"anchors"`   // labels near the value
	Enum        []string `json:"enum"`      // the allowed values; empty if all are
	Pattern     string   `json:"pattern"`   // regular expression; may be empty
	Normalise   []string `json:"normalise"` // how the value is to be written
	Minimum     *float64 `json:"minimum,omitempty" prompt:"-"`
	Maximum     *float64 `json:"maximum,omitempty" prompt:"-"`
}

// LaidOut is the place on the page of bytes of a text.
type LaidOut struct {
	Row   int `json:"row"`   // line of the text, from 1
	Start int `json:"start"` // bytes of the text
	End   int `json:"end"`   // exclusive
	X1    int `json:"x1"`
	Y1    int `json:"y1"`
	X2    int `json:"x2"`
	Y2    int `json:"y2"`
}

// A TextBlock is a typed part of a text, found by the document's reader: a field with its label and
// value, a row with its cells, an item of a list, and so on.
type TextBlock struct {
	Kind  string     `json:"kind"`
	Start int        `json:"start"` // bytes of the text
	End   int        `json:"end"`   // exclusive
	Label string     `json:"label,omitempty"`
	Under string     `json:"under,omitempty"` // the headings above it
	Cells []TextCell `json:"cells,omitempty"`
}

// A TextCell is a value of a row or a field.
type TextCell struct {
	Header string `json:"header,omitempty"` // of its column
	Start  int    `json:"start"`
	End    int    `json:"end"`
}

// ExtractInput is the input of extract_fields.
type ExtractInput struct {
	Fields []FieldSpec `json:"fields"`
	Text   string      `json:"text"`
	Boxes  []LaidOut   `json:"boxes"`             // none for text without a layout
	Blocks []TextBlock `json:"blocks" prompt:"-"` // in the order of the text; none if they were not looked for
}

// ExtractedField is a value that a model found.
type ExtractedField struct {
	Path       string  `json:"path"`       // with indices: "items[0].amount"
	Value      string  `json:"value"`      // as text, also of numbers
	Quote      string  `json:"quote"`      // where it was read, word for word
	Row        int     `json:"row"`        // line of the text on which the quote begins, from 1; 0 when not known
	Confidence float64 `json:"confidence"` // 0..1
}

// ExtractOutput is the output of extract_fields and of refine_extraction.
type ExtractOutput struct {
	Fields []ExtractedField `json:"fields"`
}

// ExtractionIssue is a fault of an extraction.
type ExtractionIssue struct {
	Severity   string `json:"severity"` // CRITICAL, HIGH, MEDIUM or LOW
	Field      string `json:"field"`    // may be empty
	Message    string `json:"message"`
	Suggestion string `json:"suggestion"`
}

// RefineInput is the input of refine_extraction.
type RefineInput struct {
	Issues   []ExtractionIssue `json:"issues"` // the most severe first
	Previous []ExtractedField  `json:"previous"`
	Fields   []FieldSpec       `json:"fields"`
	Text     string            `json:"text"`
	Boxes    []LaidOut         `json:"boxes"`
	Blocks   []TextBlock       `json:"blocks" prompt:"-"`
}

// VerifyExtractionInput is the input of verify_extraction.
type VerifyExtractionInput struct {
	Fields []FieldSpec      `json:"fields"`
	Values []ExtractedField `json:"values"`
	Text   string           `json:"text"`
}

// VerifyExtractionOutput is its output.
type VerifyExtractionOutput struct {
	Issues []ExtractionIssue `json:"issues"` // none if everything is right
}
