package memory

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"example.com/assay/memory/qa"
)

func TestRemove(t *testing.T) {
	home, docs := t.TempDir(), tree(t, t.TempDir(), map[string]string{"a.md": "# A\n\nText of a.", "p.html": "<p>Text of the page."})
	mustIngest(t, IngestOptions{Home: home, Corpus: "k", Paths: []string{docs}})
	answers, err := qa.Open(t.Context(), qa.Path(home, "k"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := answers.Store(t.Context(), qa.Entry{Question: "What?", Answer: "That."}); err != nil {
		t.Fatal(err)
	}
	if err := answers.Close(); err != nil {
		t.Fatal(err)
	}
	earlier := filepath.Join(home, "qa", "k.jsonl") // of an earlier version
	if err := os.WriteFile(earlier, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var unknown *UnknownCorpusError
	if err := Remove(t.Context(), home, "other", nil); !errors.As(err, &unknown) || len(unknown.Known) != 1 {
		t.Errorf("removing an unknown corpus: %v", err)
	}
	if err := Remove(t.Context(), home, "../k", nil); err == nil {
		t.Error("a name that leads elsewhere was taken")
	}

	s := &store{name: "k", dir: corpusDir(home, "k"), step: func(string) {}}
	lock, err := s.lock()
	if err != nil {
		t.Fatal(err)
	}
	var busy *BusyError
	if err := Remove(t.Context(), home, "k", nil); !errors.As(err, &busy) {
		t.Errorf("removing a corpus that is written: %v", err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}

	if err := Remove(t.Context(), home, "k", nil); err != nil {
		t.Fatal(err)
	}
	if list, err := List(home); err != nil || len(list) != 0 {
		t.Errorf("corpora afterwards: %v, %v", list, err)
	}
	if left, err := os.ReadDir(filepath.Join(home, "qa")); err != nil || len(left) != 0 {
		t.Errorf("remembered answers afterwards: %v, %v", left, err)
	}
	if left, err := os.ReadDir(filepath.Join(home, "corpora")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(docs, "a.md")); err != nil {
		t.Errorf("a document was removed: %v", err)
	}
}
