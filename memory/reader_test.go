package memory

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"example.com/assay/memory/retrieval"
)

// A reader keeps what it opened while the corpus is replaced under it.
func TestReaderKeepsGeneration(t *testing.T) {
	home, docs := t.TempDir(), tree(t, t.TempDir(), map[string]string{"p.html": "<p>First version of the page.", "r.jsonl": `{"id":"r","text":"record"}`})
	opts := IngestOptions{Home: home, Corpus: "k", Paths: []string{docs}}
	mustIngest(t, opts)
	c := verify(t, home, "k")
	for i := range 3 {
		tree(t, docs, map[string]string{"p.html": fmt.Sprintf("<p>Version %d of the page.", i)})
		mustIngest(t, opts)
	}
	path, _, err := c.TextPath("p.html")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(text), "First version") {
		t.Errorf("%q, %v", text, err)
	}
	if res, err := c.Search(t.Context(), retrieval.Query{Primary: "first version page"}); err != nil || len(res.Hits) == 0 {
		t.Errorf("%+v, %v", res, err)
	}
	if n := len(generationsOf(t, home, "k")); n != 2 {
		t.Errorf("%d generations while one is read", n)
	}
	closeCorpus(t, c)
	tree(t, docs, map[string]string{"p.html": "<p>Last."})
	mustIngest(t, opts)
	if n := len(generationsOf(t, home, "k")); n != 1 {
		t.Errorf("%d generations after the reader left", n)
	}
}
