package index

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/memory/embed"
	"example.com/assay/memory/embed/embedtest"
	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

func space(t testing.TB, e embed.Embedder) *embed.Space {
	t.Helper()
	s, err := embed.New(e, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func buildIn(t testing.TB, e embed.Embedder, opts UpdateOptions) (string, Stats) {
	t.Helper()
	opts.Dir = filepath.Join(t.TempDir(), "gen")
	if e != nil {
		opts.Space = space(t, e)
	}
	stats, err := Update(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return opts.Dir, stats
}

func openIn(t testing.TB, dir string, e embed.Embedder) *Index {
	t.Helper()
	x, err := OpenIn(dir, space(t, e))
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

// Three embedders whose cosines lie in very different ranges, of which one
// never goes below .9, give the same hits with the same confidences.
func TestCosineRangesDoNotMatter(t *testing.T) {
	var want []retrieval.Result
	for _, bias := range []float64{0, .6, .9} {
		e := &embedtest.Words{Bias: bias, Dims: 256}
		dir, _ := buildIn(t, e, UpdateOptions{Add: kiteBarge(t)})
		x := openIn(t, dir, e)
		if floor := x.gen.meaning.Scale.Floor; floor < bias || floor > bias+.2 {
			t.Errorf("bias %v: floor %v", bias, floor)
		}
		var got []retrieval.Result
		for _, q := range append(slices.Clone(bargeQuestions), strangeQuestions...) {
			got = append(got, search(t, x, retrieval.Query{Primary: q}))
		}
		if want == nil {
			want = got
			continue
		}
		for i := range got {
			if math.Abs(got[i].Confidence-want[i].Confidence) > .002 || !slices.Equal(ids(got[i]), ids(want[i])) {
				t.Errorf("bias %v, question %d: confidence %v of %v; without bias %v of %v",
					bias, i, got[i].Confidence, ids(got[i]), want[i].Confidence, ids(want[i]))
			}
		}
	}
	high, low := 0, 0
	for i, r := range want {
		if i < len(bargeQuestions) && r.Confidence >= .7 {
			high++
		}
		if i >= len(bargeQuestions) && r.Confidence < .5 {
			low++
		}
	}
	if high < len(bargeQuestions)*3/4 || low < len(strangeQuestions)*3/4 {
		t.Errorf("%d of %d answered questions are at .70 or more, %d of %d strange ones below .5", high, len(bargeQuestions), low, len(strangeQuestions))
	}
}

// synonyms is an embedder that knows that two words mean the same.
type synonyms struct{ embedtest.Words }

func (s *synonyms) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	same := make([]string, len(texts))
	for i, text := range texts {
		same[i] = strings.ReplaceAll(text, "attorney", "lawyer")
	}
	return s.Words.Embed(ctx, same)
}

// A remote embedder finds what no word leads to, and the hit says so.
func TestMeaningFinds(t *testing.T) {
	passages := plain("the lawyer files a brief", "the baker bakes a loaf", "the miller grinds a grain", "the sailor mends a rope",
		"the weaver threads a loom", "the smith forges a blade", "the mason lays a brick", "the tanner cures a hide")
	e := &synonyms{}
	dir, _ := buildIn(t, e, UpdateOptions{Add: passages})
	got := search(t, openIn(t, dir, e), retrieval.Query{Primary: "attorney"})
	if len(got.Hits) == 0 || got.Hits[0].Passage.ID != "p00" {
		t.Fatalf("hits %v", ids(got))
	}
	scores := got.Hits[0].Scores
	if last := scores[len(scores)-1]; last.Ranker != retrieval.RankerMeaning || last.Value != 2 {
		t.Errorf("scores %v", scores)
	}
	if got.Similarity <= 0 { // no word is shared: it is the embedder's
		t.Error("the evidence does not know what the embedder found")
	}
	if got := search(t, open(t, build(t, passages)), retrieval.Query{Primary: "attorney"}); len(got.Hits) != 0 {
		t.Errorf("the offline index finds %v", ids(got))
	}
	alone := search(t, openIn(t, dir, e), retrieval.Query{Primary: "grain", K: 8})
	got = search(t, openIn(t, dir, e), retrieval.Query{Primary: "grain", Alternatives: []string{"", "attorney"}, K: 8})
	if slices.Contains(ids(alone), "p00") || !slices.Contains(ids(got), "p00") {
		t.Errorf("an alternative adds no candidates: %v and %v", ids(alone), ids(got))
	}
}

// Of the same embedder, an update asks for new passages only, and ends where
// a build from nothing ends.
func TestUpdateKeepsVectors(t *testing.T) {
	all := kiteBarge(t)
	n := len(all)
	first, _ := buildIn(t, &embedtest.Words{}, UpdateOptions{Add: all[:n-3]})
	e := &embedtest.Words{}
	changed := slices.Clone(all[n-3:])
	changed = append(changed, all[0])
	changed[3].Text += " A new sentence on ballast."
	dir, _ := buildIn(t, e, UpdateOptions{From: first, Remove: []string{all[1].ID}, Add: changed})
	var want []string
	for _, p := range changed {
		want = append(want, Text(p))
	}
	var asked []string
	for _, s := range e.Seen() {
		if slices.ContainsFunc(all, func(p state.Passage) bool { return s == Text(p) }) || slices.Contains(want, s) {
			asked = append(asked, s)
		}
	}
	slices.Sort(asked)
	slices.Sort(want)
	if !slices.Equal(asked, want) {
		t.Errorf("%d passages were embedded; want the %d new ones", len(asked), len(want))
	}
	whole := slices.Clone(all[2:])
	whole = append(whole, changed[3])
	fresh, _ := buildIn(t, e, UpdateOptions{Add: whole})
	if outcomes(t, openIn(t, dir, e)) != outcomes(t, openIn(t, fresh, e)) {
		t.Error("the updated index answers differently from a new one")
	}
}

// Another embedder embeds everything anew, also on the way to none and back;
// what comes out is what a build from nothing gives.
func TestChangeOfSpace(t *testing.T) {
	one, two := &embedtest.Words{Name: "one"}, &embedtest.Words{Name: "two", Dims: 96}
	dir := build(t, kiteBarge(t))
	offline := outcomes(t, open(t, dir))
	for _, e := range []*embedtest.Words{one, two, one} {
		next, stats := buildIn(t, e, UpdateOptions{From: dir})
		fresh, _ := buildIn(t, e, UpdateOptions{Add: kiteBarge(t)})
		if stats.Space != e.ID() {
			t.Errorf("stats %+v", stats)
		}
		x := openIn(t, next, e)
		if outcomes(t, x) != outcomes(t, openIn(t, fresh, e)) {
			t.Errorf("changed to %s, the index answers differently from a new one", e.ID())
		}
		dir = next
	}
	back, stats := buildIn(t, nil, UpdateOptions{From: dir})
	if stats.Space != "" || outcomes(t, open(t, back)) != offline {
		t.Error("back at the offline embedder, the index answers differently")
	}
}

// In another space the passages are embedded anew, also where an update of few
// passages would not train the offline embedder.
func TestChangeOfSpaceOfALargeCorpus(t *testing.T) {
	from, _ := buildIn(t, &embedtest.Words{Name: "one"}, UpdateOptions{Add: kiteBarge(t)})
	for name, want := range map[string]int{"one": 0, "two": len(kiteBarge(t))} {
		e := &embedtest.Words{Name: name}
		dir := filepath.Join(t.TempDir(), "gen")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		u := &update{ctx: t.Context(), opts: UpdateOptions{Dir: dir, From: from, Space: space(t, e)}, flatUpTo: flatUpTo}
		if err := u.run(); err != nil {
			t.Fatal(err)
		}
		if n := len(e.Seen()); u.manifest.Stats.Refit || n != want {
			t.Errorf("changed to %s: refit %t, %d texts embedded, want %d", name, u.manifest.Stats.Refit, n, want)
		}
		fresh, _ := buildIn(t, e, UpdateOptions{Add: kiteBarge(t)})
		if outcomes(t, openIn(t, dir, e)) != outcomes(t, openIn(t, fresh, e)) {
			t.Errorf("changed to %s, the index answers differently from a new one", name)
		}
	}
}

// Spaces are never mixed: a search with another embedder than the index's fails, and asks nobody.
// Where the index or the search has none, words alone find.
func TestSpacesDoNotMix(t *testing.T) {
	one, two := &embedtest.Words{Name: "one"}, &embedtest.Words{Name: "two"}
	remote, _ := buildIn(t, one, UpdateOptions{Add: kiteBarge(t)})
	offline := build(t, kiteBarge(t))
	for name, tc := range map[string]struct {
		dir         string
		e           embed.Embedder
		made, given string
	}{
		"another":        {remote, two, one.ID(), two.ID()},
		"none":           {remote, nil, one.ID(), ""},
		"one at offline": {offline, two, "", two.ID()},
	} {
		var s *embed.Space
		if tc.e != nil {
			s = space(t, tc.e)
		}
		x, err := OpenIn(tc.dir, s)
		if err != nil {
			t.Fatal(err)
		}
		_, err = x.Search(t.Context(), retrieval.Query{Primary: bargeQuestions[0]})
		mix, ok := errors.AsType[*SpaceError](err)
		if words := tc.made == "" || tc.given == ""; words && err != nil || !words && (!ok || mix.Made != tc.made || mix.Given != tc.given) {
			t.Errorf("%s: error %v", name, err)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
	if two.Calls() != 0 {
		t.Errorf("the wrong embedder was asked %d times", two.Calls())
	}
}

// An embedder that fails at any call leaves no generation, and its error
// names it; a question that it does not embed is an error, not an answer.
func TestEmbedderFails(t *testing.T) {
	failure := errors.New("no quota")
	for failAt := 1; ; failAt++ {
		e := &embedtest.Words{Before: func(_ context.Context, call int, _ []string) error {
			if call == failAt {
				return failure
			}
			return nil
		}}
		s, err := embed.New(e, &embed.Options{Batch: 40, Concurrency: 1})
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "gen")
		_, err = Update(t.Context(), UpdateOptions{Dir: dir, Add: kiteBarge(t), Space: s})
		if err != nil {
			if !errors.Is(err, failure) || !strings.Contains(err.Error(), e.ID()) {
				t.Errorf("error %v", err)
			}
			if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the generation is left behind: %v", err)
			}
			continue
		}
		if failAt < 2 {
			t.Errorf("failing at call %d was not noticed", failAt)
		}
		x, err := OpenIn(dir, s) // whose next call is the one that fails
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.Search(t.Context(), retrieval.Query{Primary: bargeQuestions[0]}); !errors.Is(err, failure) {
			t.Errorf("a search: %v", err)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
		return
	}
}

// sentences cuts a passage at its full stops.
func sentences(id string) *Cut {
	return &Cut{ID: id, Of: func(p state.Passage) []string { return strings.SplitAfter(strings.TrimSuffix(p.Text, "."), ". ") }}
}

// A passage that is cut is as near as its nearest piece, and a hit says how near each is. Vectors of
// passages that stay are kept, unless they are cut otherwise.
func TestCutPassages(t *testing.T) {
	texts := []string{"Deputies sit in March. Judges sit in May. Clerks sit in June.", "Ferries cross in April. The harbour closes in storms.", "Locks open at dawn."}
	e := &embedtest.Words{}
	dir, stats := buildIn(t, e, UpdateOptions{Add: plain(texts...), Cut: sentences("sentences")})
	if stats.Cut != "sentences" || len(e.Seen()) < 6 {
		t.Fatalf("stats %+v, embedded %q", stats, e.Seen())
	}
	near := func(dir string) []float64 {
		t.Helper()
		got := search(t, openIn(t, dir, e), retrieval.Query{Primary: "The harbour closes in storms"})
		if len(got.Hits) == 0 || got.Hits[0].Passage.ID != "p01" || len(got.Hits[0].Near) != 2 || got.Hits[0].Near[1] < .99 || got.Hits[0].Near[0] > .7 {
			t.Fatalf("found %+v", got.Hits)
		}
		return got.Hits[0].Near
	}
	want := near(dir)
	before := len(e.Seen())
	more := plain(append(texts, "Pilots rest at noon. Tugs wait.")...)[3:]
	next, _ := buildIn(t, e, UpdateOptions{From: dir, Remove: []string{"p00"}, Add: more, Cut: sentences("sentences")})
	for _, s := range e.Seen()[before:] {
		if strings.Contains(s, "Ferries") {
			t.Errorf("%q was embedded again", s)
		}
	}
	if got := near(next); !slices.Equal(got, want) {
		t.Errorf("near %v after an update, %v before", got, want)
	}
	fresh, _ := buildIn(t, e, UpdateOptions{Add: append(plain(texts...)[1:], more...), Cut: sentences("sentences")})
	for _, name := range []string{meaningCodesFile, meaningRowsFile, meaningListsFile} {
		if !slices.Equal(read(t, next, name), read(t, fresh, name)) {
			t.Errorf("%s is not that of a new generation", name)
		}
	}
	before = len(e.Seen())
	if other, stats := buildIn(t, e, UpdateOptions{From: next, Cut: sentences("others")}); stats.Cut != "others" || len(e.Seen()) < before+5 || len(near(other)) != 2 {
		t.Errorf("cut otherwise: %+v, %d texts", stats, len(e.Seen())-before)
	}
	whole, stats := buildIn(t, e, UpdateOptions{From: next})
	got := search(t, openIn(t, whole, e), retrieval.Query{Primary: "The harbour closes in storms"})
	if stats.Cut != "" || len(got.Hits) == 0 || got.Hits[0].Near != nil {
		t.Errorf("not cut: %+v, found %+v", stats, got.Hits)
	}
	if c := sentences("x").For(mostCut + 1); c.ID != "whole" || len(c.Of(plain(texts...)[0])) != 1 {
		t.Errorf("a large corpus is cut as %q", c.ID)
	}
	for _, name := range []string{meaningCodesFile, meaningRowsFile} {
		data := read(t, next, name)
		if err := os.WriteFile(filepath.Join(next, name), flip(data, len(data)-1), 0o600); err != nil {
			t.Fatal(err)
		}
		expectDamage(t, next)
		if err := os.WriteFile(filepath.Join(next, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Few or no passages make a whole generation, too.
func TestSmallSpaces(t *testing.T) {
	e := &embedtest.Words{}
	for i := range 8 {
		n, cut := i%4, []*Cut{nil, sentences("sentences")}[i/4]
		dir, stats := buildIn(t, e, UpdateOptions{Add: plain("Deputies sit in March.", "Judges sit in May.", "Clerks sit in June.")[:n], Cut: cut})
		if stats.Passages != n || stats.Space != e.ID() {
			t.Errorf("stats %+v", stats)
		}
		got := search(t, openIn(t, dir, e), retrieval.Query{Primary: "When do deputies sit?"})
		if n > 0 && (len(got.Hits) == 0 || got.Hits[0].Passage.ID != "p00") {
			t.Errorf("of %d passages: %v", n, ids(got))
		}
	}
}

// A damaged file of vectors is noticed when the index is opened.
func TestDamagedMeaning(t *testing.T) {
	dir, _ := buildIn(t, &embedtest.Words{}, UpdateOptions{Add: plain("x y", "y z")})
	path := filepath.Join(dir, meaningFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][]byte{nil, data[:len(data)-1], flip(data, len(data)/2)} {
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		expectDamage(t, dir)
	}
}
