package memory

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"example.com/assay/memory/answer"
	"example.com/assay/memory/embed/embedtest"
	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// With more new passages than an ingest has patience for, words are searched first; the next ingest
// embeds them, and one that is stopped in between loses nothing.
func TestPatience(t *testing.T) {
	home, docs := t.TempDir(), tree(t, t.TempDir(), small())
	failure := errors.New("stopped")
	stop := true
	e := &embedtest.Words{Before: func(_ context.Context, call int, _ []string) error {
		if stop && call == 2 {
			return failure
		}
		return nil
	}}
	space := spaceOf(t, home, e)
	opts := IngestOptions{Home: home, Corpus: "law", Paths: []string{docs}, Space: space, Patience: 1}
	r := mustIngest(t, opts)
	if r.Unembedded != r.Passages || e.Calls() != 0 {
		t.Errorf("report %+v after %d calls", r, e.Calls())
	}
	words := openWith(t, home, &OpenOptions{Space: space})
	if got := searchIn(t, words, retrieval.Query{Primary: aboutLiens}); len(got.Hits) == 0 || words.Info().Space != "" {
		t.Errorf("%d hits in %q", len(got.Hits), words.Info().Space)
	}
	opts.Patience = 0
	if _, err := Ingest(t.Context(), opts); !errors.Is(err, failure) {
		t.Fatalf("error %v", err)
	}
	stop = false
	if r := mustIngest(t, opts); r.Unembedded != 0 || !r.Reembedded {
		t.Errorf("report %+v", r)
	}
	sent := map[string]int{}
	for _, s := range e.Seen() {
		sent[s]++
	}
	for s, n := range sent {
		if n > 2 { // the batch that failed, and a search
			t.Errorf("%.40q was sent %d times", s, n)
		}
	}
	if got := openWith(t, home, &OpenOptions{Space: space}).Info().Space; got != space.ID() {
		t.Errorf("the corpus is of %q", got)
	}
	// What the cache has needs no patience.
	opts.Patience, opts.Rebuild = 1, true
	if r := mustIngest(t, opts); r.Unembedded != 0 {
		t.Errorf("report %+v", r)
	}
}

// reads gives each text the odds of its length, and counts.
type reads struct {
	texts []string
	err   error
}

func (r *reads) Answers(_ context.Context, _ string, texts []string) ([]float64, error) {
	r.texts = append(r.texts, texts...)
	odds := make([]float64, len(texts))
	for i, t := range texts {
		odds[i] = float64(len(t)) + .00049
	}
	return odds, r.err
}

// The stretches that lead are read together with the question, where a query asks for it.
func TestReadTogether(t *testing.T) {
	home, docs := t.TempDir(), tree(t, t.TempDir(), small())
	mustIngest(t, IngestOptions{Home: home, Corpus: "law", Paths: []string{docs}})
	r := &reads{}
	c := openWith(t, home, &OpenOptions{Meaning: spaceOf(t, home, &embedtest.Words{}), Reader: r})
	searchIn(t, c, retrieval.Query{Primary: aboutLiens})
	if len(r.texts) > 0 {
		t.Fatalf("nobody asked, and %q was read", r.texts)
	}
	n := 0
	for _, h := range searchIn(t, c, retrieval.Query{Primary: aboutLiens, Read: aboutLiens}).Hits {
		for place, odds := range h.Read {
			if text := answer.Readings(h.Passage)[place].Text; !slices.Contains(r.texts, text) || odds != float64(len(text)) {
				t.Errorf("%q has the odds %v, and %q was read", text, odds, r.texts)
			}
			n++
		}
	}
	if n == 0 || n > readLeads || len(r.texts) != n {
		t.Errorf("%d stretches have odds, and %q was read", n, r.texts)
	}
	r.err = errors.New("no power")
	if _, err := c.Search(t.Context(), retrieval.Query{Primary: aboutLiens, Read: aboutLiens}); !errors.Is(err, r.err) {
		t.Errorf("error %v", err)
	}
}

// A likeEncoder is taken for an encoder of this program.
type likeEncoder struct{ *embedtest.Words }

func (e likeEncoder) ID() string { return "encoder " + e.Words.ID() }

// Each stretch of what is found says how near it is to the question: those of a corpus that an encoder
// has read from the index, with the same figures as those that are embedded by a search.
func TestNear(t *testing.T) {
	home, docs := t.TempDir(), tree(t, t.TempDir(), small())
	opts := IngestOptions{Home: home, Corpus: "law", Paths: []string{docs}}
	mustIngest(t, opts)
	e := likeEncoder{&embedtest.Words{}}
	space := spaceOf(t, t.TempDir(), e)
	plain := searchIn(t, openWith(t, home, nil), retrieval.Query{Primary: aboutLiens})
	c := openWith(t, home, &OpenOptions{Meaning: space})
	got := searchIn(t, c, retrieval.Query{Primary: aboutLiens})
	for i, h := range got.Hits {
		if h.Passage.ID != plain.Hits[i].Passage.ID {
			t.Errorf("hit %d is another with a meaning", i)
		}
		checkNear(t, h, i)
	}
	opts.Space, opts.Home = spaceOf(t, t.TempDir(), e), t.TempDir()
	mustIngest(t, opts)
	cut := openWith(t, opts.Home, &OpenOptions{Space: opts.Space, Meaning: opts.Space})
	before := e.Calls()
	read := searchIn(t, cut, retrieval.Query{Primary: aboutLiens})
	if e.Calls() != before+1 {
		t.Errorf("a search made %d calls; the question alone is new", e.Calls()-before)
	}
	for i, h := range read.Hits {
		checkNear(t, h, i)
		for _, other := range got.Hits {
			for j := range h.Near {
				if other.Passage.ID == h.Passage.ID && math.Abs(h.Near[j]-other.Near[j]) > .01 {
					t.Errorf("%s: %v in eight bits, %v without", h.Passage.ID, h.Near, other.Near)
				}
			}
		}
	}
	if hits := searchIn(t, openWith(t, opts.Home, &OpenOptions{Space: opts.Space}), retrieval.Query{Primary: aboutLiens}).Hits; hits[0].Near != nil {
		t.Error("nobody asked for figures, and there are some")
	}
	if plain.Hits[0].Near != nil {
		t.Error("without an encoder there are figures")
	}
	for _, c := range []*Corpus{c, cut} {
		for _, h := range searchIn(t, c, retrieval.Query{Primary: "Wer hat ein lien, und wie lange gilt es für das Boot?"}).Hits {
			if h.Near != nil {
				t.Error("an English encoder read a German question")
			}
		}
	}
	e.Before = func(context.Context, int, []string) error { return errors.New("no power") }
	if _, err := c.Search(t.Context(), retrieval.Query{Primary: "Who holds a lien on the barge?"}); err == nil || !strings.Contains(err.Error(), "no power") {
		t.Errorf("error %v", err)
	}
}

func checkNear(t *testing.T, h state.Hit, i int) {
	t.Helper()
	readings := answer.Readings(h.Passage)
	if len(h.Near) != len(readings) && i < meantHits {
		t.Fatalf("hit %d has %d stretches and %d figures", i, len(readings), len(h.Near))
	}
	for j, v := range h.Near {
		if v < -1 || v > 1 {
			t.Errorf("%q is %v near", readings[j].Text, v)
		}
	}
}
