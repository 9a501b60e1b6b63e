package index

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

func TestHitScoresExplainTheRank(t *testing.T) {
	x := open(t, build(t, kiteBarge(t)))
	const rounding = 8 * .5e-6 // eight numbers of six decimals
	for _, q := range bargeQuestions {
		res := search(t, x, retrieval.Query{Primary: q, K: 8})
		last := math.Inf(1)
		for i, h := range res.Hits {
			if h.Rank != i+1 || h.Scores[0].Ranker != retrieval.RankerFused || len(h.Scores) < 7 || len(h.Scores) > 8 {
				t.Fatalf("%q: hit %d is %+v", q, i, h)
			}
			var sum float64
			for _, s := range h.Scores[1:] {
				sum += s.Value
				if retrieval.Meaning(s.Ranker) == "" {
					t.Errorf("nothing says what %s rewards", s.Ranker)
				}
			}
			if fused := h.Scores[0].Value; math.Abs(sum-fused) > rounding+1e-12 || fused > last {
				t.Errorf("%q: hit %d has %v, its parts sum to %v, the hit above has %v", q, i, fused, sum, last)
			}
			last = h.Scores[0].Value
		}
		if len(res.Hits) == 0 || res.Candidates < len(res.Hits) {
			t.Errorf("%q: %d hits of %d candidates", q, len(res.Hits), res.Candidates)
		}
	}
}

func TestExcludeAndK(t *testing.T) {
	x := open(t, build(t, kiteBarge(t)))
	q := retrieval.Query{Primary: "Who may cut the tow line of a barge?"}
	all := search(t, x, q)
	if len(all.Hits) != DefaultK {
		t.Fatalf("%d hits, want the default of %d", len(all.Hits), DefaultK)
	}
	q.K = 2
	few := search(t, x, q)
	if !slices.Equal(ids(few), ids(all)[:2]) || few.Confidence != all.Confidence {
		t.Errorf("K=2 gives %v (%v), K=5 %v (%v)", ids(few), few.Confidence, ids(all), all.Confidence)
	}
	q.K, q.Exclude = 5, append(ids(all)[:3:3], "unheard of")
	rest := search(t, x, q)
	for _, id := range ids(rest) {
		if slices.Contains(q.Exclude, id) {
			t.Errorf("%s is excluded and came back", id)
		}
	}
	if rest.Similarity >= all.Similarity {
		t.Errorf("without its best hits the question is as well answered: %v, before %v", rest.Similarity, all.Similarity)
	}
}

// Alternatives bring candidates; they do not score them.
func TestAlternatives(t *testing.T) {
	passages := plain("The heron nests in reeds.", "The stoat hunts voles.", "A kettle boils water.", "Copper conducts heat.")
	x := open(t, build(t, passages))
	alone := search(t, x, retrieval.Query{Primary: "Where does the heron nest?"})
	with := search(t, x, retrieval.Query{Primary: "Where does the heron nest?", Alternatives: []string{"kettle water"}})
	if with.Candidates <= alone.Candidates {
		t.Errorf("%d candidates with an alternative, %d without", with.Candidates, alone.Candidates)
	}
	if with.Hits[0].Passage.ID != "p00" || with.Hits[0].Scores[1].Value != 1 {
		t.Errorf("the primary's best passage is not first: %+v", with.Hits[0])
	}
	for _, h := range with.Hits[1:] {
		if h.Passage.ID == "p02" && h.Scores[1].Value != 0 {
			t.Errorf("an alternative scored a passage: %+v", h)
		}
	}
}

func TestNearDuplicatesAreDropped(t *testing.T) {
	long := "The ferry crosses the sound at dawn and at dusk unless the harbour master has raised the black cone on the mast"
	passages := plain(long, long+" today", strings.Replace(long, "black", "red", 1), "The ferry carries sheep.", "Ferry")
	passages = append(passages, passages[3])
	passages[5].ID = "same-span"
	x := open(t, build(t, passages))
	got := ids(search(t, x, retrieval.Query{Primary: "When does the ferry cross the sound?"}))
	slices.Sort(got)
	// The red cone leaves 14 of 25 shingles alike: not a repetition.
	want := []string{"p00", "p02", "p03", "p04"}
	if !slices.Contains(got, "p00") { // whichever of the two scores better stays
		want[0] = "p01"
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A question about two hops: the second passage shares no word with it, but
// the first one names its title.
func TestTitleLinks(t *testing.T) {
	passages := plain("Her mentor was Odilo Brandt, whom she met at the observatory.", "He was born in 1811 on a farm.", "Snails eat lettuce.", "Bees gather pollen.", "Foxes dig dens.")
	titles := []string{"Marit Sund", "Odilo Brandt (astronomer)", "Snails", "Bees", "Foxes"}
	for i := range passages {
		passages[i].Title = titles[i]
	}
	x := open(t, build(t, passages))
	res := search(t, x, retrieval.Query{Primary: "Who was the mentor of Marit Sund?", Exclude: []string{"p00"}})
	if len(res.Hits) == 0 || res.Hits[0].Passage.ID != "p01" {
		t.Fatalf("hits %v, want p01 first", ids(res))
	}
	if s := res.Hits[0].Scores[4]; s.Ranker != retrieval.RankerTitleLink || s.Value != 1 {
		t.Errorf("its link scores %+v", s)
	}
}

// A query that names a document finds passages that do not repeat the name;
// a topic that is also a document's name does not lose that document.
func TestDocumentNames(t *testing.T) {
	var passages []state.Passage
	for _, name := range []string{"Aldgate Quarry lease", "Norholm Dairy lease", "Pellworm Foundry lease"} {
		for j, s := range []string{"The rent is due each quarter.", "Either side may end it with notice of ninety days.", "Repairs fall to the tenant."} {
			passages = append(passages, state.Passage{ID: fmt.Sprintf("%s/%d", name, j), Doc: name, Title: name, Text: s, End: len(s), Source: name + ".txt"})
		}
	}
	x := open(t, build(t, passages))
	res := search(t, x, retrieval.Query{Primary: "When is the rent of the Norholm Dairy due?"})
	if res.Hits[0].Passage.ID != "Norholm Dairy lease/0" {
		t.Errorf("first hit %s", res.Hits[0].Passage.ID)
	}
}

func FuzzSearch(f *testing.F) {
	x := open(f, build(f, kiteBarge(f)))
	for _, q := range []string{"", "?", "the of", "barge kite", "\xff\xfe", strings.Repeat("kite ", 500), "無無", "barge\x00pilot", `"quoted" +kite -barge field:x*`} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, q string) {
		res := search(t, x, retrieval.Query{Primary: q, Alternatives: []string{q}, K: 3})
		if !(res.Confidence >= 0 && res.Confidence <= 1) || len(res.Hits) > 3 {
			t.Errorf("%q: confidence %v, %d hits", q, res.Confidence, len(res.Hits))
		}
	})
}

// The confidence is that of what the hits must be about, which changes no hit.
func TestAboutIsWhatConfidenceMeasures(t *testing.T) {
	x := buildMeasured(t, kiteBarge(t))
	ask := func(about ...[]string) retrieval.Result {
		t.Helper()
		r, err := x.Search(t.Context(), retrieval.Query{Primary: "How does a candidate earn the blue certificate?", About: about})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	plain := ask()
	same := ask([]string{"How does a candidate earn the blue certificate?"})
	if plain.Confidence < .7 || plain.Confidence != same.Confidence || plain.Similarity != same.Similarity || plain.Strength != same.Strength {
		t.Errorf("about the query itself: %v and %v", plain.Confidence, same.Confidence)
	}
	const strange = "How are steam engines lubricated?"
	other := ask([]string{strange})
	if other.Confidence > .35 {
		t.Errorf("hits about certificates are about steam engines: %.2f", other.Confidence)
	}
	if best := ask([]string{strange, "earn the blue certificate"}); best.Confidence < .7 {
		t.Errorf("one text of a group is enough: %.2f", best.Confidence)
	}
	if least := ask([]string{"earn the blue certificate"}, []string{strange}); least.Confidence != other.Confidence {
		t.Errorf("of the groups the least counts: %.2f, want %.2f", least.Confidence, other.Confidence)
	}
	for i, h := range plain.Hits {
		if other.Hits[i].Passage.ID != h.Passage.ID {
			t.Errorf("hit %d is %s, and %s when it is about something else", i, h.Passage.ID, other.Hits[i].Passage.ID)
		}
	}
}
