package memory

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/memory/learn"
	"example.com/assay/memory/retrieval"
)

// yardSize is how many records answer questions.
const yardSize = 90

// yard ingests records, of which some answer questions that are known, and
// trains a ranker on those.
func yard(t *testing.T) (home, file string, model *learn.Model) {
	t.Helper()
	home, file = t.TempDir(), filepath.Join(t.TempDir(), "yard.jsonl")
	writeYard(t, file, 0)
	mustIngest(t, IngestOptions{Home: home, Corpus: "yard", Paths: []string{file}})
	c, err := Open(home, "yard")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var questions []learn.Question
	for i := range yardSize {
		questions = append(questions, learn.Question{Text: fmt.Sprintf("When is crane %d oiled?", i), Grades: map[string]int{fmt.Sprintf("r%02d", i): 1}})
	}
	if model, err = c.Train(t.Context(), questions, nil); err != nil {
		t.Fatal(err)
	}
	return home, file, model
}

// writeYard writes as many catalogue lines as rules. The rules before
// number from have other ids.
func writeYard(t *testing.T, file string, from int) {
	t.Helper()
	var b strings.Builder
	for i := range yardSize {
		id := fmt.Sprintf("r%02d", i)
		if i < from {
			id = fmt.Sprintf("new%02d", i)
		}
		fmt.Fprintf(&b, `{"id":"c%02d","text":"Crane %d, oiled crane:"}`+"\n", i, i)
		fmt.Fprintf(&b, `{"id":%q,"text":"On the first day of a month whoever works crane %d sees to it that it is oiled by a fitter before noon, and notes the day."}`+"\n", id, i)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

var aboutCranes = retrieval.Query{Primary: "When is crane 7 oiled?"}

func openYard(t *testing.T, home string, opts *OpenOptions) *Corpus {
	t.Helper()
	c, err := OpenWith(home, "yard", opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestSavedRankerOrders(t *testing.T) {
	home, _, model := yard(t)
	before := openYard(t, home, nil)
	own := searchIn(t, before, aboutCranes)
	if _, ok := before.Ranker(); ok || own.Reranker != "" || own.Hits[0].Passage.ID != "c07" {
		t.Fatalf("ranker %v, first %s by %q: the example shows nothing", ok, own.Hits[0].Passage.ID, own.Reranker)
	}
	if info, err := StoredRanker(home, "yard"); err != nil || info.ID != "" {
		t.Errorf("stored before it was saved: %+v, %v", info, err)
	}
	if err := SaveRanker(home, "yard", model, RankerInfo{Questions: 40, Fingerprint: before.Fingerprint(), Metric: "nDCG@10", Before: .5, After: .9, Fault: "not kept"}); err != nil {
		t.Fatal(err)
	}
	if got := searchIn(t, before, aboutCranes); got.Reranker != "" {
		t.Error("a corpus that was open changed")
	}
	after := openYard(t, home, nil)
	got := searchIn(t, after, aboutCranes)
	id, _ := model.ID()
	if got.Reranker != id || got.Hits[0].Passage.ID != "r07" || got.Fallback != "" || got.Confidence != own.Confidence {
		t.Errorf("first %s by %q, fallback %q", got.Hits[0].Passage.ID, got.Reranker, got.Fallback)
	}
	info, ok := after.Ranker()
	if !ok || !info.InUse || info.Changed || info.Kept != 1 || info.ID != id || info.After != .9 || info.Fault != "" {
		t.Errorf("info %+v", info)
	}
	if got := searchIn(t, openYard(t, home, &OpenOptions{Untrained: true}), aboutCranes); got.Reranker != "" {
		t.Errorf("left out, it orders all the same: %q", got.Reranker)
	}
	// A model that is given goes before the one that is there.
	other := *model
	other.Base = 1e6
	if got := searchIn(t, openYard(t, home, &OpenOptions{Ranker: &other}), aboutCranes); got.Hits[0].Passage.ID != "c07" || got.Reranker == id {
		t.Errorf("first %s by %q", got.Hits[0].Passage.ID, got.Reranker)
	}
	// A reranker has the last word.
	if got := searchIn(t, openYard(t, home, &OpenOptions{Reranker: &ranker{score: func(s string) float64 { return -float64(len(s)) }}}), aboutCranes); got.Reranker != "test:ranker" || !strings.HasPrefix(got.Hits[0].Passage.ID, "c") {
		t.Errorf("first %s by %q", got.Hits[0].Passage.ID, got.Reranker)
	}
	for _, want := range []bool{true, false} {
		if removed, err := RemoveRanker(home, "yard"); err != nil || removed != want {
			t.Errorf("removed %v, %v, want %v", removed, err, want)
		}
	}
	if got := searchIn(t, openYard(t, home, nil), aboutCranes); got.Reranker != "" {
		t.Errorf("removed, it orders: %q", got.Reranker)
	}
}

func TestRankerWhenTheCorpusChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	home, file, model := yard(t)
	c := openYard(t, home, nil)
	if err := SaveRanker(home, "yard", model, RankerInfo{Fingerprint: c.Fingerprint()}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		gone  int
		inUse bool
	}{{10, true}, {yardSize / 2, true}, {yardSize/2 + 1, false}, {0, true}} {
		writeYard(t, file, tt.gone)
		mustIngest(t, IngestOptions{Home: home, Corpus: "yard", Paths: []string{file}})
		c := openYard(t, home, nil)
		info, ok := c.Ranker()
		if !ok || info.InUse != tt.inUse || info.Changed != (tt.gone > 0) || info.Kept != float64(yardSize-tt.gone)/yardSize || (info.Fault == "") != tt.inUse {
			t.Errorf("%d gone: %+v", tt.gone, info)
		}
		got := searchIn(t, c, aboutCranes)
		if (got.Reranker != "") != tt.inUse || (got.Fallback == "") != tt.inUse {
			t.Errorf("%d gone: ordered by %q, fallback %q", tt.gone, got.Reranker, got.Fallback)
		}
	}
	// A rebuild keeps it, a corpus that is removed takes it along.
	mustIngest(t, IngestOptions{Home: home, Corpus: "yard", Paths: []string{file}, Rebuild: true})
	if info, err := StoredRanker(home, "yard"); err != nil || info.ID == "" {
		t.Errorf("after a rebuild: %+v, %v", info, err)
	}
	if err := Remove(t.Context(), home, "yard", nil); err != nil {
		t.Fatal(err)
	}
	mustIngest(t, IngestOptions{Home: home, Corpus: "yard", Paths: []string{file}})
	if info, err := StoredRanker(home, "yard"); err != nil || info.ID != "" {
		t.Errorf("a new corpus of that name: %+v, %v", info, err)
	}
}

// A ranker that cannot be read is told of, and searches go on without it.
func TestDamagedRanker(t *testing.T) {
	home, _, model := yard(t)
	if err := SaveRanker(home, "yard", model, RankerInfo{}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(corpusDir(home, "yard"), rankerFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	flipped := []byte(string(whole))
	flipped[len(flipped)/2] ^= 1
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "not a trained ranker"},
		{"foreign", []byte("hello\nthere"), "not a trained ranker"},
		{"cut", whole[:len(whole)/2], "damaged"},
		{"changed", flipped, "damaged"},
		{"later version", []byte(strings.Replace(string(whole), "assay-ranker 1 ", "assay-ranker 7 ", 1)), "version 7"},
	} {
		if err := os.WriteFile(path, tt.data, 0o600); err != nil {
			t.Fatal(err)
		}
		c := openYard(t, home, nil)
		info, ok := c.Ranker()
		if !ok || info.InUse || !strings.Contains(info.Fault, tt.want) || !strings.Contains(info.Fault, "train it again") {
			t.Errorf("%s: %v %+v", tt.name, ok, info)
		}
		if got := searchIn(t, c, aboutCranes); got.Reranker != "" || !strings.Contains(got.Fallback, tt.want) || len(got.Hits) == 0 {
			t.Errorf("%s: ordered by %q, fallback %q", tt.name, got.Reranker, got.Fallback)
		}
	}
}

func TestSaveRankerRefuses(t *testing.T) {
	home, _, model := yard(t)
	var unknown *UnknownCorpusError
	if err := SaveRanker(home, "other", model, RankerInfo{}); !errors.As(err, &unknown) {
		t.Errorf("no such corpus: %v", err)
	}
	if _, err := RemoveRanker(home, "other"); !errors.As(err, &unknown) {
		t.Errorf("no such corpus: %v", err)
	}
	if _, err := RemoveRanker(home, "../yard"); err == nil {
		t.Error("a name that leaves the home is taken")
	}
	s := &store{name: "yard", dir: corpusDir(home, "yard")}
	lock, err := s.lock()
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	var busy *BusyError
	if err := SaveRanker(home, "yard", model, RankerInfo{}); !errors.As(err, &busy) {
		t.Errorf("while it is ingested: %v", err)
	}
}
