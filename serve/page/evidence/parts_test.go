package evidence_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"example.com/assay/serve/page/evidence"
	"example.com/assay/state"
	"example.com/assay/state/proof"
)

// quoting is a proof that quotes words of a document.
func quoting(doc string, words ...string) proof.Proof {
	p := proof.Proof{Documents: []proof.Document{{Name: "d"}}}
	for i, w := range words {
		at := strings.Index(doc, w)
		p.Findings = append(p.Findings, proof.Finding{ID: fmt.Sprintf("claim-%d", i+1), Kind: proof.Claim, Label: fmt.Sprint(i + 1), Quotes: []proof.Quote{{Stand: proof.For, Start: at, End: at + len(w), Text: w}}})
	}
	return p
}

// with is a document with blocks.
func with(doc string, blocks ...state.Block) proof.Documents {
	return func(context.Context, proof.Document) (proof.Content, error) {
		return proof.Content{Text: doc, Blocks: blocks}, nil
	}
}

// row is the row that a line of cells is, as extraction writes it.
func row(doc, line string, headers ...string) state.Block {
	b := state.Block{Kind: state.BlockRow, Start: strings.Index(doc, line)}
	b.End = b.Start + len(line)
	at := b.Start
	for i, cell := range strings.Split(line, "; ") {
		value := cell[strings.LastIndex(cell, ": ")+1:]
		value = strings.TrimSpace(value)
		start := at + len(cell) - len(value)
		b.Cells = append(b.Cells, state.Cell{Header: headers[i], Start: start, End: start + len(value)})
		at += len(cell) + 2
	}
	return b
}

var tagOf = regexp.MustCompile(`<span class="sep">(?s:.*?)</span>|<a class="back[^>]*></a>|</?mark[^>]*>`)

// A row is shown below the names of its columns, what separates cells is hidden, and a mark over
// cells is in each of them.
func TestTables(t *testing.T) {
	doc := "Tariff\n\nTest; Price\n\nIron; Price: 12.40\n\nLead; Price: 31.00\n\nThe end."
	rows := []state.Block{row(doc, "Iron; Price: 12.40", "Test", "Price"), row(doc, "Lead; Price: 31.00", "Test", "Price")}
	page := section(t, quoting(doc, "Lead; Price: 31.00", "12.40"), with(doc, rows...), nil)
	l := sound(t, page)
	if l.texts[0] != doc || l.quoted["claim-1-quote-1"] != "Lead; Price: 31.00" || l.quoted["claim-2-quote-1"] != "12.40" {
		t.Errorf("%q, %q", l.texts, l.quoted)
	}
	want := `<table class="cells table"><tr><th scope="col">Test</th><th scope="col">Price</th></tr><tr><td dir="auto">Iron</td><td dir="auto">12.40</td></tr><tr><td dir="auto">Lead</td><td dir="auto">31.00</td></tr></table>`
	if bare := tagOf.ReplaceAllString(page, ""); !strings.Contains(bare, want) {
		t.Errorf("%s\n%s", want, bare)
	}
	if !strings.Contains(page, `<td dir="auto"><mark id="claim-1-quote-1" class="for">Lead</mark></td>`) {
		t.Error(page)
	}
	// Names that are not in the text are labels, a column may be empty, and a cell may repeat one above.
	doc = "Iron; Price: 12.40"
	r := row(doc, doc, "Test", "Price")
	r.Cells[1].Header = "<Price>"
	r.Cells = append(r.Cells[:1:1], state.Cell{Header: "Unit", Start: 4, End: 4, Text: "\"ml\""}, r.Cells[1])
	page = section(t, quoting(doc, "12.40"), with(doc, r), nil)
	if l := sound(t, page); l.texts[0] != doc || !strings.Contains(page, `<th scope="col" data-label="&lt;Price&gt;" aria-label="&lt;Price&gt;"></th></tr>`) || !strings.Contains(page, `<td data-label="&#34;ml&#34;" aria-label="&#34;ml&#34;"></td><td`) {
		t.Error(page)
	}
}

// A mark that begins and ends in what is hidden has its id and its links where they can be seen, and
// words between rows stay in sight.
func TestHiddenEnds(t *testing.T) {
	doc := "| Iron | 12.40 |\nBetween\n| Lead | 31.00 |\n"
	cells := func(line, a, b string) state.Block {
		at := strings.Index(doc, line)
		cell := func(s string) state.Cell {
			return state.Cell{Start: at + strings.Index(line, s), End: at + strings.Index(line, s) + len(s)}
		}
		return state.Block{Kind: state.BlockRow, Start: at, End: at + len(line), Cells: []state.Cell{cell(a), cell(b)}}
	}
	page := section(t, quoting(doc, "| Lead | 31.00 |"), with(doc, cells("| Iron | 12.40 |", "Iron", "12.40"), cells("| Lead | 31.00 |", "Lead", "31.00")), nil)
	if l := sound(t, page); l.texts[0] != doc || l.quoted["claim-1-quote-1"] != "| Lead | 31.00 |" {
		t.Errorf("%q, %q", l.texts, l.quoted)
	}
	if !strings.Contains(page, `<mark id="claim-1-quote-1" class="for">Lead</mark>`) || !strings.Contains(page, ` |</mark></span><a class="back`) || !strings.Contains(page, "</table>\nBetween\n<table") {
		t.Error(page)
	}
}

// Of a long table the names of its columns, the marked row and its neighbours are shown.
func TestLongTable(t *testing.T) {
	doc := "Name; Sum\n\n"
	var rows []state.Block
	for i := range 20_000 {
		line := fmt.Sprintf("Item %d; Sum: %d.00", i, i)
		at := len(doc)
		r := row(line, line, "Name", "Sum")
		r.Start, r.End = r.Start+at, r.End+at
		for c := range r.Cells {
			r.Cells[c].Start, r.Cells[c].End = r.Cells[c].Start+at, r.Cells[c].End+at
		}
		rows, doc = append(rows, r), doc+line+"\n\n"
	}
	page := section(t, quoting(doc, "Item 15000; Sum: 15000.00"), with(doc, rows...), nil)
	l := sound(t, page)
	if n := strings.Count(page, "<tr>"); n < 50 || n > 300 || strings.Count(page, "<table") != 1 || strings.Count(page, `<td colspan="2"><span class="left"`) != 1 || !strings.Contains(page, "<th") || l.quoted["claim-1-quote-1"] != "Item 15000; Sum: 15000.00" {
		t.Errorf("%d rows, %q", n, l.quoted)
	}
}

// A mail has its fields as a table, and earlier mails are folded unless something is marked there.
func TestMail(t *testing.T) {
	doc := "From: a@b\nSubject: Pallets\n\nThey come on Thursday.\n\nOn Monday X wrote:\n> They come on Tuesday."
	field := func(line string) state.Block {
		at := strings.Index(doc, line)
		return state.Block{Kind: state.BlockField, Start: at, End: at + len(line), Cells: []state.Cell{{Start: at + strings.Index(line, ": ") + 2, End: at + len(line)}}}
	}
	earlier := state.Block{Kind: state.BlockQuoted, Start: strings.Index(doc, "On Monday"), End: len(doc)}
	for words, opened := range map[string]bool{"Thursday": false, "Tuesday": true} {
		page := section(t, quoting(doc, words), with(doc, field("From: a@b"), field("Subject: Pallets"), earlier), nil)
		if l := sound(t, page); l.texts[0] != doc || !strings.Contains(page, `<tr><th scope="row">Subject: </th><td dir="auto">Pallets</td></tr></table>`) || strings.Contains(page, `<details class="earlier" open>`) != opened {
			t.Errorf("%s: %s", words, page)
		}
	}
}

// A page of a PDF has boxes for its marks. Where marks overlap, each box is wholly of a mark or not.
func TestPaper(t *testing.T) {
	doc := "one two three four"
	var asked []proof.Span
	content := proof.Content{Text: doc, Paper: &proof.Paper{Address: "/file?a=1&b=2", Place: func(_ context.Context, spans []proof.Span) ([]proof.Page, error) {
		asked = spans
		p := proof.Page{Number: 3, Width: 100, Height: 200}
		for i, s := range spans {
			if i < 3 {
				p.Pieces = append(p.Pieces, proof.Piece{Start: s.Start, End: s.End, Box: proof.Box{X1: i * 10, X2: i*10 + 8, Y2: 10}})
			}
		}
		return []proof.Page{p, {Number: 4, Width: 100, Height: 200}}, nil
	}}}
	docs := func(context.Context, proof.Document) (proof.Content, error) { return content, nil }
	page := section(t, quoting(doc, "one two", "two three", "four"), docs, nil)
	sound(t, page)
	if fmt.Sprint(asked) != "[{0 4} {4 7} {7 13} {14 18}]" {
		t.Errorf("asked were %v", asked)
	}
	for _, want := range []string{
		`data-paper="/file?a=1&amp;b=2" data-page="3" aria-label="Page 3 as it looks"`,
		`<a href="#claim-1" aria-label="claim 1: two"><rect data-for="claim-1-quote-1 claim-2-quote-1" class="marked" x="10" y="0" width="8" height="10"/></a>`,
		`data-page="4"`, "1 mark could not be found letter by letter",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in\n%s", want, page)
		}
	}
	if page := section(t, quoting(doc, "one"), docs, &evidence.Options{Saved: true}); strings.Contains(page, "data-paper") || !strings.Contains(page, "<mark") {
		t.Error(page)
	}
	content.Paper.Place = func(context.Context, []proof.Span) ([]proof.Page, error) {
		return nil, errors.New("its file is no longer the one that was read")
	}
	if page := section(t, quoting(doc, "one"), docs, nil); strings.Contains(page, "data-paper") || !strings.Contains(page, "cannot be shown as it looks: its file is no longer") || !strings.Contains(page, "<mark") {
		t.Error(page)
	}
}
