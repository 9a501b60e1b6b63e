// Package sourcetest holds the collections of package index to one behaviour: what is
// found on a server is what is found in files, by the same searches of the same corpora.
//
//	func TestCollection(t *testing.T) { sourcetest.Run(t, func(t *testing.T) index.Collection { … }) }
//
// Memory is the least collection that passes. It does not measure: what a server's own
// ranking costs on judged questions is in docs/scale.md.
package sourcetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/assay/memory/index"
	"example.com/assay/memory/index/indextest"
	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// A Pair is one corpus in files and in a collection.
type Pair struct{ Files, Served *index.Index }

// Publish indexes passages and opens both sides until the test ends.
func Publish(t testing.TB, to index.Collection, passages []state.Passage) Pair {
	t.Helper()
	dir := t.TempDir()
	files, served := filepath.Join(dir, "files"), filepath.Join(dir, "served")
	if _, err := index.Update(t.Context(), index.UpdateOptions{Dir: files, Add: passages}); err != nil {
		t.Fatal(err)
	}
	if err := index.Publish(t.Context(), index.PublishOptions{From: files, Dir: served, To: to}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = to.Drop(context.WithoutCancel(t.Context())) })
	x, err := index.Open(files)
	if err != nil {
		t.Fatal(err)
	}
	y, err := index.OpenServed(served, to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(x.Close(), y.Close()); err != nil {
			t.Error(err)
		}
	})
	return Pair{x, y}
}

// Run runs the suite. Every call of empty returns a collection that does not exist yet.
func Run(t *testing.T, empty func(t *testing.T) index.Collection) {
	t.Run("searches", func(t *testing.T) { searches(t, empty(t)) })
	t.Run("filters", func(t *testing.T) { filters(t, empty(t)) })
	t.Run("many", func(t *testing.T) { many(t, empty(t)) })
	t.Run("nothing", func(t *testing.T) { nothing(t, empty(t)) })
	t.Run("abort", func(t *testing.T) { abort(t, empty(t)) })
	t.Run("generations", func(t *testing.T) { generations(t, empty(t), empty(t)) })
}

// searches compares everything about the answers of a corpus that is small enough for a
// server's ranking to leave nothing out.
func searches(t *testing.T, to index.Collection) {
	p := Publish(t, to, Rulebook())
	for _, q := range []retrieval.Query{
		{Primary: "Who appoints a clerk?"},
		{Primary: "What does § 5899(b) say of lost records?"},
		{Primary: "§ 5899(d)"},
		{Primary: "COBS Rule 8.7.1 on client money"},
		{Primary: "What of a badge, REQ-12?"},
		{Primary: "What is a towline?"},
		{Primary: "How is the lanten trimmed in a gale?"}, // lantern
		{Primary: "What must the HMO keep?"},
		{Primary: "duties of a harbour master office"},
		{Primary: "Where is the red house?"}, // by a title that another passage mentions
		{Primary: "lamps on the quay", Alternatives: []string{"lights at night", "lanterns of the harbour"}},
		{Primary: "lamps on the quay", Exclude: []string{"harbour#0", "harbour#1"}},
		{Primary: "clerk records fees", K: 8, Neighbours: 2},
		{Primary: "clerk records fees", K: 4, MMR: .6},
		{Primary: "clerk records", About: [][]string{{"fees for lost records"}, {"appointment by the court"}}},
		{Primary: "steam engines in Portugal"},
		{Primary: "the of and"},
		{Primary: "lost records", K: 10, Repeats: true},
	} {
		same(t, p, q)
	}
	for _, id := range []string{"clerks#2", "harbour#1", "absent"} {
		a, inFiles, err := p.Files.Passage(id)
		b, served, err2 := p.Served.Passage(id)
		if err != nil || err2 != nil || inFiles != served || text(a) != text(b) {
			t.Errorf("passage %q: %v, want %v (%v, %v)", id, b, a, err, err2)
		}
	}
	hits := answer(t, p.Served, retrieval.Query{Primary: "clerk records fees", K: 4}).Hits
	relevance := make([]float64, len(hits))
	a, err := p.Files.Diversify(hits, relevance, .3, 2)
	b, err2 := p.Served.Diversify(hits, relevance, .3, 2)
	if err != nil || err2 != nil || text(a) != text(b) {
		t.Errorf("diversified: %v, want %v (%v, %v)", b, a, err, err2)
	}
}

// filters compares searches of a part of the corpus, and what its parts are.
func filters(t *testing.T, to index.Collection) {
	passages := Rulebook()
	for i := range passages {
		passages[i].Metadata = map[string]string{"third": fmt.Sprint(i % 3), "dir": fmt.Sprintf("d%d/e%d", i%2, i%5), "kinds": fmt.Sprintf("k%d\nk %d", i%4, i%7)}
	}
	p := Publish(t, to, passages)
	for _, filter := range [][]retrieval.Condition{
		{{Key: "third", OneOf: []string{"1"}}},
		{{Key: "Third", OneOf: []string{"1", "2"}}},
		{{Key: "dir", Prefix: "d1/"}, {Key: "third", OneOf: []string{"0", "1"}}},
		{{Key: "kinds", OneOf: []string{"k 3"}}},
		{{Key: "third", OneOf: []string{"9"}}},
		{{Key: "third"}},
	} {
		for _, question := range []string{"clerk records", "§ 5899(b)", "lamps on the quay"} {
			same(t, p, retrieval.Query{Primary: question, K: 10, Filter: filter, Neighbours: 1})
		}
	}
	var unknown *retrieval.UnknownKeyError
	if _, err := p.Served.Search(t.Context(), retrieval.Query{Primary: "clerk", Filter: []retrieval.Condition{{Key: "thrid"}}}); !errors.As(err, &unknown) {
		t.Errorf("an unknown key: %v", err)
	}
	for _, limit := range []int{2, 100} {
		a, err := p.Files.Facets(t.Context(), limit)
		b, err2 := p.Served.Facets(t.Context(), limit)
		if err != nil || err2 != nil || text(a) != text(b) {
			t.Errorf("facets: %s, want %s (%v, %v)", text(b), text(a), err, err2)
		}
	}
}

// many compares hits where a server's ranking chooses among many passages, and asks from
// several goroutines at once.
func many(t *testing.T, to index.Collection) {
	const asked = 60
	passages := indextest.Synthesise(1200, 7)
	p := Publish(t, to, passages)
	questions := indextest.Questions(asked, passages, 11)
	found := make([]retrieval.Result, asked)
	errs := make([]error, asked)
	var asking sync.WaitGroup
	for from := range 4 {
		asking.Go(func() {
			for i := from; i < asked; i += 4 {
				found[i], errs[i] = p.Served.Search(t.Context(), retrieval.Query{Primary: questions[i]})
			}
		})
	}
	asking.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	same, of, apart := 0, 0, 0.0
	for i, q := range questions {
		want := answer(t, p.Files, retrieval.Query{Primary: q})
		for _, h := range want.Hits {
			of++
			if slices.ContainsFunc(found[i].Hits, func(g state.Hit) bool { return g.Passage.ID == h.Passage.ID }) {
				same++
			}
		}
		apart = max(apart, found[i].Confidence-want.Confidence, want.Confidence-found[i].Confidence)
	}
	if float64(same) < .97*float64(of) || apart > .05 {
		t.Errorf("%d of %d hits are those of the files, confidences differ by up to %.3f", same, of, apart)
	}
}

// nothing publishes a corpus without passages.
func nothing(t *testing.T, to index.Collection) {
	p := Publish(t, to, nil)
	same(t, p, retrieval.Query{Primary: "Who appoints a clerk?"})
}

// abort cancels a publication: nothing is left of it, and it can be begun again.
func abort(t *testing.T, to index.Collection) {
	dir := t.TempDir()
	files, served := filepath.Join(dir, "files"), filepath.Join(dir, "served")
	if _, err := index.Update(t.Context(), index.UpdateOptions{Dir: files, Add: indextest.Synthesise(900, 3)}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	opts := index.PublishOptions{From: files, Dir: served, To: to, Progress: func(phase string, done, _ int) {
		if phase == index.PhaseWrite && done > 0 {
			cancel()
		}
	}}
	if err := index.Publish(ctx, opts); !errors.Is(err, context.Canceled) {
		t.Fatalf("a cancelled publication: %v", err)
	}
	if _, err := os.Stat(served); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its directory is left: %v", err)
	}
	opts.Progress = nil
	if err := index.Publish(t.Context(), opts); err != nil {
		t.Fatal(err)
	}
	if n, err := to.Count(t.Context()); n != 900 || err != nil {
		t.Errorf("%d passages after the second, want 900: %v", n, err)
	}
	if err := to.Drop(t.Context()); err != nil {
		t.Error(err)
	}
	if err := to.Drop(t.Context()); err != nil {
		t.Errorf("dropping what is not there: %v", err)
	}
}

// generations publishes a second state of a corpus while the first one is asked.
func generations(t *testing.T, first, second index.Collection) {
	passages := Rulebook()
	before := Publish(t, first, passages[:len(passages)-2])
	q := retrieval.Query{Primary: "lost records", K: 10}
	want := text(answer(t, before.Served, q))
	asked := make(chan error, 1)
	stop := make(chan struct{})
	go func() {
		for {
			r, err := before.Served.Search(context.WithoutCancel(t.Context()), q)
			if err == nil && text(r) != want {
				err = fmt.Errorf("the first generation answers %s, want %s", text(r), want)
			}
			select {
			case <-stop:
				asked <- err
				return
			default:
			}
			if err != nil {
				asked <- err
				return
			}
		}
	}()
	after := Publish(t, second, passages)
	close(stop)
	if err := <-asked; err != nil {
		t.Error(err)
	}
	same(t, after, q)
}

func answer(t testing.TB, x *index.Index, q retrieval.Query) retrieval.Result {
	t.Helper()
	r, err := x.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// same compares a search of both sides. How many candidates there were may differ: files
// choose among all passages, and a server sends what it finds.
func same(t testing.TB, p Pair, q retrieval.Query) {
	t.Helper()
	a, b := answer(t, p.Files, q), answer(t, p.Served, q)
	a.Candidates, a.Widened, b.Candidates, b.Widened = 0, 0, 0, 0
	if text(a) != text(b) {
		t.Errorf("%+v: %s", q, apart(text(a), text(b)))
	}
}

// apart shows where two texts part.
func apart(files, served string) string {
	a, b := strings.Split(files, "\n"), strings.Split(served, "\n")
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	near := func(list []string) string {
		return strings.Join(list[max(0, min(at, len(list))-3):min(len(list), at+4)], "\n")
	}
	return fmt.Sprintf("line %d of the answer is on the server\n%s\nand in files\n%s", at+1, near(b), near(a))
}

func text(v any) string {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(data)
}
