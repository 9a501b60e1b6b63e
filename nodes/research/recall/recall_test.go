package recall_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/memory"
	"example.com/assay/memory/qa"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/research/recall"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// An answer comes back with the check of its claims, and not at all when what
// the check quotes is gone; one of a question that is only like it is a hint.
func TestRecalls(t *testing.T) {
	home, docs := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(docs, "a.md"), []byte("# Rules\n\nThe owner pays for the roof. The tenant pays for the lamp.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := memory.Ingest(t.Context(), memory.IngestOptions{Home: home, Corpus: "c", Paths: []string{docs}}); err != nil {
		t.Fatal(err)
	}
	corpus, err := memory.Open(home, "c")
	if err != nil {
		t.Fatal(err)
	}
	defer corpus.Close()
	found, err := corpus.Search(t.Context(), retrieval.Query{Primary: "owner pays roof"})
	if err != nil || len(found.Hits) == 0 {
		t.Fatal(err)
	}
	p := found.Hits[0].Passage
	at := p.Start + strings.Index(p.Text, "owner")
	quote := state.Quote{Passage: p.ID, Source: p.Source, Start: at, End: at + 5, Text: "owner"}
	answer := func() research.Recall {
		return research.Recall{Question: "Who pays for the roof?", Answer: "The owner.", Steps: []state.Step{{
			ID: 1, Status: state.StepCompleted, Queries: []string{"roof payment"}, Hits: found.Hits, Citations: []state.Citation{{N: 1, Passage: p.ID, Quotes: []state.Quote{quote}}},
		}}, Check: &state.ClaimCheck{IsGrounded: true, Claims: []state.CheckedClaim{{Claim: "The owner.", Evidence: []state.Quote{quote}}}}}
	}
	answers, err := qa.Open(t.Context(), qa.Path(home, "c"), &qa.Options{Embed: corpus.Embed})
	if err != nil {
		t.Fatal(err)
	}
	defer answers.Close()
	set, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	conditions, err := recall.Conditions(corpus.Fingerprint(), "graph", set, qa.Condition{Name: "model", Value: "m"})
	if err != nil {
		t.Fatal(err)
	}
	m := recall.New(answers, corpus, conditions)
	if err := m.Store(t.Context(), "Who pays for the roof?", answer(), .9); err != nil {
		t.Fatal(err)
	}
	got, ok, err := m.Lookup(t.Context(), "who pays for the roof")
	if err != nil || !ok || got.Check == nil || !got.Check.IsGrounded || len(got.Check.Claims) != 1 {
		t.Errorf("%+v, %v, %v", got, ok, err)
	}
	if list, err := answers.List(t.Context(), 0); err != nil || list[0].Served != 1 {
		t.Errorf("after a hit: %+v, %v", list, err)
	}
	hint, ok, err := m.Lookup(t.Context(), "Who never pays for the roof?")
	if err != nil || ok || hint.Question != "Who pays for the roof?" || !slices.Equal(hint.Queries, []string{"roof payment"}) || hint.Answer != "" {
		t.Errorf("a hint: %+v, %v, %v", hint, ok, err)
	}
	for name, change := range map[string]func(*research.Recall){
		"a claim's quote":         func(r *research.Recall) { r.Check.Claims[0].Evidence[0].Text = "buyer" },
		"a quote against a claim": func(r *research.Recall) { r.Check.Claims[0].Against = []state.Quote{{Passage: "gone", Source: "a.md"}} },
		"a claim's source":        func(r *research.Recall) { r.Check.Claims[0].Evidence[0].Source = "b.md" },
		"a step's quote":          func(r *research.Recall) { r.Steps[0].Citations[0].Quotes[0].Start-- },
	} {
		r := answer()
		change(&r)
		if err := m.Store(t.Context(), r.Question, r, .9); err != nil {
			t.Fatal(err)
		}
		if got, ok, err := m.Lookup(t.Context(), r.Question); ok || err != nil || got.Question != "" {
			t.Errorf("%s is wrong, and the answer is served: %+v, %v", name, got, err)
		}
	}
	// What may be read of an entry that is not sound is read.
	payload, err := json.Marshal(map[string]string{"steps": "x"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := recall.Remembered(qa.Entry{Question: "q", Answer: "a", Payload: payload}, corpus)
	if !errors.As(err, new(*recall.UnsoundError)) || r.Answer != "a" || r.Whole() {
		t.Errorf("%+v, %v", r, err)
	}
}
