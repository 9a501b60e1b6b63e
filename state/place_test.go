package state

import "testing"

// A place is named as a person knows it: slide, sheet, clause, step, row.
func TestWhereIn(t *testing.T) {
	text := "7.1 One.\n\n7.2 Two.\n\nB; Price: 365\n\n8. Late."
	blocks := []Block{
		{Kind: BlockClause, Start: 0, End: 8, Number: "7.1"}, {Kind: BlockClause, Start: 10, End: 18, Number: "7.2"},
		{Kind: BlockRow, Start: 20, End: 33, Cells: []Cell{{Header: "Grade", Start: 20, End: 21}, {Header: "Price", Start: 30, End: 33}}},
		{Kind: BlockClause, Start: 35, End: 43, Number: "7.2(8)"},
	}
	for _, c := range []struct {
		p    Passage
		q    QuoteSpan
		want string
	}{
		{Passage{Title: "Lease", Source: "a.docx"}, QuoteSpan{Start: 114, End: 118}, "Lease, clause 7.2"},
		{Passage{Title: "Lease", Source: "a.pptx", Page: 2}, QuoteSpan{Start: 100, End: 118}, "Lease, slide 2, clauses 7.1 to 7.2"},
		{Passage{Title: "Prices", Section: "Timber", Source: "a.xlsx"}, QuoteSpan{Start: 120, End: 133}, "Prices, sheet Timber, row B"},
		{Passage{Title: "Lease", Section: "Lease > End", Source: "a.pdf", Page: 3}, QuoteSpan{Start: 138, End: 143}, "Lease, End, page 3, clause 8"},
		{Passage{Title: "Lease", Source: "a.md"}, QuoteSpan{}, "Lease"},
	} {
		c.p.Text, c.p.Start, c.p.Blocks = text, 100, blocks
		if got := c.p.WhereIn([]QuoteSpan{c.q}); got != c.want {
			t.Errorf("%+v is %q, not %q", c.q, got, c.want)
		}
	}
}
