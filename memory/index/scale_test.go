package index

import (
	"os"
	"path/filepath"
	"testing"

	"example.com/assay/memory/index/indextest"
	"example.com/assay/memory/retrieval"
)

// An update links the parts of what stays, the embedder and the vectors, and writes
// what is new. It answers as an update that writes all vectors again.
func TestAnUpdateWritesWhatIsNew(t *testing.T) {
	passages := indextest.Synthesise(400, 3)
	from := updateListed(t, UpdateOptions{Add: passages[:390]}, 100)
	opts := UpdateOptions{From: from, Add: passages[390:], Remove: []string{passages[17].ID, passages[200].ID}}
	dir := updateListed(t, opts, 100)
	m, err := readManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Parts) != 2 || m.Parts[0].Passages != 390 || m.Parts[1].Passages != 10 {
		t.Fatalf("parts %+v", m.Parts)
	}
	linked := []string{modelFile, listsFile, vectorsFile}
	for _, ext := range []string{".zap", ".pairs", ".bags", ".sums"} {
		linked = append(linked, m.Parts[0].Name+ext)
	}
	for _, name := range linked {
		a, err := os.Stat(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		if b, err := os.Stat(filepath.Join(dir, name)); err != nil || !os.SameFile(a, b) {
			t.Errorf("%s was written again: %v", name, err)
		}
	}
	next := updateListed(t, UpdateOptions{From: dir, Add: passages[17:18], Remove: []string{passages[395].ID}}, 100)
	whole := flattened(t, next)
	if m, err := readManifest(whole); err != nil || m.has(changeFile) {
		t.Fatal("the other update did not write all vectors", err)
	}
	x, y := open(t, next), open(t, whole)
	for _, q := range indextest.Questions(20, passages, 5) {
		if a, b := outcome(search(t, x, retrieval.Query{Primary: q})), outcome(search(t, y, retrieval.Query{Primary: q})); a != b {
			t.Errorf("%q finds\n%s, want\n%s", q, a, b)
		}
	}
}

// flattened is a generation that holds what dir does, with all vectors in one file: so
// many passages came and went.
func flattened(t *testing.T, dir string) string {
	t.Helper()
	more := indextest.Synthesise(28, 8)
	var ids []string
	for i := range more {
		more[i].ID, more[i].Doc, more[i].Source = "more "+more[i].ID, "more "+more[i].Doc, "more "+more[i].Source
		ids = append(ids, more[i].ID)
	}
	return updateListed(t, UpdateOptions{From: updateListed(t, UpdateOptions{From: dir, Add: more}, 100), Remove: ids}, 100)
}

// Many small updates leave few parts, and what half is left of is written again.
func TestPartsAreMerged(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	passages := indextest.Synthesise(60, 4)
	dir, single := "", build(t, passages[:57])
	for i := range passages {
		opts := UpdateOptions{From: dir, Add: passages[i : i+1]}
		if i >= 57 {
			opts.Add, opts.Remove = nil, []string{passages[i].ID}
		}
		if i == 56 {
			opts.Add = passages[56:]
		}
		opts.Dir = filepath.Join(t.TempDir(), "gen")
		if _, err := Update(t.Context(), opts); err != nil {
			t.Fatal(err)
		}
		dir = opts.Dir
	}
	x, y := open(t, dir), open(t, single)
	if got := x.Stats(); got.Fingerprint != y.Stats().Fingerprint || got.Terms != y.Stats().Terms {
		t.Errorf("%+v, want those of %+v", got, y.Stats())
	}
	if m, err := readManifest(dir); err != nil || len(m.Parts) > 20 {
		t.Errorf("57 passages are in %d parts: %v", len(m.Parts), err)
	}
	for _, q := range indextest.Questions(10, passages[:57], 5) {
		if a, b := outcome(search(t, x, retrieval.Query{Primary: q})), outcome(search(t, y, retrieval.Query{Primary: q})); a != b {
			t.Errorf("%q finds\n%s, want\n%s", q, a, b)
		}
	}
}
