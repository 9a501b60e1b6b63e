package memory

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/assay/memory/index"
	"example.com/assay/memory/retrieval"
)

// restamp gives the index of a corpus another version of the format.
func restamp(t *testing.T, home, version string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(home, "corpora", "law", "gen-*", "index", "manifest"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	data, err := os.ReadFile(files[0])
	if err == nil {
		data = regexp.MustCompile(`^assay-index \d+`).ReplaceAll(data, []byte("assay-index "+version))
		err = os.WriteFile(files[0], data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A corpus of an older program is refused, and an ingest of its files brings it up
// to date.
func TestOtherVersion(t *testing.T) {
	home, docs := t.TempDir(), tree(t, filepath.Join(t.TempDir(), "my docs"), small())
	opts := IngestOptions{Home: home, Corpus: "law", Paths: []string{docs}}
	before := mustIngest(t, opts)
	for _, c := range []struct{ version, want string }{
		{"2", "older version of this program (format 2, this one reads 6)"},
		{"99", "newer version of this program (format 99"},
	} {
		restamp(t, home, c.version)
		_, err := Open(home, "law")
		var other *OtherVersionError
		var version *index.VersionError
		if !errors.As(err, &other) || !errors.As(err, &version) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("version %s: %v, want %q", c.version, err, c.want)
		}
		list, err := List(home)
		if err != nil || len(list) != 1 || !strings.Contains(list[0].Fault, c.want) {
			t.Errorf("version %s is listed as %+v, %v", c.version, list, err)
		}
		after := mustIngest(t, opts)
		if after.Fingerprint != before.Fingerprint || after.Passages != before.Passages {
			t.Errorf("brought up to date: %+v, want %+v", after, before)
		}
		closeCorpus(t, verify(t, home, "law"))
	}
}

// Metadata goes from the file through the corpus to the filter, and a change
// of it is a change of the file.
func TestMetadataOfCorpus(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	docs := tree(t, dir, map[string]string{
		"law/a.md":  "---\ntopic: ships\n---\nA ship keeps a log.",
		"law/b.csv": "id,text,topic\n1,A barge keeps a log.,barges\n2,A raft keeps none.,rafts\n",
	})
	opts := IngestOptions{Home: home, Corpus: "law", Paths: []string{docs}}
	mustIngest(t, opts)
	topics := func() string {
		c := openWith(t, home, nil)
		facets, err := c.Facets(t.Context(), 10)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, f := range facets {
			for _, v := range f.Values {
				out = append(out, f.Key+"="+v.Value)
			}
		}
		return strings.Join(out, " ")
	}
	if got, want := topics(), "dir=law file_type=csv file_type=md topic=barges topic=rafts topic=ships"; got != want {
		t.Errorf("metadata %s, want %s", got, want)
	}
	r := searchIn(t, openWith(t, home, nil), retrieval.Query{Primary: "keeps a log", Filter: []retrieval.Condition{{Key: "topic", OneOf: []string{"barges"}}}})
	if len(r.Hits) != 1 || r.Hits[0].Passage.ID != "1" || r.Hits[0].Passage.Metadata["dir"] != "law" {
		t.Errorf("found %+v", r.Hits)
	}
	tree(t, dir, map[string]string{"law/a.md": "---\ntopic: boats\n---\nA ship keeps a log."})
	mustIngest(t, opts)
	if got, want := topics(), "dir=law file_type=csv file_type=md topic=barges topic=boats topic=rafts"; got != want {
		t.Errorf("metadata %s, want %s", got, want)
	}
}

// Marginal relevance is chosen from the reranker's order, which it would undo
// if it came after.
func TestRerankThenMMR(t *testing.T) {
	home := liens(t)
	by := &ranker{score: func(text string) float64 { return -float64(len(text)) }}
	q := retrieval.Query{Primary: aboutLiens, K: 2, MMR: 1}
	r := searchIn(t, openWith(t, home, &OpenOptions{Reranker: by}), q)
	q.MMR = 0
	want := searchIn(t, openWith(t, home, &OpenOptions{Reranker: by}), q)
	if len(r.Hits) != 2 || r.Hits[0].Passage.ID != want.Hits[0].Passage.ID || r.Hits[1].Passage.ID != want.Hits[1].Passage.ID {
		t.Errorf("%+v, want %+v", r.Hits, want.Hits)
	}
	last := r.Hits[0].Scores[len(r.Hits[0].Scores)-1]
	if last.Ranker != retrieval.RankerMMR || r.Reranker == "" || r.Hits[1].Rank != 2 {
		t.Errorf("%+v", r)
	}
	q.MMR = .3
	mixed := searchIn(t, openWith(t, home, &OpenOptions{Reranker: by}), q)
	if mixed.Hits[0].Passage.ID != want.Hits[0].Passage.ID {
		t.Errorf("first is %s, the reranker's best is %s", mixed.Hits[0].Passage.ID, want.Hits[0].Passage.ID)
	}
	for _, h := range mixed.Hits {
		if n := strings.Count(fmt.Sprint(h.Scores), retrieval.RankerMMR); n != 1 {
			t.Errorf("%d scores of MMR: %v", n, h.Scores)
		}
	}
	by.err = errors.New("down")
	if r = searchIn(t, openWith(t, home, &OpenOptions{Reranker: by}), retrieval.Query{Primary: aboutLiens, K: 2, MMR: .5}); len(r.Hits) != 2 || r.Fallback == "" {
		t.Errorf("%+v", r)
	}
}
