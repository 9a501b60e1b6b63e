package index

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// varied has four passages that say much the same and one that does not.
func varied() []state.Passage {
	texts := []string{
		"The barge carries coal along the canal to the northern mill in winter.",
		"The barge carries coal along the canal to the southern mill in spring.",
		"The barge carries coal along the canal to the western mill at harvest.",
		"The barge carries coal along the canal to the eastern mill by night.",
		"A barge must show a lamp when the lock keeper asks for one.",
	}
	for i := range 20 {
		texts = append(texts, fmt.Sprintf("Bees of hive %d gather nectar from clover, heather and lime %d.", i, i))
	}
	return plain(texts...)
}

func TestMMR(t *testing.T) {
	x := open(t, build(t, varied()))
	usual := search(t, x, retrieval.Query{Primary: "barge coal canal", K: 3})
	same := search(t, x, retrieval.Query{Primary: "barge coal canal", K: 3, MMR: 1})
	mixed := search(t, x, retrieval.Query{Primary: "barge coal canal", K: 3, MMR: .3})
	if !slices.Equal(ids(usual), ids(same)) {
		t.Errorf("with 1 %v, usually %v", ids(same), ids(usual))
	}
	if slices.Contains(ids(usual), "p04") || !slices.Contains(ids(mixed), "p04") || ids(mixed)[0] != ids(usual)[0] {
		t.Errorf("usually %v, mixed %v: want the lamp in the latter alone", ids(usual), ids(mixed))
	}
	if usual.Confidence != mixed.Confidence {
		t.Errorf("confidence %v and %v", usual.Confidence, mixed.Confidence)
	}
	for i, h := range mixed.Hits {
		if last := h.Scores[len(h.Scores)-1]; last.Ranker != retrieval.RankerMMR || h.Rank != i+1 {
			t.Errorf("hit %d: rank %d, %v", i, h.Rank, h.Scores)
		}
	}
	if strings.Contains(fmt.Sprint(usual.Hits), retrieval.RankerMMR) {
		t.Error("a score of MMR that was not asked for")
	}
	if few := search(t, x, retrieval.Query{Primary: "lamp", K: 3, MMR: .5}); len(few.Hits) == 0 {
		t.Error("nothing is found")
	}
}

func TestDiversify(t *testing.T) {
	x := open(t, build(t, varied()))
	hits := search(t, x, retrieval.Query{Primary: "barge coal canal", K: 5}).Hits
	rel := []float64{-3, -2, -1, -2.5, 9}
	got, err := x.Diversify(hits, rel, 1, 2)
	if err != nil || len(got) != 2 || got[0].Passage.ID != hits[4].Passage.ID || got[0].Rank != 1 || got[1].Passage.ID != hits[2].Passage.ID || got[1].Rank != 2 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := x.Diversify(hits, rel[:2], 1, 2); err == nil {
		t.Error("two relevances for five hits are no error")
	}
	if _, err := x.Diversify([]state.Hit{{Passage: state.Passage{ID: "no"}}}, []float64{1}, 1, 1); err == nil {
		t.Error("a hit of another index is no error")
	}
}

func TestNeighbours(t *testing.T) {
	var passages []state.Passage
	for i := range 12 { // ids sort otherwise than places
		s := fmt.Sprintf("Part %d tells of subject%d at length.", i, i)
		passages = append(passages, state.Passage{ID: fmt.Sprintf("d#%d", i*40), Doc: "d", Source: "d.md", Text: s, Start: i * 40, End: i*40 + len(s), Metadata: map[string]string{"odd": fmt.Sprint(i % 2)}})
	}
	passages = append(passages, plain("Another document on subject99.", "And a third.")...)
	x := open(t, build(t, passages))
	at := func(list []state.Passage) string {
		var out []string
		for _, p := range list {
			if p.Text != passages[p.Start/40].Text {
				t.Errorf("%s is not as it was added", p.ID)
			}
			out = append(out, fmt.Sprint(p.Start/40))
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct {
		query         string
		n             int
		filter        []retrieval.Condition
		exclude       []string
		before, after string
	}{
		{"subject5", 2, nil, nil, "3 4", "6 7"},
		{"subject0", 2, nil, nil, "", "1 2"},
		{"subject11", 3, nil, nil, "8 9 10", ""},
		{"subject5", 0, nil, nil, "", ""},
		{"subject5", 2, []retrieval.Condition{{Key: "odd", OneOf: []string{"1"}}}, nil, "1 3", "7 9"},
		{"subject5", 1, nil, []string{"d#160"}, "4", "6"},
		{"subject99", 3, nil, nil, "", ""},
	} {
		h := search(t, x, retrieval.Query{Primary: c.query, K: 1, Neighbours: c.n, Filter: c.filter, Exclude: c.exclude}).Hits[0]
		if at(h.Before) != c.before || at(h.After) != c.after {
			t.Errorf("%s, %d: before %q, after %q; want %q and %q", c.query, c.n, at(h.Before), at(h.After), c.before, c.after)
		}
	}
}

func TestCopiesAreListed(t *testing.T) {
	long := "the harbour master of the northern port keeps a ledger of every vessel that enters, with its name, its owner, its cargo and the hour"
	passages := plain(long+" of arrival.", long+" of arrival!", "Ships pay dues to the harbour.", long+" of arrival, always.")
	passages = append(passages, state.Passage{ID: "span", Doc: "x", Source: passages[2].Source, Start: 0, End: passages[2].End, Text: passages[2].Text})
	x := open(t, build(t, passages))
	// One behind the last hit that is wanted, too.
	var even []state.Passage
	for i := range 6 {
		even = append(even, plain(fmt.Sprintf("Tide table %d of the bay, kept by pilot%d in house%d near pier%d at dawn%d.", i, i, i, i, i))[0])
		even[i].ID = fmt.Sprintf("e%d", i)
		even[i].Doc, even[i].Source = even[i].ID, even[i].ID
	}
	for _, p := range even[:6] {
		p.ID, p.Doc, p.Source = p.ID+"copy", p.ID+"copy", p.ID+"copy"
		even = append(even, p)
	}
	six := search(t, open(t, build(t, even)), retrieval.Query{Primary: "tide table bay", K: 6})
	for _, h := range six.Hits {
		if !slices.Equal(h.Copies, []string{h.Passage.ID + "copy"}) {
			t.Errorf("%s of %v has the copies %v", h.Passage.ID, ids(six), h.Copies)
		}
	}

	res := search(t, x, retrieval.Query{Primary: "harbour ledger dues", K: 2})
	copies := map[string][]string{}
	for _, h := range res.Hits {
		copies[h.Passage.ID] = slices.Sorted(slices.Values(append(slices.Clone(h.Copies), h.Passage.ID)))
	}
	all := slices.Concat(copies[res.Hits[0].Passage.ID], copies[res.Hits[1].Passage.ID])
	slices.Sort(all)
	if len(res.Hits) != 2 || !slices.Equal(all, []string{"p00", "p01", "p02", "p03", "span"}) {
		t.Errorf("hits and copies %v", copies)
	}
}
