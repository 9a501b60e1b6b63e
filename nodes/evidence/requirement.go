package evidence

import (
	"cmp"
	"example.com/assay/decide/obligation"
	"example.com/assay/memory/text"
	"example.com/assay/state"
	"slices"
	"strings"
)

// SourceType is the kind of document that a requirement stands in.
type SourceType string

const (
	Statute SourceType = "statute" // laws, codes, regulations
	Policy  SourceType = "policy"  // manuals, procedures, and whatever says nothing of its kind
)

// ExtractionConfidence is how sure it is that a quote lays a requirement down.
type ExtractionConfidence string

const (
	ExtractHigh   ExtractionConfidence = "high"   // an explicit word of duty or prohibition, in a whole sentence
	ExtractMedium ExtractionConfidence = "medium" // stated plainly, or an excerpt of a long sentence
	ExtractLow    ExtractionConfidence = "low"    // it refers elsewhere, leaves a condition out, or code sees no duty in it
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
	// Degree says whether it is a norm in so many words, stated plainly, or elsewhere.
	Degree obligation.Degree `json:"degree"`
	// Label is what its block stands under and does not say itself: a question, a lead-in, a
	// term, the headers of a row.
	Label string `json:"label,omitempty"`
	Whole bool   `json:"whole,omitempty"` // it begins where its block or sentence begins
	Cut   bool   `json:"cut,omitempty"`   // words of the sentence are left out
	// Relevance is how much of the question it speaks of, from 0 to 1, by code.
	Relevance float64 `json:"relevance"`
	// Answers says that it holds the stretch that answers the question by its meaning, in
	// whatever words.
	Answers bool `json:"answers,omitempty"`
	// Stems are what the quote needs before it, where it does not hold it: the lead-ins
	// of the lists that it is an item of, the outermost first, or the sentence that it
	// leans on.
	Stems []state.Quote `json:"stems,omitempty"`
	// Refers are the parts of documents that the quote names.
	Refers []CrossReference `json:"cross_references,omitempty"`
	// SameAs are the ids of requirements with the same words.
	SameAs []string `json:"same_as,omitempty"`
}

// compare puts first what answers, then what speaks of more of the question.
func (r Requirement) compare(o Requirement) int {
	if r.Answers != o.Answers {
		if r.Answers {
			return -1
		}
		return 1
	}
	return cmp.Compare(o.Relevance, r.Relevance)
}

// Spoken is the quote behind its stems, with single spaces: what a statement may
// say and a judge reads. Three dots stand where something is left out.
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

// mostSpace is the space between two lines of a list, in bytes; more is text.
const mostSpace = 12

// A CrossReference is a part of a document that a requirement names.
type CrossReference struct {
	Text     string `json:"text"`                  // as the quote writes it
	Passage  string `json:"chunk_id,omitempty"`    // that holds it; empty when the corpus does not
	Document string `json:"document_id,omitempty"` // of that passage
	Linked   bool   `json:"linked"`
}

// A Verdict says whether a requirement may be used for an answer.
type Verdict struct {
	ID        string                `json:"requirement_id"`
	Verified  bool                  `json:"verified"`
	Reason    state.RejectionReason `json:"rejection_reason,omitempty"` // empty when verified
	Rationale string                `json:"verification_rationale"`
	Error     string                `json:"error,omitempty"` // what kept the model from judging; the requirement then counts as rejected
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
	Statement string `json:"statement"` // the first that cites it; empty when unused
}

// A Conflict is a pair of verified requirements on the same subject
// that cannot both be followed as they are written.
type Conflict struct {
	A      string             `json:"requirement_a"`
	B      string             `json:"requirement_b"`
	Kind   state.ConflictKind `json:"kind"`
	WordsA string             `json:"words_a"`
	WordsB string             `json:"words_b"`
}

// A Finding is a fault that was caught, its place, and what was done about it.
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
