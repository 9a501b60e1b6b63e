// Package proof holds an answer together with what it stands on, in one form for every
// pipeline: the documents, the passages that were read, and what was found about each
// part of the answer.
//
// It decides nothing, reads no file and draws nothing. A pipeline makes a Proof of its
// answer with a [Builder]; package run of the page lays it out.
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
	Asked    string             // what was searched for, if the question leaned on the one before it
	Respelt  []state.Respelling // words of the question that were searched for as others
	Given    bool               // Answer is a text that the caller gave: the findings are the result
	Answer   string             // markdown, without a list of sources; empty when there is none
	Choice   string             // the letter chosen, if there was a choice
	Result   json.RawMessage    // what a schema describes; nil for a pipeline without one

	RunID  string // empty for a run that has none
	Model  string
	Corpus string
	Used   string // calls and tokens of models, in words; empty for the offline model
	Cost   string // of them, in words; empty when none was counted

	Status state.Status
	Tone   Tone
	Words  string // how the run ended, in a sentence; empty for an answer that holds, or says so itself

	Measures  []Measure
	Warnings  []string
	Documents []Document
	Passages  []Passage
	Nearest   *Nearest // of an answer that is none
	Findings  []Finding
	Notes     []Note
}

// A Measure is a figure or a count, in words.
type Measure struct {
	Name, Text string // "claims", "3 of 4 supported"
	Phrase     string // what both say in a line of several: "3 of 4 claims supported". Default: Name and Text
	Aside      bool   // of interest only to who wants to know all
}

// Words is the measure in a line of several.
func (m Measure) Words() string { return cmp.Or(m.Phrase, m.Name+" "+m.Text) }

// A Document is a text that passages and quotes count their bytes in.
type Document struct {
	Name     string // in its corpus, or a path
	Path     string // of the file whose bytes are counted; empty when it is kept nowhere
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
	Stale string // why the file no longer held it when the answer was given
}

// Nearest is the passage that came nearest to a question without an answer.
type Nearest struct {
	Quote
	Where string
	Why   string // why it does not answer
}

// Kind is what a finding is about.
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

// A Finding is what was found about a part of an answer.
type Finding struct {
	ID         string // unique in its proof, of letters, digits and hyphens
	Kind       Kind
	Label      string // short: "3", "REQ-S001", a field's path
	Text       string
	Span       *Span // of the answer's bytes, which are Text; nil when it is not known to stand there
	Verdict    string
	Tone       Tone
	Aside      bool     // of interest only to who wants to know all
	Confidence *float64 // 0 to 1; nil when none was measured
	Decided    []Decision
	Quotes     []Quote
	Rests      []string // ids of the findings that it stands on
}

// Name is what a finding is called: "claim 3", "field total".
func (f Finding) Name() string { return string(f.Kind) + " " + f.Label }

// A Span is a range of bytes.
type Span struct{ Start, End int } // End is exclusive

// A Decision is what decided a verdict, in words.
type Decision struct {
	Label    string // short: "number", "reason"; may be empty
	Tone     Tone
	Text     string
	Words    string // of the finding's text that it is about; may be empty
	Evidence string // words of a quote that speak against them; may be empty
}

// A Stand is how a quote stands to what it is quoted for.
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
	Boxes []Box // where it stands on the page, if that is known
}

// A Box is a rectangle on a page, from the upper left corner, in the units of who read
// the page.
type Box struct{ X1, Y1, X2, Y2 int }

// A Note is what else was noticed: a conflict, an issue, what is missing.
type Note struct {
	Group string // "Missing evidence"
	Label string // short; may be empty
	Tone  Tone
	Text  string
	About []string // ids of findings
	Aside bool     // of interest only to who wants to know all
}

// Content is a document as it stands.
type Content struct {
	Text    string
	Changed bool    // it is known not to be what was read: nothing of it is marked
	Held    bool    // the run holds it, and where it was read from was not looked at again
	Pieces  []Piece // for a text that was read from pages with a layout
}

// A Piece is a part of a text that stands in a box of a page: the bytes Start..End.
type Piece struct {
	Start, End int
	Page       int // from 1; 0 in a document of one page
	Box        Box
}

// Documents reads a document as it stands. The error says why that is not possible, in
// words for a reader. An implementation reads only what this reader may see.
type Documents func(ctx context.Context, d Document) (Content, error)
