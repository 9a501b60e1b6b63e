package memory

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What an ingest leaves out comes on top of what others left out elsewhere, and takes the
// place of what an earlier one left out there.
func TestUnread(t *testing.T) {
	home, docs := t.TempDir(), tree(t, t.TempDir(), small())
	other := tree(t, t.TempDir(), map[string]string{"b.md": "Another text.", "b.png": "\x89PNG\r\n", "half.jsonl": `{"id":"c3","text":"A whole record."}` + "\n{"})
	ingest := func(want []string, paths ...string) *Corpus {
		t.Helper()
		mustIngest(t, IngestOptions{Home: home, Corpus: "law", Paths: paths})
		c := verify(t, home, "law")
		var got []string
		for _, s := range c.Unread() {
			got = append(got, filepath.Base(s.Path))
		}
		if !slices.Equal(got, want) {
			t.Errorf("unread: %q, want %q", got, want)
		}
		return c
	}
	closeCorpus(t, ingest([]string{".git", "broken.jsonl", "a.png"}, docs))
	if err := os.Remove(filepath.Join(docs, "pictures/a.png")); err != nil {
		t.Fatal(err)
	}
	closeCorpus(t, ingest([]string{".git", "broken.jsonl", "b.png"}, docs, other))
	tree(t, other, map[string]string{"c.md": "A third text."})
	c := ingest([]string{".git", "broken.jsonl", "b.png"}, other)
	defer closeCorpus(t, c)
	described := c.Describe()
	at := slices.IndexFunc(described, func(s SourceInfo) bool { return s.Source == "half.jsonl" })
	if len(described) != 8 || at < 0 || described[at].LostRecords != 1 || len(described[at].Lost) != 1 || described[at].Bytes == 0 || described[at].Format == "" {
		t.Errorf("described: %+v", described)
	}
	if when, err := c.Ingested(); err != nil || when.IsZero() {
		t.Errorf("ingested %v, %v", when, err)
	}
}
