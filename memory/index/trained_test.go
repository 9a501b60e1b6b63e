package index

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// harbour is a small corpus in which several passages speak of the same words.
func harbour() []state.Passage {
	texts := []string{
		"The harbour master inspects every mooring rope before winter.",
		"A mooring rope that is frayed must be replaced. The owner of the vessel pays for the rope.",
		"Vessels over ten metres need two anchors. The Harbour Office keeps a list of 40 berths.",
		"Rope is sold by the metre at the chandlery:",
		"Fees for berths are due in March. Late fees are doubled.",
		"The winter storage of a vessel ashore needs a permit of the harbour master.",
		"Anchors are tested in salt water for 12 hours.",
	}
	var out []state.Passage
	for i, s := range texts {
		out = append(out, state.Passage{ID: fmt.Sprintf("p%d", i), Doc: "harbour", Title: "Harbour rules", Text: s, Line: i + 1, Source: fmt.Sprint(i), End: len(s)})
	}
	return out
}

// scorer is a Scorer of one feature.
type scorer struct {
	feature int
	factor  float64
}

func (s scorer) Score(row []float64) float64 { return s.factor * row[s.feature] }

func featureAt(t *testing.T, name string) int {
	t.Helper()
	i := slices.Index(FeatureNames(), name)
	if i < 0 {
		t.Fatalf("there is no feature %q", name)
	}
	return i
}

func TestUseOrdersHits(t *testing.T) {
	x := open(t, build(t, harbour()))
	q := retrieval.Query{Primary: "mooring rope of a vessel", K: 4}
	own := search(t, x, q)
	x.Use(&Trained{ID: "trained:test", Scorer: scorer{featureAt(t, "length"), -10}})
	got := search(t, x, q)
	if got.Reranker != "trained:test" || own.Reranker != "" {
		t.Errorf("reranker %q, without one %q", got.Reranker, own.Reranker)
	}
	if got.Confidence != own.Confidence || got.Similarity != own.Similarity || got.Strength != own.Strength {
		t.Errorf("confidence %v %v %v, without a ranker %v %v %v", got.Confidence, got.Similarity, got.Strength, own.Confidence, own.Similarity, own.Strength)
	}
	last := math.Inf(1)
	for i, h := range got.Hits {
		s := h.Scores[len(h.Scores)-1]
		if s.Ranker != retrieval.RankerTrained || s.Value > last || h.Rank != i+1 {
			t.Errorf("hit %d has rank %d and %s %g after %g", i, h.Rank, s.Ranker, s.Value, last)
		}
		last = s.Value
	}
	if got.Hits[0].Passage.ID != "p3" { // the shortest that has a word of the question
		t.Errorf("first is %s, want p3", got.Hits[0].Passage.ID)
	}
	// With no say for the trees, the index's own order stands.
	x.Use(&Trained{ID: "trained:none", Scorer: scorer{0, 0}, Base: 1})
	if a, b := ids(search(t, x, q)), ids(own); !slices.Equal(a, b) {
		t.Errorf("a ranker without a say orders %v, the index %v", a, b)
	}
	x.Use(nil)
	if a, b := outcome(search(t, x, q)), outcome(own); a != b {
		t.Errorf("after Use(nil):\n%s\nwant\n%s", a, b)
	}
}

func TestUseHonoursExclude(t *testing.T) {
	x := open(t, build(t, harbour()))
	x.Use(&Trained{ID: "trained:test", Scorer: scorer{featureAt(t, "asked"), 100}, Judged: []Judged{{Question: "Who pays for a mooring rope?", Passages: []string{"p1", "p6", "gone"}}}})
	q := retrieval.Query{Primary: "mooring rope", K: 7}
	if got := ids(search(t, x, q)); len(got) < 2 || !slices.Contains(got[:2], "p1") || !slices.Contains(got[:2], "p6") {
		t.Errorf("%v: what answered a like question does not lead", got)
	}
	q.Exclude = []string{"p6", "p1"}
	if got := ids(search(t, x, q)); slices.Contains(got, "p6") || slices.Contains(got, "p1") || len(got) == 0 {
		t.Errorf("%v: excluded passages return", got)
	}
}

func TestTrainedScoreThatIsNoNumber(t *testing.T) {
	x := open(t, build(t, harbour()))
	x.Use(&Trained{ID: "trained:test", Scorer: scorer{0, math.NaN()}})
	_, err := x.Search(t.Context(), retrieval.Query{Primary: "rope"})
	if err == nil || !strings.Contains(err.Error(), "trained:test") {
		t.Errorf("error %v", err)
	}
}

// A question that is learnt from does not recall itself, and others do.
func TestLessonLeavesItselfOut(t *testing.T) {
	x := open(t, build(t, harbour()))
	judged := []Judged{
		{Question: "Who pays for a mooring rope?", Passages: []string{"p1"}},
		{Question: "Who pays for a new mooring rope in winter?", Passages: []string{"p0"}},
	}
	asked, best := featureAt(t, "asked"), featureAt(t, "asked_best")
	row := func(l *Lesson, question, id string, number int) []float64 {
		t.Helper()
		found, err := l.Candidates(t.Context(), question, number)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range found {
			if c.ID == id {
				return c.Row
			}
		}
		t.Fatalf("%s is no candidate for %q", id, question)
		return nil
	}
	l := x.Lesson(judged)
	if r := row(l, judged[0].Question, "p1", 0); r[asked] != 0 || r[best] != 0 {
		t.Errorf("it recalls itself: %g %g", r[asked], r[best])
	}
	if r := row(l, judged[0].Question, "p1", -1); r[asked] != math.Log1p(1) || math.Abs(r[best]-1) > 1e-9 {
		t.Errorf("asked anew it is not recalled whole: %g %g", r[asked], r[best])
	}
	if r := row(l, judged[0].Question, "p0", 0); r[asked] != math.Log1p(1) || r[best] <= 0 || r[best] >= 1 {
		t.Errorf("a like question is recalled as %g %g", r[asked], r[best])
	}
	// Nor does what answers it join its candidates, as for another question.
	far := x.Lesson([]Judged{{Question: "Who pays for a mooring rope?", Passages: []string{"p4"}}})
	for number, want := range map[int]bool{0: false, -1: true} {
		found, err := far.Candidates(t.Context(), "Who pays for a mooring rope?", number)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(found, func(c Candidate) bool { return c.ID == "p4" }); got != want {
			t.Errorf("as question %d, p4 is a candidate: %v, want %v", number, got, want)
		}
	}
	// Without judged questions every one of these features is zero.
	if r := row(x.Lesson(nil), judged[0].Question, "p0", -1); r[asked] != 0 || r[best] != 0 {
		t.Errorf("nothing was judged: %g %g", r[asked], r[best])
	}
	if found, err := l.Candidates(t.Context(), "of the", -1); err != nil || len(found) != 0 {
		t.Errorf("a question without content words: %v, %v", found, err)
	}
}

func TestFeaturesByHand(t *testing.T) {
	x := open(t, build(t, harbour()))
	found, err := x.Lesson(nil).Candidates(t.Context(), "Does the Harbour master inspect 40 mooring ropes?", -1)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]float64{}
	for _, c := range found {
		rows[c.ID] = c.Row
		for i, v := range c.Row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s of %s is %v", FeatureNames()[i], c.ID, v)
			}
			if strings.HasPrefix(FeatureNames()[i], "bm25") && v > 1 {
				t.Errorf("%s of %s is %g, more than the largest", FeatureNames()[i], c.ID, v)
			}
		}
	}
	get := func(id, name string) float64 {
		t.Helper()
		if rows[id] == nil {
			t.Fatalf("%s is no candidate", id)
		}
		return rows[id][featureAt(t, name)]
	}
	// Terms: harbour, master, inspect, 40, moor, rope. p0 has all but 40.
	for _, tt := range []struct {
		id, name string
		want     float64
	}{
		{"p0", "term_share", 5.0 / 6},
		{"p0", "run", 3}, // "every" stands between
		{"p2", "term_share", 2.0 / 6},
		{"p0", "query_length", math.Log1p(6)},
		{"p0", "colon", 0},
		{"p3", "colon", 1},
		{"p2", "digits", 1.0 / 16},
		{"p1", "sentences", math.Log1p(2)},
		{"p0", "place_near", 0.5},
	} {
		if got := get(tt.id, tt.name); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s of %s is %g, want %g", tt.name, tt.id, got, tt.want)
		}
	}
	// Of what is written with a capital or a digit, p2 has both, p0 one.
	if get("p2", "named") != 1 || get("p0", "named") <= 0 || get("p0", "named") >= 1 {
		t.Errorf("named: %g and %g", get("p2", "named"), get("p0", "named"))
	}
	if get("p0", "coverage") <= get("p2", "coverage") || get("p0", "window") != get("p0", "coverage") {
		t.Errorf("coverage %g, %g, window %g", get("p0", "coverage"), get("p2", "coverage"), get("p0", "window"))
	}
	if get("p0", "adjacent") != 1 || get("p2", "adjacent") != 0 {
		t.Errorf("adjacent: %g and %g", get("p0", "adjacent"), get("p2", "adjacent"))
	}
}

// Equal candidates whatever the number of processors and whatever was read
// before.
func TestCandidatesAreDeterministic(t *testing.T) {
	dir := build(t, harbour())
	judged := []Judged{{Question: "rope for a vessel", Passages: []string{"p1"}}, {Question: "berth fees", Passages: []string{"p4"}}}
	var want string
	for _, procs := range []int{1, 8} {
		previous := runtime.GOMAXPROCS(procs)
		x := open(t, dir)
		for range 2 {
			var got strings.Builder
			for i, q := range []string{"Which rope does the harbour master inspect?", "fees for a berth in winter"} {
				found, err := x.Lesson(judged).Candidates(t.Context(), q, i-1)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range found {
					fmt.Fprintf(&got, "%s %x %x\n", c.ID, c.Fused, c.Row)
				}
			}
			if want == "" {
				want = got.String()
			}
			if got.String() != want {
				t.Errorf("with %d processors the candidates differ", procs)
			}
		}
		runtime.GOMAXPROCS(previous)
	}
}
