package index

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"example.com/assay/memory/embed"
	"example.com/assay/memory/embed/embedtest"
	"example.com/assay/memory/index/indextest"
	"example.com/assay/memory/lsa"
	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// updateListed is Update with lists from so few passages on.
func updateListed(t testing.TB, opts UpdateOptions, flatUpTo int) string {
	t.Helper()
	opts.Dir = filepath.Join(t.TempDir(), "gen")
	if err := os.Mkdir(opts.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	u := &update{ctx: t.Context(), opts: opts, flatUpTo: flatUpTo}
	if err := u.run(); err != nil {
		t.Fatal(err)
	}
	return opts.Dir
}

func read(t testing.TB, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A generation of more passages than are scanned has lists, of its own
// vectors and of a remote embedder's; it answers as one without, but for what
// the lists miss.
func TestLists(t *testing.T) {
	const n = 1000
	passages := indextest.Synthesise(n, 1)
	e := &embedtest.Words{}
	s := space(t, e)
	flat := updateListed(t, UpdateOptions{Add: passages, Space: s}, n)
	listed := updateListed(t, UpdateOptions{Add: passages, Space: s}, n-1)
	for _, name := range []string{listsFile, meaningListsFile} {
		if _, err := os.Stat(filepath.Join(flat, name)); !os.IsNotExist(err) {
			t.Errorf("a generation that is scanned has the file %s: %v", name, err)
		}
	}
	a, b := openIn(t, flat, e), openIn(t, listed, e)
	if got := a.Training(); got.Lists != 0 || got.Fitted != n {
		t.Errorf("scanned: %+v", got)
	}
	if got := b.Training(); got.Lists < 50 || got.Probes >= got.Lists || got.Recall < .95 {
		t.Errorf("listed: %+v", got)
	}
	same, all := 0, 0
	for _, q := range indextest.Questions(40, passages, 2) {
		want := ids(search(t, a, retrieval.Query{Primary: q, K: 10}))
		for _, id := range ids(search(t, b, retrieval.Query{Primary: q, K: 10})) {
			if slices.Contains(want, id) {
				same++
			}
		}
		all += len(want)
	}
	if share := float64(same) / float64(all); share < .98 {
		t.Errorf("%.3f of the hits are those of a scan", share)
	}
}

func TestListsAreDeterministic(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	passages := indextest.Synthesise(600, 3)
	var want map[string]string
	for _, procs := range []int{1, 8} {
		previous := runtime.GOMAXPROCS(procs)
		dir := updateListed(t, UpdateOptions{Add: passages}, 100)
		runtime.GOMAXPROCS(previous)
		got := map[string]string{}
		for _, name := range []string{vectorsFile, listsFile, modelFile, "part-000001.bags"} {
			got[name] = string(read(t, dir, name))
		}
		if want == nil {
			want = got
		}
		if !maps.Equal(got, want) {
			t.Errorf("with %d processors the files differ", procs)
		}
	}
}

// A small change shares the new passages out among the lists there are; the
// lists go when a corpus shrinks, and are trained again with the embedder.
func TestListsFollowTheCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	passages := indextest.Synthesise(600, 4)
	first := updateListed(t, UpdateOptions{Add: passages[:540]}, 300)
	second := updateListed(t, UpdateOptions{From: first, Add: passages[540:]}, 300)
	x, y := open(t, first), open(t, second)
	if got := y.Training(); got.Changed != 60 || got.Lists != x.Training().Lists {
		t.Errorf("after a small change: %+v", got)
	}
	for _, p := range passages[530:560] {
		ord, _ := y.gen.table.Find(p.ID)
		query, _ := y.gen.model.Project(lsa.Bag(y.corpus.Reader.Terms(p.Text)))
		if got := y.gen.vectors.Top(query, 1, 0, nil); len(got) == 0 || got[0].Row != int32(ord) {
			t.Fatalf("passage %s is not the nearest to its own words", p.ID)
		}
	}
	others := indextest.Synthesise(120, 7)
	for i := range others {
		others[i].ID, others[i].Doc, others[i].Source = "other "+others[i].ID, "other "+others[i].Doc, "other "+others[i].Source
	}
	many := updateListed(t, UpdateOptions{From: first, Add: others}, 300)
	fresh := updateListed(t, UpdateOptions{Add: slices.Concat(passages[:540], others)}, 300)
	if !slices.Equal(read(t, many, listsFile), read(t, fresh, listsFile)) {
		t.Error("trained again, the lists are not those of a new generation")
	}
	var gone []string
	for _, p := range passages[300:] {
		gone = append(gone, p.ID)
	}
	third := updateListed(t, UpdateOptions{From: second, Remove: gone}, 300)
	if got := open(t, third).Training(); got.Lists != 0 {
		t.Errorf("of 300 passages: %+v", got)
	}
	fourth := updateListed(t, UpdateOptions{From: third, Add: passages[300:]}, 300)
	if got := open(t, fourth).Training(); got.Lists == 0 || got.Changed != 0 || got.Fitted != 600 {
		t.Errorf("grown again: %+v", got)
	}
}

func TestDamagedLists(t *testing.T) {
	dir := updateListed(t, UpdateOptions{Add: indextest.Synthesise(300, 5)}, 100)
	path, data := filepath.Join(dir, listsFile), read(t, dir, listsFile)
	for _, bad := range [][]byte{nil, data[:len(data)-1], flip(data, len(data)/2)} {
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		expectDamage(t, dir)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	expectDamage(t, dir)
}

// Lists of an embedder that was exchanged are not used for the next one's
// vectors.
func TestListsOfAnotherSpace(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	passages := indextest.Synthesise(400, 6)
	one, two := &embedtest.Words{Name: "one"}, &embedtest.Words{Name: "two", Dims: 96}
	build := func(from string, add []state.Passage, s *embed.Space) string {
		return updateListed(t, UpdateOptions{From: from, Add: add, Space: s}, 100)
	}
	dir := build(build("", passages, space(t, one)), nil, space(t, two))
	fresh := build("", passages, space(t, two))
	if !slices.Equal(read(t, dir, meaningListsFile), read(t, fresh, meaningListsFile)) {
		t.Error("lists of the earlier embedder were kept")
	}
}
