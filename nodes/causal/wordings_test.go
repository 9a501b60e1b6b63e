package causal_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/causal"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// A page is a corpus of one passage.
type page string

func (p page) Search(_ context.Context, q retrieval.Query) (retrieval.Result, error) {
	if len(q.Exclude) > 0 {
		return retrieval.Result{}, nil
	}
	found, _, err := p.Passage("page")
	return retrieval.Result{Hits: []state.Hit{{Passage: found, Rank: 1}}}, err
}

func (p page) Passage(string) (state.Passage, bool, error) {
	return state.Passage{ID: "page", Doc: "page", Text: string(p), End: len(p)}, true, nil
}

// An embedder in whose space texts that speak of deaths are one direction, those
// that speak of births another, and those of care between deaths and the rest.
type topics struct{}

func (topics) Embed(text string) []float32 {
	v := make([]float32, 4)
	for i, word := range []string{"mortality", "birth"} {
		if strings.Contains(text, word) {
			v[i] = 1
		}
	}
	switch {
	case strings.HasSuffix(text, "care"):
		v[0], v[3] = .6, .8
	case v[0]+v[1] == 0:
		v[2] = 1
	}
	return v
}

// The judge is offered what the passages may call a variable: phrases next to it
// in the embedder's space that share a word with it, or its beginning, and none
// with the other variable.
func TestOtherNames(t *testing.T) {
	const text = "Neonatal mortality and mortality after birth rose. Mortally ill, perinatal mortality at low weight; the weight of births. Mortality-weight. Perinatal care."
	for _, c := range []struct {
		embedder causal.Embedder
		from, to []string
	}{
		{topics{}, []string{}, []string{"neonatal mortality"}},
		{nil, []string{}, []string{}},
	} {
		m := &scripted{verdicts: map[string][]skills.JudgeEdgeOutput{"*": {refine("")}}}
		p, err := causal.New(causal.Deps{Model: m, Skills: set(t), Corpus: page(text), Embedder: c.embedder}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Run(context.Background(), []causal.Edge{edge("e1", "low weight", "perinatal mortality", causal.Weak)}, nil); err != nil {
			t.Fatal(err)
		}
		if got := m.asked[0]; !reflect.DeepEqual(got.FromNear, c.from) || !reflect.DeepEqual(got.ToNear, c.to) {
			t.Errorf("offered %q and %q, want %q and %q", got.FromNear, got.ToNear, c.from, c.to)
		}
	}
}
