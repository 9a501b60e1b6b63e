// Package proof has an answer together with its evidence, in the same form for every pipeline: the
// documents, the passages that were read, and the findings on each part of the answer.
//
// A pipeline makes a Proof of its answer with a [Builder]; serve/page/run displays it. The package
// makes no decisions, reads no files and draws nothing.
package proof

import (
	"cmp"
	"context"
	"encoding/json"

	"example.com/assay/state"
)

// A Tone says how good a word is news. Pages give it a colour and a sign.
type Tone string

const (
	Good  Tone = "good"
	Warn  Tone = "warn"
	Bad   Tone = "bad"
	Plain Tone = "plain"
)

// A Proof is an answer with its evidence.
type Proof struct {
	Pipeline string
	Question string
	Asked    string             // the question as searched, if it depended on the one before
	Respelt  []state.Respelling // words of the question that were searched for as others
	Given    bool               // Answer is a text that the caller gave: the findings are the result
	Draft    *Draft             // that text without marks, and how to correct it; nil if Given is not set
	Answer   string             // markdown, without a list of sources; empty without an answer
	Choice   string             // the letter chosen, if there was a choice
	Result   json.RawMessage    // data with a schema; nil for a pipeline without one

	RunID  string // empty for a run without one
	Model  string
	Corpus string
	Used   string // calls and tokens of models, in words; empty for the offline model
	Cost   string // of them, in words; empty when none was counted

	Status state.Status
	Tone   Tone
	Words  string // the outcome, in a sentence; empty for a supported answer, or one that states it itself

	Measures  []Measure
	Warnings  []string
	Documents []Document
	Passages  []Passage
	Nearest   *Nearest // for a refusal
	Findings  []Finding
	Notes     []Note
}

// A Measure is a figure or a count, in words.
type Measure struct {
	Name, Text string // "claims", "3 of 4 supported"
	Phrase     string // both in a line of several measures: "3 of 4 claims supported". Default: Name and Text
	Aside      bool   // detail, shown on demand
	Usual      bool   // it says only that all is well, or how much was done: pages and chats show it on demand
}

// Words is the measure in a line of several.
func (m Measure) Words() string { return cmp.Or(m.Phrase, m.Name+" "+m.Text) }

// A Document is a text that passages and quotes count their bytes in.
type Document struct {
	Name     string // in its corpus, or a path
	Path     string // of the file in which offsets count; empty if it is not stored
	Original string // the file that the text was extracted from, if it is another
}

// A Passage is a part of a document as it was read: its bytes Start..End were Text.
type Passage struct {
	Doc   int      // index of its document
	Head  string   // "Source 2"
	Marks []string // by which the answer cites it: "[Query 1][Source 2]"
	Where string   // title, section, page and line
	Start int      // bytes
	End   int      // bytes, exclusive
	Text  string
	Stale string // why the file no longer contained it when the answer was given
}

// Nearest is the passage that came nearest to a question without an answer.
type Nearest struct {
	Quote
	Where string
	Why   string // why it does not answer
}

// Kind is the subject of a finding.
type Kind string

const (
	Claim       Kind = "claim"
	Reason      Kind = "reason" // for or against a choice
	Statement   Kind = "statement"
	Requirement Kind = "requirement"
	Edge        Kind = "edge"
	Field       Kind = "field"
	Term        Kind = "term"  // with its definition
	Quoted      Kind = "quote" // a quotation of the answer that no claim was checked of
)

// A Finding is a result on a part of an answer.
type Finding struct {
	ID         string // unique in its proof, of letters, digits and hyphens
	Kind       Kind
	Label      string // short: "3", "REQ-S001", a field's path
	Text       string
	Span       *Span // of the answer's bytes, which are Text; nil if its place is unknown
	Verdict    string
	Tone       Tone
	Aside      bool     // detail, shown on demand
	Confidence *float64 // 0 to 1; nil if it was not measured
	Decided    []Decision
	Quotes     []Quote
	Rests      []string // IDs of the findings that it depends on
}

// Name returns the name of a finding: "claim 3", "field total".
func (f Finding) Name() string { return string(f.Kind) + " " + f.Label }

// A Span is a range of bytes.
type Span struct{ Start, End int } // End is exclusive

// A Decision is the reason of a verdict, in words.
type Decision struct {
	Label    string // short: "number", "reason"; may be empty
	Tone     Tone
	Text     string
	Words    string // of the finding's text that it is about; may be empty
	Evidence string // contradicting words of a quote; may be empty
}

// A Stand is the relation of a quote to the finding that quotes it.
type Stand string

const (
	For     Stand = "for"
	Against Stand = "against"
	Weighed Stand = "weighed" // it was read for the verdict, and no side of it is recorded
)

// A Quote is a stretch of a document: its bytes Start..End were Text.
type Quote struct {
	Stand Stand
	Doc   int // index of its document
	Start int // bytes
	End   int // bytes, exclusive
	Text  string
	Page  int   // from 1; 0 when it is not known
	Boxes []Box // its place on the page, if known
}

// A Box is a rectangle on a page, from the upper left corner, in the units of the page's reader.
type Box struct{ X1, Y1, X2, Y2 int }

// A Note is a further observation: a conflict, an issue, a missing part.
type Note struct {
	Group string // "Missing evidence"
	Label string // short; may be empty
	Tone  Tone
	Text  string
	About []string // ids of findings
	Aside bool     // detail, shown on demand
}

// Content is the present content of a document.
type Content struct {
	Text    string
	Changed bool    // it differs from what was read: nothing in it is marked
	Held    bool    // it comes from the run, and its origin was not checked again
	Pieces  []Piece // for a text that was read from pages with a layout
	// Blocks are the rows of its tables, and in a mail its fields and the earlier mails, with offsets
	// in Text, in their order.
	Blocks []state.Block
	Paper  *Paper // how the pages of its file look; nil if that cannot be shown
}

// A Paper is the PDF that a text was extracted from.
type Paper struct {
	Address string // by which the reader's browser fetches it
	// Place returns the pages that hold the spans of the text, and those next to them, with the
	// pieces that the letters of the spans are drawn in. A span whose letters are not found has none.
	Place func(ctx context.Context, spans []Span) ([]Page, error)
}

// A Page is a page of a document. Its size is in the units of its boxes.
type Page struct {
	Number        int // from 1; 0 in a document of one page
	Width, Height int
	Pieces        []Piece
}

// A Piece is a part of a text in a box of a page: the bytes Start..End.
type Piece struct {
	Start, End int
	Page       int // from 1; 0 in a document of one page
	Box        Box
}

// Documents returns the present content of a document. The error gives the reason for a reader if
// that is not possible. An implementation reads only documents that this reader may see.
type Documents func(ctx context.Context, d Document) (Content, error)
