package mcp

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// The address of a document leads back to it, whatever its name. No other text is taken for an
// address.
func FuzzURI(f *testing.F) {
	f.Add("handbook", "a b/ü%2f?#.md", 3, 9)
	f.Add("h", "../../etc/passwd", 0, 0)
	f.Add("h", "a//b/./c", 1, 2)
	f.Fuzz(func(t *testing.T, corpus, doc string, start, end int) {
		if _, err := parse(doc); err == nil && !strings.HasPrefix(doc, scheme) && !strings.EqualFold(doc[:len(scheme)], scheme) {
			t.Errorf("%q is taken for an address", doc)
		}
		if corpus == "" || doc == "" || !utf8.ValidString(corpus+doc) || start < 0 || end <= start {
			return
		}
		uri := uriOf(corpus, doc, start, end)
		got, err := parse(uri)
		if want := (place{"corpus", corpus, doc, start, end}); err != nil || got != want {
			t.Errorf("%q leads to %+v, want %+v, error %v", uri, got, want, err)
		}
	})
}

// Outputs that are too long lose their end first, and can always be shortened enough.
func TestCut(t *testing.T) {
	a := &Answer{Answer: strings.Repeat("é", 500), Findings: []Finding{{}, {}}, Sources: []Source{{}}, Notes: []string{"n"}, URI: "assay://answer/1"}
	var left []string
	for {
		link, ok := a.Cut()
		if !ok {
			break
		}
		if link.URI != a.URI || !utf8.ValidString(a.Answer) {
			t.Fatalf("%+v, %q", link, a.Answer)
		}
		left = append(left, strings.Repeat("s", len(a.Sources))+strings.Repeat("n", len(a.Notes))+strings.Repeat("f", len(a.Findings)))
	}
	if got := strings.Join(left, " "); !strings.HasPrefix(got, "nff ff f") || len(a.Answer) > 103 || a.LeftOut != len(left) {
		t.Errorf("%q, %d bytes, %d left out", got, len(a.Answer), a.LeftOut)
	}
	f := &fetched{Text: strings.Repeat("é", 500), URL: "u", Metadata: map[string]string{}}
	for {
		if _, ok := f.Cut(); !ok {
			break
		}
	}
	if len(f.Text) >= 100 || !utf8.ValidString(f.Text) || f.Metadata["cut"] == "" {
		t.Errorf("%+v", f)
	}
	found, h := &Found{Passages: []Passage{{URI: "1"}, {URI: "2"}}}, &hits{Results: []hit{{URL: "1"}, {URL: "2"}}}
	for _, want := range []string{"2", "1", ""} {
		if link, ok := found.Cut(); link.URI != want || ok != (want != "") {
			t.Errorf("passage %+v", link)
		}
		if link, _ := h.Cut(); link.URI != want {
			t.Errorf("hit %+v", link)
		}
	}
}
