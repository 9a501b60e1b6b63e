package evidence_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"example.com/assay/state"
	"example.com/assay/state/proof"
)

// simple is an answer with a claim that is quoted at two places of a document.
func simple() proof.Proof {
	return proof.Proof{
		Answer: "Größe zählt.", Status: state.StatusAnswered, Tone: proof.Good, Documents: []proof.Document{{Name: "a.md", Path: "/a.md"}},
		Passages: []proof.Passage{{Head: "Source 1", Start: 3, End: 3 + len("Größe zählt. Mehr nicht."), Text: "Größe zählt. Mehr nicht."}},
		Findings: []proof.Finding{{ID: "claim-1", Kind: proof.Claim, Label: "1", Text: "Größe zählt.", Verdict: "supported", Tone: proof.Good, Span: &proof.Span{End: len("Größe zählt.")},
			Quotes: []proof.Quote{{Stand: proof.For, Start: 3, End: 3 + len("Größe zählt."), Text: "Größe zählt."}, {Stand: proof.Against, Start: 3 + len("Größe zählt. "), End: 3 + len("Größe zählt. Mehr nicht."), Text: "Mehr nicht."}}}},
	}
}

// Where a document holds the words no longer, nothing is marked in it, and the page says so
// and shows what was read.
func TestChanged(t *testing.T) {
	now := "# Größe zählt. Mehr nicht.\n"
	for name, c := range map[string]struct {
		docs  proof.Documents
		says  string
		texts []string
	}{
		"unchanged": {of("?! Größe zählt. Mehr nicht.\n"), "each mark was compared byte for byte", []string{"?! Größe zählt. Mehr nicht.\n"}},
		"moved":     {of(now), "nothing is marked in it", []string{"Größe zählt. Mehr nicht.", now}},
		"cut":       {of("?! Größe"), "nothing is marked in it", []string{"Größe zählt. Mehr nicht.", "?! Größe"}},
		"empty":     {of(""), "nothing is marked in it", []string{"Größe zählt. Mehr nicht."}},
		"one byte":  {of("?! Grösse zählt. Mehr nicht.\n"), "nothing is marked in it", []string{"Größe zählt. Mehr nicht.", "?! Grösse zählt. Mehr nicht.\n"}},
		"behind": {func(context.Context, proof.Document) (proof.Content, error) {
			return proof.Content{Text: "?! Größe zählt. Mehr nicht.\nMore.", Changed: true}, nil
		}, "nothing is marked in it", []string{"Größe zählt. Mehr nicht.", "?! Größe zählt. Mehr nicht.\nMore."}},
		"unread": {func(context.Context, proof.Document) (proof.Content, error) {
			return proof.Content{}, errors.New("it is not in the corpus")
		}, "could not be read: it is not in the corpus", []string{"Größe zählt. Mehr nicht."}},
		"recorded": {nil, "as it was read", []string{"Größe zählt. Mehr nicht."}},
	} {
		page := section(t, simple(), c.docs, nil)
		l := sound(t, page)
		if !strings.Contains(page, c.says) || fmt.Sprintf("%q", l.texts) != fmt.Sprintf("%q", c.texts) {
			t.Errorf("%s: %q\n%s", name, l.texts, page)
		}
		if l.quoted["claim-1-quote-1"] != "Größe zählt." || l.quoted["claim-1-quote-2"] != "Mehr nicht." || len(l.quoted) != 2 {
			t.Errorf("%s: marked are %q", name, l.quoted)
		}
		before, _, _ := strings.Cut(page, "<details>")
		if strings.Contains(page, "<details>") && strings.Count(before, "<mark") != 2 {
			t.Errorf("%s: the document is marked", name)
		}
	}
	p := simple()
	p.Passages = nil
	page := section(t, p, of(now), nil)
	if l := sound(t, page); len(l.quoted) > 0 || strings.Count(page, "does not hold these words at their bytes") != 2 || l.leads["claim-1"] == "" {
		t.Errorf("a quote without a passage: %q\n%s", l.quoted, page)
	}
	// Of two passages one has changed: the other is marked in the document.
	p = simple()
	p.Passages = append(p.Passages, proof.Passage{Head: "Source 2", Start: 99, End: 104, Text: "older"})
	page = section(t, p, of("?! Größe zählt. Mehr nicht.\n"), nil)
	if l := sound(t, page); len(l.texts) != 2 || len(l.quoted) != 2 || !strings.Contains(page, "no longer holds 1 passage of 2") {
		t.Errorf("%q\n%s", l.texts, page)
	}
}

// For any document, its rows and fields, and any quotes of it, what is shown is the document, byte for
// byte, and each mark is its quote.
func TestMarksAreQuotes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := rapid.StringOfN(rapid.RuneFrom([]rune("ab <&>\"'\n\tß€𝒳ا\u202e\u00a0")), 0, 80, -1).Draw(t, "document")
		p := proof.Proof{Documents: []proof.Document{{Name: "d"}}}
		bounds := []int{}
		for i := range doc {
			bounds = append(bounds, i)
		}
		bounds = append(bounds, len(doc))
		n := rapid.IntRange(0, 12).Draw(t, "quotes")
		for i := range n {
			start, end := rapid.SampledFrom(bounds).Draw(t, "start"), rapid.SampledFrom(bounds).Draw(t, "end")
			if start >= end {
				continue
			}
			p.Findings = append(p.Findings, proof.Finding{ID: fmt.Sprintf("claim-%d", i), Kind: proof.Claim, Label: fmt.Sprint(i), Quotes: []proof.Quote{{Stand: proof.For, Start: start, End: end, Text: doc[start:end]}}})
		}
		if start, end := rapid.SampledFrom(bounds).Draw(t, "start"), rapid.SampledFrom(bounds).Draw(t, "end"); start < end {
			p.Passages = []proof.Passage{{Start: start, End: end, Text: doc[start:end]}}
		}
		var blocks []state.Block
		for range rapid.IntRange(0, 4).Draw(t, "blocks") {
			at := func() int { return rapid.SampledFrom(bounds).Draw(t, "at") }
			b := state.Block{Kind: rapid.SampledFrom([]state.BlockKind{state.BlockRow, state.BlockRow, state.BlockField, state.BlockQuoted}).Draw(t, "kind"), Start: at(), End: at()}
			for range rapid.IntRange(0, 3).Draw(t, "cells") {
				b.Cells = append(b.Cells, state.Cell{Header: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "header"), Start: at(), End: at(), Text: "<again>"})
			}
			blocks = append(blocks, b)
		}
		slices.SortStableFunc(blocks, func(a, b state.Block) int { return a.Start - b.Start })
		l := read(t, section(t, p, func(context.Context, proof.Document) (proof.Content, error) {
			return proof.Content{Text: doc, Blocks: blocks}, nil
		}, nil))
		for _, f := range p.Findings {
			if f.Quotes[0].Text != "" && !strings.Contains(l.tags, `<a class="back for" href="#`+f.ID+`"`) {
				t.Fatalf("nothing leads back to %s", f.ID)
			}
		}
		if len(p.Findings)+len(p.Passages) > 0 && (len(l.texts) != 1 || l.texts[0] != doc) {
			t.Fatalf("%q is shown as %q", doc, l.texts)
		}
		spans := map[string]bool{}
		for _, f := range p.Findings {
			q := f.Quotes[0]
			spans[fmt.Sprint(q.Start, q.End)] = true
			found := false
			for _, text := range l.quoted {
				found = found || text == q.Text
			}
			if !found {
				t.Fatalf("%q is not marked in %q: %q", q.Text, doc, l.quoted)
			}
		}
		if len(l.quoted) != len(spans) {
			t.Fatalf("%d marks of %d quotes", len(l.quoted), len(spans))
		}
	})
}

// A document that is too long to be shown whole is shown around its marks, from whole
// characters, and says how much is left out.
func TestLongDocument(t *testing.T) {
	for _, line := range []string{"Ein größerer Satz über Öl.\n", "größer", "語"} {
		doc := strings.Repeat(line, 400_000/len(line))
		p := simple()
		p.Answer, p.Passages, p.Findings = "", nil, p.Findings[:1]
		p.Findings[0].Span, p.Findings[0].Quotes = nil, nil
		for _, at := range []int{0, 1000, 150_000, 398_000} {
			start := at / len(line) * len(line)
			p.Findings[0].Quotes = append(p.Findings[0].Quotes, proof.Quote{Stand: proof.For, Start: start, End: start + len(line), Text: line})
		}
		page := section(t, p, of(doc), nil)
		l := sound(t, page)
		left := 0
		for _, m := range regexp.MustCompile(`aria-label="(\d+) bytes left out"`).FindAllStringSubmatch(page, -1) {
			var n int
			if _, err := fmt.Sscan(m[1], &n); err != nil {
				t.Fatal(err)
			}
			left += n
		}
		if len(l.texts) != 1 || len(l.texts[0])+left != len(doc) || len(l.texts[0]) > 30_000 || len(l.quoted) != 4 || !utf8.ValidString(page) {
			t.Errorf("%q: %d texts, %d bytes shown, %d left out of %d, %d marks", line, len(l.texts), len(l.texts[0]), left, len(doc), len(l.quoted))
		}
	}
}

// Of many documents not more is shown whole than a page can hold.
func TestManyDocuments(t *testing.T) {
	doc := strings.Repeat("One line of the document.\n", 7000)
	p := proof.Proof{}
	for i := range 12 {
		p.Documents = append(p.Documents, proof.Document{Name: fmt.Sprint(i)})
		p.Findings = append(p.Findings, proof.Finding{ID: fmt.Sprintf("claim-%d", i), Kind: proof.Claim, Label: fmt.Sprint(i), Quotes: []proof.Quote{{Doc: i, Start: 2600, End: 2626, Text: doc[2600:2626]}}})
	}
	page := section(t, p, of(doc), nil)
	l := sound(t, page)
	whole := 0
	for _, text := range l.texts {
		if text == doc {
			whole++
		}
	}
	if len(l.texts) != 12 || whole != 5 || len(page) > 1_100_000 || len(l.quoted) != 12 {
		t.Errorf("%d of %d documents are whole, in %d bytes, with %d marks", whole, len(l.texts), len(page), len(l.quoted))
	}
}

// Hundreds of quotes in one document, each across the next, are all marked.
func TestManyQuotes(t *testing.T) {
	doc := strings.Repeat("A sentence of the document. ", 400)
	p := proof.Proof{Documents: []proof.Document{{Name: "d"}}}
	for i := range 300 {
		p.Findings = append(p.Findings, proof.Finding{ID: fmt.Sprintf("claim-%d", i), Kind: proof.Claim, Label: fmt.Sprint(i), Quotes: []proof.Quote{{Stand: proof.For, Start: i * 28, End: i*28 + 70, Text: doc[i*28 : i*28+70]}}})
	}
	l := sound(t, section(t, p, of(doc), nil))
	if len(l.quoted) != 300 || l.texts[0] != doc {
		t.Errorf("%d marks", len(l.quoted))
	}
	for i := range 300 {
		if got := l.quoted[fmt.Sprintf("claim-%d-quote-1", i)]; got != doc[i*28:i*28+70] {
			t.Fatalf("quote %d is %q", i, got)
		}
	}
}
