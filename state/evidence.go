package state

import (
	"maps"
	"slices"
)

// A Passage is a span of a document. Start and End are byte offsets into the text named by Source,
// and that text's bytes Start..End are exactly Text. For markdown and plain text the source is the
// file itself; for every other format it is the text that the corpus extracted.
type Passage struct {
	ID      string `json:"id"`                // unique in its corpus, stable while the text is unchanged
	Doc     string `json:"doc"`               // the document's id; passages of one document share it
	Title   string `json:"title,omitempty"`   // the document's title
	Section string `json:"section,omitempty"` // headings above the passage, outermost first, joined by " > "
	Text    string `json:"text"`
	Start   int    `json:"start"`             // bytes
	End     int    `json:"end"`               // bytes, exclusive
	Source  string `json:"source"`            // slash-separated name of the text within the corpus
	Page    int    `json:"page,omitempty"`    // 1-based page, for paged formats
	Element string `json:"element,omitempty"` // CSS selector of the element that the text begins in, for HTML
	Line    int    `json:"line,omitempty"`    // 1-based line of the record, for CSV and JSONL

	// Blocks are the typed parts of the text, in order, without overlap.
	Blocks []Block `json:"blocks,omitempty"`

	// Orders are the prompt injections that a detector found in the passage during the search. The
	// passage in its corpus has none.
	Orders []Order `json:"orders,omitempty"`

	// Metadata is the metadata of the document or record, and its directory and file type. Several
	// values are separated by newlines. The map is shared between passages and read-only.
	Metadata map[string]string `json:"metadata,omitempty"`
}

// An Order is a prompt injection in a passage: the bytes Start..End of the passage's text.
type Order struct {
	Kind  string `json:"kind"` // such as "override"
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// Equal reports whether two passages are the same in everything.
func (p Passage) Equal(q Passage) bool {
	return p.ID == q.ID && p.Doc == q.Doc && p.Title == q.Title && p.Section == q.Section && p.Text == q.Text &&
		p.Start == q.Start && p.End == q.End && p.Source == q.Source && p.Page == q.Page && p.Element == q.Element &&
		p.Line == q.Line && maps.Equal(p.Metadata, q.Metadata) && slices.Equal(p.Orders, q.Orders) &&
		slices.EqualFunc(p.Blocks, q.Blocks, Block.Equal)
}

// A Score is one ranker's score of a passage. Values of different rankers are not comparable.
type Score struct {
	Ranker string  `json:"ranker"`
	Value  float64 `json:"value"`
}

// A Hit is a passage that a search returned, with its place and the score of
// every ranker that saw it, the fused score first.
type Hit struct {
	Passage Passage `json:"passage"`
	Rank    int     `json:"rank"` // 1-based
	Scores  []Score `json:"scores"`

	// Near is the similarity of each part of the passage to the query, at most 1, in the order of
	// memory/answer's Readings; nil without an encoder.
	Near []float64 `json:"near,omitempty"`
	// Read has, for the few parts that an encoder read together with the question, the log-odds
	// that the part answers it, by the part's index in that order.
	Read map[int]float64 `json:"read,omitempty"`

	Copies []string  `json:"copies,omitempty"` // IDs of omitted passages that say the same, best first
	Before []Passage `json:"before,omitempty"` // the passages before it in its document, in their order, where they were asked for
	After  []Passage `json:"after,omitempty"`  // and those after it
}

// A Quote is a span of a passage's document: the bytes Start..End of the
// text named by Source are exactly Text.
type Quote struct {
	Passage string `json:"passage"` // passage id
	Source  string `json:"source"`
	Start   int    `json:"start"` // bytes in the source, not in the passage
	End     int    `json:"end"`   // bytes, exclusive
	Text    string `json:"text"`
}

// A Citation ties a place in a step's answer to a passage that the step read.
type Citation struct {
	N       int     `json:"n"`                // the number in "[Source N]": the passage is the step's hit N, counted from 1
	Passage string  `json:"passage"`          // its id
	Quotes  []Quote `json:"quotes,omitempty"` // the answer's quotes from it, in order of appearance; empty for a paraphrase
}

// QuoteIn returns the quote of p that starts at byte from of p.Text and is
// length bytes long. The caller vouches for the range.
func QuoteIn(p Passage, from, length int) Quote {
	return Quote{
		Passage: p.ID, Source: p.Source,
		Start: p.Start + from, End: p.Start + from + length,
		Text: p.Text[from : from+length],
	}
}
