package research_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"example.com/assay/nodes/research"
	"example.com/assay/state"
)

// oracle is a memory that always says the same.
type oracle struct {
	recall research.Recall
	ok     bool
	err    error
}

func (o oracle) Lookup(context.Context, string) (research.Recall, bool, error) {
	return o.recall, o.ok, o.err
}

func (o oracle) Store(context.Context, string, research.Recall, float64) error { return nil }

// A hint adds to what is searched for, behind the step's own queries, and
// nothing else.
func TestHintAddsQueries(t *testing.T) {
	opts := &research.Options{SkipInjectionCheck: true, SkipVerification: true}
	hint := research.Recall{Question: "Who paid?", Similarity: .9, Queries: []string{"payment by owners", "OWNER rule"}}
	corpus := &shelf{}
	final := mustRun(t, research.Deps{Model: script(simple), Corpus: corpus, Memory: oracle{recall: hint}}, opts, "Who pays?")
	plain := mustRun(t, research.Deps{Model: script(simple), Corpus: &shelf{}}, opts, "Who pays?")
	if want := append(slices.Clone(plain.Plan[0].Queries), "payment by owners"); !slices.Equal(final.Plan[0].Queries, want) {
		t.Errorf("queries %q, want %q", final.Plan[0].Queries, want)
	}
	if m := final.Memory; m.Hit || m.Question != "Who paid?" || m.Similarity != .9 || final.Metrics.MemoryHit || len(final.Warnings) != 0 || final.Answer != plain.Answer {
		t.Errorf("memory %+v, warnings %q, answer %q", m, final.Warnings, final.Answer)
	}
}

// What goes wrong beside an answer of memory is told, and the answer stands.
func TestHitBesideAnError(t *testing.T) {
	steps := []state.Step{{ID: 1, Status: state.StepCompleted, Confidence: .9, Answer: "Owners pay. [Source 1]", Hits: []state.Hit{{Passage: passage(0)}}, Citations: []state.Citation{{N: 1, Passage: "p00"}}}}
	recall := research.Recall{Question: "Who pays?", Similarity: 1, Answer: "Owners pay.", Steps: steps}
	opts := &research.Options{SkipInjectionCheck: true, SkipVerification: true}
	final := mustRun(t, research.Deps{Model: script(simple), Corpus: &shelf{}, Memory: oracle{recall, true, errors.New("the disk is full")}}, opts, "Who pays?")
	if !final.Memory.Hit || len(final.Warnings) != 1 || !strings.Contains(final.Warnings[0], "the disk is full") {
		t.Errorf("memory %+v, warnings %q", final.Memory, final.Warnings)
	}
}
