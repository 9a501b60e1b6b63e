package evidence

import (
	"cmp"
	"example.com/assay/decide/obligation"
	"example.com/assay/memory/text"
	"example.com/assay/state"
	"slices"
	"strings"
)

// SourceType is the kind of a requirement's document.
type SourceType string

const (
	Statute SourceType = "statute" // laws, codes, regulations
	Policy  SourceType = "policy"  // manuals, procedures, and documents without a declared kind
)

// ExtractionConfidence says how certain it is that a quote states a requirement.
type ExtractionConfidence string

const (
	ExtractHigh   ExtractionConfidence = "high"   // an explicit word of duty or prohibition, in a whole sentence
	ExtractMedium ExtractionConfidence = "medium" // stated plainly, or an excerpt of a long sentence
	ExtractLow    ExtractionConfidence = "low"    // refers elsewhere, leaves a condition out, or code finds no duty in it
)

// A Requirement is a sentence that lays down what must or must not be done.
type Requirement struct {
	ID         string               `json:"requirement_id"` // "REQ-S001" of a statute, "REQ-P001" of a policy
	SourceType SourceType           `json:"source_type"`
	Document   string               `json:"document_id"`
	Title      string               `json:"document_title,omitempty"`
	Heading    string               `json:"section_heading"`
	Quote      string               `json:"exact_quote"` // the bytes Start..End of Source
	Chunk      string               `json:"chunk_id"`
	Source     string               `json:"source"`
	Start      int                  `json:"start"` // bytes
	End        int                  `json:"end"`   // bytes, exclusive
	Confidence ExtractionConfidence `json:"extraction_confidence"`
	// Degree says whether the quote is an explicit norm, states one plainly, or neither.
	Degree obligation.Degree `json:"degree"`
	// Label is the context above the quote's block: a question, a lead-in, a term, the headers of a
	// row.
	Label string `json:"label,omitempty"`
	Whole bool   `json:"whole,omitempty"` // the quote begins at the beginning of its block or sentence
	Cut   bool   `json:"cut,omitempty"`   // the quote leaves out words of its sentence
	// Relevance is the share of the question that the quote covers, from 0 to 1, computed by code.
	Relevance float64 `json:"relevance"`
	// Answers says that the quote contains the stretch that answers the question by its meaning.
	Answers bool `json:"answers,omitempty"`
	// Stems are quotes that must precede this one and are not part of it: the lead-ins of its
	// lists, outermost first, or the sentence that it depends on.
	Stems []state.Quote `json:"stems,omitempty"`
	// Refers are the parts of documents that the quote names.
	Refers []CrossReference `json:"cross_references,omitempty"`
	// SameAs are the ids of requirements with the same words.
	SameAs []string `json:"same_as,omitempty"`
}

// compare orders by Answers, then by Relevance.
func (r Requirement) compare(o Requirement) int {
	if r.Answers != o.Answers {
		if r.Answers {
			return -1
		}
		return 1
	}
	return cmp.Compare(o.Relevance, r.Relevance)
}

// Spoken returns the quote after its stems, with single spaces, as a judge reads it. Three dots
// mark omissions.
func (r Requirement) Spoken() string {
	words, at := "", r.Start
	if len(r.Stems) > 0 {
		at = r.Stems[0].Start
	}
	for _, q := range append(slices.Clone(r.Stems), state.Quote{Start: r.Start, End: r.End, Text: r.Quote}) {
		if q.Start > at+mostSpace || r.Cut && !r.Whole && q.Start == r.Start {
			words += "… "
		}
		words += text.OneLine(q.Text) + " "
		at = q.End
	}
	if words = strings.TrimSpace(words); r.Cut && !strings.HasSuffix(words, ".") {
		words += " …"
	}
	return words
}

// mostSpace is the maximum space between two lines of a list, in bytes; more than that is text.
const mostSpace = 12

// A CrossReference is a part of a document that a requirement names.
type CrossReference struct {
	Text     string `json:"text"`                  // as the quote writes it
	Passage  string `json:"chunk_id,omitempty"`    // the passage that contains it; empty if the corpus does not
	Document string `json:"document_id,omitempty"` // of that passage
	Linked   bool   `json:"linked"`
}

// A Verdict says whether an answer may use a requirement.
type Verdict struct {
	ID        string                `json:"requirement_id"`
	Verified  bool                  `json:"verified"`
	Reason    state.RejectionReason `json:"rejection_reason,omitempty"` // empty when verified
	Rationale string                `json:"verification_rationale"`
	Error     string                `json:"error,omitempty"` // why the model did not judge; the requirement then counts as rejected
}

// A Statement is a sentence of an answer with the requirements that it cites.
type Statement struct {
	Text  string   `json:"statement"` // without its marks
	IDs   []string `json:"requirement_ids"`
	Start int      `json:"start"` // bytes of the answer, marks included
	End   int      `json:"end"`   // bytes, exclusive
}

// A Reference says how an answer uses a requirement.
type Reference struct {
	ID        string `json:"requirement_id"`
	Used      bool   `json:"used_in_answer"`
	Statement string `json:"statement"` // the first statement that cites it; empty when unused
}

// A Conflict is a pair of verified requirements with the same subject that cannot both be followed
// as written.
type Conflict struct {
	A      string             `json:"requirement_a"`
	B      string             `json:"requirement_b"`
	Kind   state.ConflictKind `json:"kind"`
	WordsA string             `json:"words_a"`
	WordsB string             `json:"words_b"`
}

// A Finding is a detected fault with its place and its treatment.
type Finding struct {
	Stage    string            `json:"stage"` // the node
	Kind     state.FindingKind `json:"kind"`
	Revision int               `json:"revision"` // of the answer; 0 is the first
	IDs      []string          `json:"requirement_ids,omitempty"`
	Chunk    string            `json:"chunk_id,omitempty"`
	Text     string            `json:"text"`   // the words at fault, cut to 500 bytes
	Detail   string            `json:"detail"` // what is wrong
	Outcome  string            `json:"outcome,omitempty"`
}
