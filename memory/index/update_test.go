package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/lsa"
	"example.com/assay/memory/retrieval"
	"example.com/assay/memory/text"
	"example.com/assay/state"
)

func TestPassagesRoundTrip(t *testing.T) {
	passages := []state.Passage{
		{ID: "b", Doc: "d", Title: "Ti<t>le & more", Section: "A > B", Text: "Straße – “quoted”\r\n\ttab\x00nul \u2028 end ", Start: 7, End: 60, Source: "dir/ü.txt", Page: 3, Line: 9},
		{ID: "a", Doc: "d", Text: "", Source: "dir/ü.txt"},
		{ID: strings.Repeat("long/", 40), Doc: "e", Text: strings.Repeat("word ", 30000), End: 150000, Source: "x"},
		{ID: "ünï cödé\n", Doc: "", Text: strings.Repeat("無", 5000), Source: ""},
	}
	x := open(t, build(t, passages))
	for _, want := range analysis.WithLanguages(passages) { // one is Chinese
		got, ok, err := x.Passage(want.ID)
		if err != nil || !ok {
			t.Fatalf("Passage(%q): %v, %v", want.ID, ok, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Passage(%q):\n%s", want.ID, diff)
		}
	}
	if _, ok, err := x.Passage("absent"); ok || err != nil {
		t.Errorf("an absent passage: %v, %v", ok, err)
	}
}

func TestUpdateRefuses(t *testing.T) {
	good := plain("one passage", "another passage")
	from := build(t, good)
	tests := []struct {
		name string
		opts UpdateOptions
		want string
	}{
		{"no directory", UpdateOptions{Add: good}, "set Dir"},
		{"directory exists", UpdateOptions{Dir: from, Add: good}, "exists"},
		{"no parent", UpdateOptions{Dir: filepath.Join(from, "no", "such"), Add: good}, "no such file"},
		{"same id twice", UpdateOptions{Dir: "new", Add: append(slices.Clone(good), good[0])}, `the id "p00"`},
		{"no id", UpdateOptions{Dir: "new", Add: []state.Passage{{Doc: "d", Text: "x"}}}, "has no id"},
		{"invalid text", UpdateOptions{Dir: "new", Add: []state.Passage{{ID: "a", Text: "x\xff"}}}, "not valid UTF-8"},
		{"removes what is not there", UpdateOptions{Dir: "new", From: from, Remove: []string{"zz"}}, `"zz"`},
		{"removes from nothing", UpdateOptions{Dir: "new", Remove: []string{"zz"}}, `"zz"`},
		{"no earlier generation", UpdateOptions{Dir: "new", From: filepath.Join(from, "none"), Add: good}, "no such file"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			made := test.opts.Dir == "new"
			if made {
				test.opts.Dir = filepath.Join(t.TempDir(), "new")
			}
			_, err := Update(t.Context(), test.opts)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want an error with %q", err, test.want)
			}
			if _, err := os.Stat(test.opts.Dir); made && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the directory is left behind: %v", err)
			}
		})
	}
	open(t, from) // untouched by all of it
}

func TestTinyCorpora(t *testing.T) {
	tests := []struct {
		name string
		add  []state.Passage
	}{
		{"none", nil},
		{"one", plain("The otter swims in the river.")},
		{"two", plain("The otter swims in the river.", "The badger digs in the wood.")},
		{"identical", plain("The otter swims.", "The otter swims.", "The otter swims.", "The otter swims.")},
		{"empty texts", plain("", "", "")},
		{"stop words", plain("the of and", "to be or not to be")},
		{"one document", []state.Passage{{ID: "a", Doc: "d", Text: "otter river"}, {ID: "b", Doc: "d", Text: "badger wood"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			x := open(t, build(t, test.add))
			if x.Stats().Passages != len(test.add) {
				t.Errorf("%d passages, want %d", x.Stats().Passages, len(test.add))
			}
			res := search(t, x, retrieval.Query{Primary: "Where does the otter swim?", Alternatives: []string{"otter", "", "the"}})
			wantHit := len(test.add) > 0 && strings.Contains(test.add[0].Text, "otter")
			if (len(res.Hits) > 0) != wantHit {
				t.Errorf("hits %v", ids(res))
			}
			if res.Confidence < 0 || res.Confidence > 1 || res.Similarity < 0 || res.Similarity > 1.0001 {
				t.Errorf("confidence %v, similarity %v", res.Confidence, res.Similarity)
			}
			if v := x.Embed("otter"); len(v) == 0 {
				t.Error("no embedding")
			}
		})
	}
}

// The same corpus by another road: in one go, in steps, with detours.
func TestIncrementalEqualsScratch(t *testing.T) {
	passages := kiteBarge(t)
	root := t.TempDir()
	scratch := build(t, passages)
	want := outcomes(t, open(t, scratch))

	changed := slices.Clone(passages[5:20])
	for i := range changed {
		changed[i].Text += " Later replaced."
	}
	extra := plain("A passage that does not stay.", "Nor does this one.")
	steps := []UpdateOptions{
		{Add: append(slices.Clone(passages[:5]), changed...)},
		{Add: append(slices.Clone(passages[20:]), extra...)},
		{Add: passages[5:20], Remove: []string{"p00", passages[6].ID}},
		{Remove: []string{"p01"}},
	}
	from := ""
	for i, step := range steps {
		step.From, step.Dir = from, filepath.Join(root, fmt.Sprint(i))
		if _, err := Update(t.Context(), step); err != nil {
			t.Fatal(err)
		}
		from = step.Dir
	}
	x := open(t, from)
	if got := outcomes(t, x); got != want {
		t.Errorf("an index made in steps answers differently:\n%s", cmp.Diff(want, got))
	}
	if got, want := x.Stats().Fingerprint, open(t, scratch).Stats().Fingerprint; got != want {
		t.Errorf("fingerprint %s, want %s", got, want)
	}

	empty := filepath.Join(root, "empty")
	var all []string
	for _, p := range passages {
		all = append(all, p.ID)
	}
	if _, err := Update(t.Context(), UpdateOptions{Dir: empty, From: from, Remove: all}); err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(root, "again")
	if _, err := Update(t.Context(), UpdateOptions{Dir: again, From: empty, Add: passages}); err != nil {
		t.Fatal(err)
	}
	if got := outcomes(t, open(t, again)); got != want {
		t.Error("an index that was emptied and filled again answers differently")
	}
}

func TestDeterministic(t *testing.T) {
	passages := kiteBarge(t)
	var want string
	for _, procs := range []int{1, 8, 2} {
		previous := runtime.GOMAXPROCS(procs)
		dir := build(t, passages)
		got := outcomes(t, open(t, dir))
		runtime.GOMAXPROCS(previous)
		for _, name := range []string{"part-000001.bags", modelFile, vectorsFile} {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			got += fmt.Sprintf("%s %x\n", name, data)
		}
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("with %d processors the index differs", procs)
		}
	}
}

// A generation that is cancelled, at whatever point, never was, and the one
// before it does not notice.
func TestCancelAtEveryProgressCall(t *testing.T) {
	passages := kiteBarge(t)
	from := build(t, passages[:30])
	before := snapshot(t, from)
	want := outcomes(t, open(t, from))
	for _, base := range []string{"", from} {
		for call := 1; ; call++ {
			ctx, cancel := context.WithCancel(t.Context())
			dir := filepath.Join(t.TempDir(), "new")
			calls := 0
			opts := UpdateOptions{Dir: dir, From: base, Add: passages[10:], Progress: func(string, int, int) {
				if calls++; calls == call {
					cancel()
				}
			}}
			if base != "" {
				opts.Remove = []string{passages[0].ID, passages[12].ID}
			}
			_, err := Update(ctx, opts)
			cancel()
			if calls < call {
				if err != nil {
					t.Fatalf("uncancelled: %v", err)
				}
				if call < 8 {
					t.Errorf("only %d progress calls", calls)
				}
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("cancelled at call %d: %v", call, err)
			}
			if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("cancelled at call %d: the directory is left: %v", call, err)
			}
		}
	}
	if !maps.Equal(before, snapshot(t, from)) {
		t.Error("the earlier generation was changed")
	}
	if got := outcomes(t, open(t, from)); got != want {
		t.Error("the earlier generation answers differently")
	}
}

// From may not be changed by an update that succeeds either, and must be
// readable while it runs.
func TestFromStaysAsItIs(t *testing.T) {
	passages := kiteBarge(t)
	from := build(t, passages)
	before := snapshot(t, from)
	x := open(t, from)
	want := outcomes(t, x)
	dir := filepath.Join(t.TempDir(), "new")
	_, err := Update(t.Context(), UpdateOptions{Dir: dir, From: from, Remove: []string{passages[3].ID}, Add: plain("Fresh words."), Progress: func(string, int, int) {
		if outcomes(t, x) != want {
			t.Error("answers changed during the update")
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(before, snapshot(t, from)) {
		t.Error("the earlier generation was changed")
	}
	if err := os.RemoveAll(from); err != nil { // the new one must not need it
		t.Fatal(err)
	}
	if p, ok, err := open(t, dir).Passage("p00"); err != nil || !ok || p.Text != "Fresh words." {
		t.Errorf("got %+v, %v, %v", p, ok, err)
	}
}

// updateAsLarge is Update with the corpus taken for one that is too large to
// train anew each time.
func updateAsLarge(t *testing.T, opts UpdateOptions) Stats {
	t.Helper()
	if err := os.Mkdir(opts.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	u := &update{ctx: t.Context(), opts: opts, refitBelow: 0, flatUpTo: flatUpTo}
	if err := u.run(); err != nil {
		t.Fatal(err)
	}
	return u.manifest.Stats
}

// In a large corpus a small change folds in and does not train anew, until
// the small changes add up.
func TestFoldIn(t *testing.T) {
	from := build(t, randomCorpus(100, 1))
	old := open(t, from)
	if got := old.Stats(); !got.Refit {
		t.Errorf("the first generation is not trained: %+v", got)
	}
	dir := filepath.Join(t.TempDir(), "new")
	stats := updateAsLarge(t, UpdateOptions{Dir: dir, From: from, Add: randomCorpus(8, 2), Remove: []string{"s1-000000"}})
	x := open(t, dir)
	if stats.Refit || stats.Passages != 107 || x.gen.model.ID() != old.gen.model.ID() {
		t.Errorf("trained anew: %+v", stats)
	}
	for _, id := range []string{"s2-000003", "s1-000050"} {
		p, ok, err := x.Passage(id)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		ord, _ := x.gen.table.Find(id)
		want, _ := x.gen.model.Project(lsa.Bag(analysis.Terms(p.Text, text.DocStops)))
		if !slices.Equal(x.gen.vectors.Row(ord), want) {
			t.Errorf("%s has the vector of another passage", id)
		}
		if res := search(t, x, retrieval.Query{Primary: p.Text}); len(res.Hits) == 0 || res.Hits[0].Passage.ID != id {
			t.Errorf("%s is not found by its own text: %v", id, ids(res))
		}
	}
	grown := filepath.Join(t.TempDir(), "grown")
	if stats := updateAsLarge(t, UpdateOptions{Dir: grown, From: dir, Add: randomCorpus(10, 3)}); stats.Refit {
		t.Error("19 changes since 100 were trained on: trained anew")
	}
	if stats := updateAsLarge(t, UpdateOptions{Dir: filepath.Join(t.TempDir(), "more"), From: grown, Add: randomCorpus(1, 4)}); !stats.Refit {
		t.Error("20 changes since 100 were trained on: not trained anew")
	}
}

func TestSmallCorporaAreTrainedEachTime(t *testing.T) {
	from := build(t, randomCorpus(100, 1))
	stats, err := Update(t.Context(), UpdateOptions{Dir: filepath.Join(t.TempDir(), "new"), From: from, Add: randomCorpus(1, 2)})
	if err != nil || !stats.Refit {
		t.Errorf("%+v, %v", stats, err)
	}
}

// Parameters of BM25 belong to a generation: others rank otherwise.
func TestParametersOfBM25(t *testing.T) {
	dir := build(t, randomCorpus(300, 5))
	x := open(t, dir)
	if got := x.Training().BM25; got != (BM25{DefaultK1, DefaultB}) {
		t.Fatalf("parameters %+v", got)
	}
	other := filepath.Join(t.TempDir(), "other")
	stats, err := Update(t.Context(), UpdateOptions{Dir: other, From: dir, BM25: BM25{K1: 3, B: 0}})
	if err != nil || !stats.Refit || stats.BM25 != (BM25{3, 0}) {
		t.Fatalf("%+v, %v", stats, err)
	}
	y := open(t, other)
	q := retrieval.Query{Primary: "w1x w2x w3x w4x"}
	if outcome(search(t, x, q)) == outcome(search(t, y, q)) {
		t.Error("the parameters change nothing")
	}
	same := filepath.Join(t.TempDir(), "same")
	if _, err := Update(t.Context(), UpdateOptions{Dir: same, From: other, BM25: BM25{DefaultK1, DefaultB}}); err != nil {
		t.Fatal(err)
	}
	if got := outcome(search(t, open(t, same), q)); got != outcome(search(t, x, q)) {
		t.Errorf("back at the defaults:\n%s", got)
	}
	for _, bad := range []BM25{{K1: -1}, {K1: 11}, {K1: 1, B: 2}, {K1: 1, B: -1}, {K1: math.NaN()}} {
		if _, err := Update(t.Context(), UpdateOptions{Dir: filepath.Join(t.TempDir(), "bad"), BM25: bad}); err == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
}

// A corpus that grows keeps of its sample what it has room for.
func TestSampleOfAGrowingCorpus(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	hashes := make([]uint64, 1400)
	for i := range hashes {
		hashes[i] = rng.Uint64()
	}
	drawn := func(n int) []int32 {
		ords := make([]int32, n)
		for i := range ords {
			ords[i] = int32(i)
		}
		return lowest(ords, hashes, 100)
	}
	before, after := drawn(900), drawn(1400)
	kept := 0
	for _, ord := range after {
		if slices.Contains(before, ord) {
			kept++
		}
	}
	if len(after) != 100 || !slices.IsSorted(after) || kept < 50 || kept > 85 {
		t.Errorf("of a sample of 100 a corpus that grew by a half keeps %d", kept)
	}
}
