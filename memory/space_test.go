package memory

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/memory/embed"
	"example.com/assay/memory/embed/embedtest"
	"example.com/assay/memory/retrieval"
)

// spaceOf is an embedder's space with the home's cache.
func spaceOf(t *testing.T, home string, e embed.Embedder) *embed.Space {
	t.Helper()
	cache, err := embed.OpenCache(VectorsPath(home), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cache.Close(); err != nil {
			t.Error(err)
		}
	})
	s, err := embed.New(e, &embed.Options{Cache: cache, Batch: 2, Concurrency: 1})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A second ingest makes no call: of the same corpus because nothing changed,
// of another one or a rebuilt one because the cache has the vectors. Nor does
// a question that was asked before.
func TestSecondIngestMakesNoCall(t *testing.T) {
	home, docs := t.TempDir(), tree(t, t.TempDir(), small())
	e := &embedtest.Words{}
	opts := IngestOptions{Home: home, Corpus: "law", Paths: []string{docs}, Space: spaceOf(t, home, e)}
	mustIngest(t, opts)
	first := searchIn(t, openWith(t, home, &OpenOptions{Space: opts.Space}), retrieval.Query{Primary: aboutLiens})
	if e.Calls() == 0 || first.Hits[0].Scores[7].Ranker != retrieval.RankerMeaning {
		t.Fatalf("%d calls, scores %v", e.Calls(), first.Hits[0].Scores)
	}
	before := e.Calls()
	for _, again := range []IngestOptions{
		opts,
		{Home: home, Corpus: "law", Paths: opts.Paths, Space: spaceOf(t, home, e), Rebuild: true},
		{Home: home, Corpus: "other", Paths: opts.Paths, Space: spaceOf(t, home, e)},
	} {
		if r := mustIngest(t, again); r.Reembedded {
			t.Errorf("report %+v", r)
		}
		searchIn(t, openWith(t, home, &OpenOptions{Space: again.Space}), retrieval.Query{Primary: aboutLiens})
		if e.Calls() != before {
			t.Errorf("%d more calls were made", e.Calls()-before)
		}
	}
}

// An ingest that fails at any call leaves the corpus as it was; the next one
// sends no text that was answered before, and both together send each once.
func TestIngestResumes(t *testing.T) {
	docs := tree(t, t.TempDir(), small())
	whole := &embedtest.Words{}
	home := t.TempDir()
	mustIngest(t, IngestOptions{Home: home, Corpus: "law", Paths: []string{docs}, Space: spaceOf(t, home, whole)})
	want := searchIn(t, openWith(t, home, &OpenOptions{Space: spaceOf(t, home, whole)}), retrieval.Query{Primary: aboutLiens})
	failure := errors.New("no quota")
	for failAt := 1; failAt <= whole.Calls(); failAt++ {
		home := t.TempDir()
		e := &embedtest.Words{Before: func(_ context.Context, call int, _ []string) error {
			if call == failAt {
				return failure
			}
			return nil
		}}
		opts := IngestOptions{Home: home, Corpus: "law", Paths: []string{docs}, Space: spaceOf(t, home, e)}
		_, err := Ingest(t.Context(), opts)
		if failAt >= whole.Calls() && err == nil {
			continue // the last call was the search's
		}
		if !errors.Is(err, failure) || !strings.Contains(err.Error(), e.ID()) {
			t.Fatalf("failing at call %d: %v", failAt, err)
		}
		if _, err := Open(home, "law"); err == nil {
			t.Errorf("failing at call %d leaves a corpus", failAt)
		}
		opts.Space = spaceOf(t, home, e)
		mustIngest(t, opts)
		sent := map[string]int{}
		for _, s := range e.Seen() {
			sent[s]++
		}
		twice := 0
		for _, n := range sent {
			if n > 1 {
				twice++
			}
		}
		if twice > 2 { // the batch that failed
			t.Errorf("failing at call %d: %d texts were sent twice", failAt, twice)
		}
		got := searchIn(t, openWith(t, home, &OpenOptions{Space: opts.Space}), retrieval.Query{Primary: aboutLiens})
		if got.Confidence != want.Confidence || got.Hits[0].Passage.ID != want.Hits[0].Passage.ID {
			t.Errorf("failing at call %d: confidence %v; want %v", failAt, got.Confidence, want.Confidence)
		}
	}
}

// A corpus says which embedder made it. Another one is refused by a search,
// with what to type, and takes over by an ingest of files that did not change. Where the corpus or
// the search has none, words alone find.
func TestChangeOfEmbedder(t *testing.T) {
	home, docs := t.TempDir(), tree(t, t.TempDir(), small())
	one, two := spaceOf(t, home, &embedtest.Words{Name: "one"}), spaceOf(t, home, &embedtest.Words{Name: "two", Dims: 32})
	ingest := func(s *embed.Space) Report {
		return mustIngest(t, IngestOptions{Home: home, Corpus: "law", Paths: []string{docs}, Space: s})
	}
	id := func(s *embed.Space) string {
		if s == nil {
			return ""
		}
		return s.ID()
	}
	mustIngest(t, IngestOptions{Home: home, Corpus: "law", Paths: []string{docs}})
	plain := openWith(t, home, nil)
	fingerprint, generation := plain.Fingerprint(), plain.Info().Generation
	if info := plain.Info(); info.Space != "" || info.Embedder != plain.index.Stats().Embedder {
		t.Errorf("offline: %+v", info)
	}
	made := (*embed.Space)(nil)
	for _, next := range []*embed.Space{one, two, nil, two, one} {
		c := openWith(t, home, &OpenOptions{Space: next})
		_, err := c.Search(t.Context(), retrieval.Query{Primary: aboutLiens})
		refused, ok := errors.AsType[*EmbedderError](err)
		if made == nil || next == nil {
			if err != nil {
				t.Errorf("from %q to %q: error %v", id(made), id(next), err)
			}
		} else if !ok || refused.Made != id(made) || refused.Given != id(next) {
			t.Errorf("from %q to %q: error %v", id(made), id(next), err)
		} else if !strings.Contains(err.Error(), "ingest the corpus again") {
			t.Errorf("error %q does not say what to do", err)
		}
		r := ingest(next)
		if !r.Reembedded || r.Added+r.Changed+r.Removed != 0 || r.Unchanged == 0 {
			t.Errorf("report %+v", r)
		}
		c = openWith(t, home, &OpenOptions{Space: next})
		info := c.Info()
		if info.Space != id(next) || info.Generation == generation || c.Fingerprint() != fingerprint {
			t.Errorf("info %+v", info)
		}
		if next != nil && info.Embedder != id(next) {
			t.Errorf("embedder %q", info.Embedder)
		}
		if got := searchIn(t, c, retrieval.Query{Primary: aboutLiens}); len(got.Hits) == 0 {
			t.Error("nothing is found")
		}
		list, err := List(home)
		if err != nil || list[0].Space != id(next) {
			t.Errorf("list %+v, error %v", list, err)
		}
		made, generation = next, info.Generation
	}
	if got := VectorsPath(home); filepath.Dir(got) != home {
		t.Errorf("vectors are kept in %s", got)
	}
}
