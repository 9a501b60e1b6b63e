package index

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// build makes a generation of passages and returns its directory.
func build(t testing.TB, passages []state.Passage) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "gen")
	if _, err := Update(t.Context(), UpdateOptions{Dir: dir, Add: passages}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// open opens a generation until the test ends.
func open(t testing.TB, dir string) *Index {
	t.Helper()
	x, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

func search(t testing.TB, x *Index, q retrieval.Query) retrieval.Result {
	t.Helper()
	res, err := x.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// outcome renders everything of a result, to the last bit.
func outcome(r retrieval.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%x %x %d\n", r.Confidence, r.Similarity, r.Candidates)
	for _, h := range r.Hits {
		fmt.Fprintf(&b, "%d %+v", h.Rank, h.Passage)
		for _, s := range h.Scores {
			fmt.Fprintf(&b, " %s=%x", s.Ranker, s.Value)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// outcomes are the results of all kite barge questions.
func outcomes(t testing.TB, x *Index) string {
	t.Helper()
	var b strings.Builder
	for _, q := range append(slices.Clone(bargeQuestions), strangeQuestions...) {
		b.WriteString(outcome(search(t, x, retrieval.Query{Primary: q})))
	}
	return b.String()
}

func ids(r retrieval.Result) []string {
	var out []string
	for _, h := range r.Hits {
		out = append(out, h.Passage.ID)
	}
	return out
}

// plain makes passages of texts, each its own document.
func plain(texts ...string) []state.Passage {
	var out []state.Passage
	for i, s := range texts {
		id := fmt.Sprintf("p%02d", i)
		out = append(out, state.Passage{ID: id, Doc: id, Text: s, End: len(s), Source: id + ".txt"})
	}
	return out
}

// randomCorpus draws n passages in documents of eight, from a vocabulary
// whose words are as unevenly frequent as a language's.
func randomCorpus(n int, seed uint64) []state.Passage {
	rng := rand.New(rand.NewPCG(seed, 1))
	zipf := rand.NewZipf(rng, 1.1, 4, 800)
	var out []state.Passage
	for i := range n {
		var words []string
		for range 6 + rng.IntN(6) {
			words = append(words, fmt.Sprintf("w%dx", zipf.Uint64()))
		}
		s := strings.Join(words, " ") + "."
		out = append(out, state.Passage{ID: fmt.Sprintf("s%d-%06d", seed, i), Doc: fmt.Sprintf("s%d-%d", seed, i/8), Text: s, End: len(s), Source: fmt.Sprintf("s%d-%d.txt", seed, i/8)})
	}
	return out
}

// snapshot maps every file below dir to its content.
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		out[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
