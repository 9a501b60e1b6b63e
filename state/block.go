package state

import "slices"

// A BlockKind is the kind of a part of a document.
type BlockKind string

// The kinds of blocks. Paragraphs without a label or number are not listed: they are the text
// between the blocks of a passage.
const (
	BlockHeading    BlockKind = "heading"    // heads the text after it, within a passage
	BlockParagraph  BlockKind = "paragraph"  // running text that has a number or a heading inside its passage
	BlockItem       BlockKind = "item"       // of a list; its label is the sentence that introduces the list
	BlockStep       BlockKind = "step"       // of a numbered list
	BlockClause     BlockKind = "clause"     // a numbered part of a text
	BlockRow        BlockKind = "row"        // of a table
	BlockField      BlockKind = "field"      // a label and its value; Start to End is both
	BlockAnswer     BlockKind = "answer"     // below its question, which is the label
	BlockDefinition BlockKind = "definition" // of a term, which is the label
	BlockCode       BlockKind = "code"       // unchanged
	BlockQuoted     BlockKind = "quoted"     // an earlier mail or message that a later one repeats
)

// A Block is a typed part of a passage: the bytes Start..End of the passage's text. Context that
// its bytes lack is in Label, Under, Number and the headers of its cells. It is searched and shown
// with the block, but is not part of a quote.
type Block struct {
	Kind   BlockKind `json:"kind"`
	Start  int       `json:"start"`
	End    int       `json:"end"`
	Label  string    `json:"label,omitempty"`
	Under  string    `json:"under,omitempty"`  // the headings inside the text that it stands under, outermost first, joined by " > "
	Number string    `json:"number,omitempty"` // its address, such as "7.2", "5(1)(b)" or "3"
	Cells  []Cell    `json:"cells,omitempty"`  // of a row: its columns in order; of a field: its value
}

// A Cell is a value of a row or a field: the bytes Start..End of the passage's text. Header is the
// name of its column, or "". A cell that spans several rows is a cell of each; in those without its
// bytes Start equals End and Text has its content.
type Cell struct {
	Header string `json:"header,omitempty"`
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Text   string `json:"text,omitempty"`
}

// Equal reports whether two blocks are the same in everything.
func (b Block) Equal(c Block) bool {
	return b.Kind == c.Kind && b.Start == c.Start && b.End == c.End && b.Label == c.Label && b.Under == c.Under && b.Number == c.Number && slices.Equal(b.Cells, c.Cells)
}

// ValidFrom is the day from which a passage's document is valid, else the day on which it was
// written, if known: "2025-01-31", "2025-01" or "2025"; else "".
func (p Passage) ValidFrom() string {
	for _, key := range []string{"valid_from", "date", "modified", "created"} {
		if v := p.Metadata[key]; len(v) >= 4 && v[0] >= '0' && v[0] <= '9' {
			return v
		}
	}
	return ""
}
