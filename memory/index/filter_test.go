package index

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// tagged is a random corpus whose passages say which third they are of, and
// whether they are even.
func tagged(n int) []state.Passage {
	out := randomCorpus(n, 5)
	for i := range out {
		out[i].Metadata = map[string]string{"third": fmt.Sprint(i % 3), "dir": fmt.Sprintf("d%d/e%d", i%2, i%5), "kinds": fmt.Sprintf("k%d\nk%d", i%4, i%7)}
	}
	return out
}

func TestFilter(t *testing.T) {
	passages := tagged(300)
	x := open(t, build(t, passages))
	for _, c := range []struct {
		filter []retrieval.Condition
		in     func(i int) bool
	}{
		{[]retrieval.Condition{{Key: "third", OneOf: []string{"1"}}}, func(i int) bool { return i%3 == 1 }},
		{[]retrieval.Condition{{Key: "Third", OneOf: []string{"1", "2"}}}, func(i int) bool { return i%3 != 0 }},
		{[]retrieval.Condition{{Key: "dir", Prefix: "d1/"}}, func(i int) bool { return i%2 == 1 }},
		{[]retrieval.Condition{{Key: "dir", Prefix: "d1/"}, {Key: "third", OneOf: []string{"0"}}}, func(i int) bool { return i%2 == 1 && i%3 == 0 }},
		{[]retrieval.Condition{{Key: "kinds", OneOf: []string{"k3"}}}, func(i int) bool { return i%4 == 3 || i%7 == 3 }},
		{[]retrieval.Condition{{Key: "kinds", OneOf: []string{"k6"}, Prefix: "k0"}}, func(i int) bool { return i%7 == 6 || i%4 == 0 || i%7 == 0 }},
		{[]retrieval.Condition{{Key: "third"}}, func(int) bool { return true }},
		{[]retrieval.Condition{{Key: "third", OneOf: []string{"9"}}}, func(int) bool { return false }},
		{[]retrieval.Condition{{Key: "dir", OneOf: []string{"d1"}}}, func(int) bool { return false }},
	} {
		for _, q := range []string{"w1x w2x", "w3x w5x w40x", "w0x"} {
			var want []string
			for i, p := range passages {
				if c.in(i) && slices.ContainsFunc(strings.Fields(q), func(w string) bool { return slices.Contains(analysis.Words(p.Text), w) }) {
					want = append(want, p.ID)
				}
			}
			res := search(t, x, retrieval.Query{Primary: q, K: 100, Filter: c.filter})
			in := make(map[string]bool)
			for i, p := range passages {
				in[p.ID] = c.in(i)
			}
			got := ids(res)
			for _, h := range res.Hits {
				got = append(got, h.Copies...)
			}
			for _, id := range got {
				if !in[id] {
					t.Errorf("%+v %q: %s does not hold it", c.filter, q, id)
				}
			}
			if len(want) <= 100 {
				for _, id := range want {
					if !slices.Contains(got, id) {
						t.Errorf("%+v %q: %s is not found", c.filter, q, id)
					}
				}
			}
			if res.Confidence < 0 || res.Confidence > 1 || len(want) == 0 && res.Confidence != 0 {
				t.Errorf("%+v %q: confidence %v", c.filter, q, res.Confidence)
			}
		}
	}
}

// The best passage of a subset is found although hundreds outside of it are
// better: the filter is no sieve behind the search. The document that is best
// within the filter, not outside, is the gate.
func TestFilterIsNoSieve(t *testing.T) {
	var passages []state.Passage
	for i := range 400 {
		s := fmt.Sprintf("The barge kite flies a barge kite over barge %d and kite %d.", i, i)
		passages = append(passages, state.Passage{ID: fmt.Sprintf("p%03d", i), Doc: fmt.Sprint(i), Text: s, End: len(s), Source: fmt.Sprint(i)})
	}
	weak := "A very long account of towns, rivers, weather, harvests and roads in which a kite is named once, near the end of it all."
	passages = append(passages, state.Passage{ID: "weak", Doc: "weak", Text: weak, End: len(weak), Source: "weak", Metadata: map[string]string{"topic": "towns"}})
	x := open(t, build(t, passages))
	res := search(t, x, retrieval.Query{Primary: "barge kite", Filter: []retrieval.Condition{{Key: "topic", OneOf: []string{"towns"}}}})
	if got := ids(res); !slices.Equal(got, []string{"weak"}) {
		t.Errorf("found %v", got)
	}
	if all := search(t, x, retrieval.Query{Primary: "barge kite", K: 300}); slices.Contains(ids(all), "weak") {
		t.Error("the test is too easy: it is found without a filter")
	}
}

func TestUnknownKey(t *testing.T) {
	x := open(t, build(t, tagged(20)))
	for _, c := range []struct{ key, want string }{
		{"thrid", `did you mean "third"? known: dir, kinds, third`},
		{"zebra", `key "zebra"; known: dir, kinds, third`},
	} {
		_, err := x.Search(t.Context(), retrieval.Query{Primary: "the", Filter: []retrieval.Condition{{Key: c.key}}})
		var unknown *retrieval.UnknownKeyError
		if !errors.As(err, &unknown) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.key, err, c.want)
		}
	}
	bare := open(t, build(t, plain("one two", "three four")))
	if _, err := bare.Search(t.Context(), retrieval.Query{Primary: "one", Filter: []retrieval.Condition{{Key: "k"}}}); err == nil || !strings.Contains(err.Error(), "no passage has metadata") {
		t.Error(err)
	}
	for _, q := range []retrieval.Query{{MMR: 1.1}, {MMR: -.1}, {Neighbours: -1}, {Neighbours: 21}, {Filter: []retrieval.Condition{{}}}} {
		q.Primary = "one"
		if _, err := bare.Search(t.Context(), q); err == nil {
			t.Errorf("%+v is no error", q)
		}
	}
}

func TestFacets(t *testing.T) {
	dir := build(t, tagged(60))
	x := open(t, dir)
	check := func(x *Index, n, thirds int) {
		t.Helper()
		facets, err := x.Facets(t.Context(), 2)
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, f := range facets {
			keys = append(keys, f.Key)
			if f.Passages != n || len(f.Values) != 2 {
				t.Errorf("%+v, want %d passages and 2 values", f, n)
			}
			if f.Key == "third" && f.Distinct != thirds {
				t.Errorf("%d thirds, want %d", f.Distinct, thirds)
			}
		}
		if !slices.Equal(keys, []string{"dir", "kinds", "third"}) {
			t.Errorf("keys %v", keys)
		}
	}
	check(x, 60, 3)
	// What is removed is no longer known.
	next := filepath.Join(t.TempDir(), "gen2")
	var remove []string
	for i, p := range tagged(60) {
		if i%3 == 2 || i < 6 {
			remove = append(remove, p.ID)
		}
	}
	odd := state.Passage{ID: "odd", Doc: "odd", Text: "odd one", End: 7, Source: "odd", Metadata: map[string]string{"dir": "d9", "kinds": "k9", "third": "9"}}
	if _, err := Update(t.Context(), UpdateOptions{Dir: next, From: dir, Remove: remove, Add: []state.Passage{odd}}); err != nil {
		t.Fatal(err)
	}
	y := open(t, next)
	check(y, 60-len(remove)+1, 3)
	if got := search(t, y, retrieval.Query{Primary: "odd", Filter: []retrieval.Condition{{Key: "third", OneOf: []string{"2"}}}}); len(got.Hits) > 0 {
		t.Errorf("found %v", ids(got))
	}
	last := filepath.Join(t.TempDir(), "gen3")
	if _, err := Update(t.Context(), UpdateOptions{Dir: last, From: next, Remove: []string{"odd"}}); err != nil {
		t.Fatal(err)
	}
	check(open(t, last), 60-len(remove), 2)
}
