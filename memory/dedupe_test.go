package memory

import (
	"fmt"
	"strings"
	"testing"

	"example.com/assay/memory/retrieval"
)

// One manual as a page, as text and in gzip is cut at other places in each; what a
// hit says already is not shown again, and the files stay on record.
func TestOneManualInSeveralFormats(t *testing.T) {
	var page, text strings.Builder
	page.WriteString("<h1>Visits</h1>")
	for i := range 24 {
		s := fmt.Sprintf("Visitors of house %d wear a badge of colour %d, hand it back at gate %d and are met by guard %d of that gate.", i, i+20, i+40, i+60)
		fmt.Fprintf(&page, "<p>%s", s)
		if i%5 == 3 {
			text.WriteString("\n")
		}
		fmt.Fprintf(&text, "%s\n", strings.ReplaceAll(s, " and ", "\nand "))
	}
	docs := tree(t, t.TempDir(), map[string]string{"a.html": page.String(), "b.txt": text.String(), "c.md": "# Visits\n\n" + strings.ReplaceAll(text.String(), "\n\n", "\n"),
		"d.md": "Cooks of the house wear white and never a badge.\n"})
	home := t.TempDir()
	if r := mustIngest(t, IngestOptions{Home: home, Corpus: "x", Paths: []string{docs}}); r.Files != 4 {
		t.Fatalf("%+v", r)
	}
	c := verify(t, home, "x")
	defer closeCorpus(t, c)
	r, err := c.Search(t.Context(), retrieval.Query{Primary: "Which badge do visitors of the house wear?", K: 10})
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]int{}
	for _, h := range r.Hits {
		for i := range 24 {
			if strings.Contains(h.Passage.Text, fmt.Sprintf("guard %d of", i+60)) {
				said[fmt.Sprint(i)]++
			}
		}
	}
	twice := 0
	for _, n := range said {
		if n > 1 {
			twice++
		}
	}
	if len(said) != 24 || twice > 4 {
		t.Errorf("%d sentences are shown, %d of them twice, in %d hits", len(said), twice, len(r.Hits))
	}
}
