package research_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/graph/trace"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/llm/rerank"
	"example.com/assay/memory"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
	"example.com/assay/state/event"
)

// traced runs the pipeline on a corpus and returns the payloads of its custom
// events by name.
func traced(t *testing.T, m llm.Model, corpus retrieval.Retriever) map[string][]json.RawMessage {
	t.Helper()
	p, err := research.New(research.Deps{Model: m, Skills: set(t), Corpus: corpus}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, _, err := p.Ask(t.Context(), "Which rule binds an owner?", &research.AskOptions{Trace: trace.NewWriter(&out, trace.Header{RunID: "r"})}); err != nil {
		t.Fatal(err)
	}
	records, err := trace.Read(&out)
	if err != nil {
		t.Fatal(err)
	}
	events := map[string][]json.RawMessage{}
	for _, r := range records {
		if r.Data != nil {
			events[r.Kind] = append(events[r.Kind], r.Data)
		}
	}
	return events
}

func decoded[T any](t *testing.T, list []json.RawMessage) []T {
	t.Helper()
	out := make([]T, len(list))
	for i, data := range list {
		if err := json.Unmarshal(data, &out[i]); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// judgedCorpus is a corpus on disk whose hits a model orders.
func judgedCorpus(t *testing.T, m llm.Model) *memory.Corpus {
	t.Helper()
	home, docs := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"one.md": "# Dogs\n\nA rule binds every owner of a dog.\n", "two.md": "# Boats\n\nAn owner of a boat breaks no rule.\n", "three.md": "# Kites\n\nThe rule on kites binds nobody.\n",
	} {
		if err := os.WriteFile(filepath.Join(docs, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := memory.Ingest(t.Context(), memory.IngestOptions{Home: home, Corpus: "c", Paths: []string{docs}}); err != nil {
		t.Fatal(err)
	}
	judge, err := rerank.NewJudge(m, set(t), "strong")
	if err != nil {
		t.Fatal(err)
	}
	corpus, err := memory.OpenWith(home, "c", &memory.OpenOptions{Reranker: judge})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := corpus.Close(); err != nil {
			t.Error(err)
		}
	})
	return corpus
}

// A judge's call and its order are in the trace.
func TestRerankedRunSaysSo(t *testing.T) {
	m := script(simple)
	m.Answers[skills.RerankPassages] = repeat(3, llmtest.Answer{Text: `{"ranking":[3,1,2]}`})
	events := traced(t, m, judgedCorpus(t, m))
	found := decoded[event.Search](t, events[event.Retrieval])
	if len(found) == 0 || found[0].Reranker != "judge strong" || len(found[0].Hits) != 3 {
		t.Fatalf("retrievals %+v", found)
	}
	for i, h := range found[0].Hits {
		if last := h.Scores[len(h.Scores)-1]; last.Ranker != memory.RankerRerank || last.Value != []float64{1, .666667, .333333}[i] {
			t.Errorf("hit %d has the scores %v", i, h.Scores)
		}
	}
	if n := len(events[event.RerankFallback]); n != 0 {
		t.Errorf("%d fallbacks", n)
	}
	called := slices.ContainsFunc(decoded[event.Call](t, events[event.ModelCall]), func(c event.Call) bool { return c.Skill == skills.RerankPassages })
	if !called {
		t.Error("the judge's call is not in the trace")
	}
}

// A judge that fails costs the run nothing but its order, and the trace says
// so, once per search.
func TestFailedRerankFallsBackVisibly(t *testing.T) {
	m := script(simple)
	m.Answers[skills.RerankPassages] = repeat(3, llmtest.Answer{Err: errors.New("the server is down")})
	events := traced(t, m, judgedCorpus(t, m))
	found := decoded[event.Search](t, events[event.Retrieval])
	fallen := decoded[event.Fallback](t, events[event.RerankFallback])
	if len(found) == 0 || len(fallen) != len(found) {
		t.Fatalf("%d fallbacks of %d searches", len(fallen), len(found))
	}
	if found[0].Reranker != "" || len(found[0].Hits) != 3 {
		t.Errorf("retrieval %+v", found[0])
	}
	if fallen[0].StepID != found[0].StepID || !strings.Contains(fallen[0].Reason, "judge strong") || !strings.Contains(fallen[0].Reason, "the server is down") {
		t.Errorf("fallback %+v", fallen[0])
	}
}

// The pipeline asks these embedded skills and no others.
func TestSkills(t *testing.T) {
	want := []string{
		skills.AdaptiveReplan, skills.ClassifyAndRoute, skills.DetectPromptInjection, skills.GapQueries, skills.JudgeClaim,
		skills.PlanSynthesis, skills.QueryRewrite, skills.RegenerateResponse, skills.ResolveFollowUp, skills.SelectChoice, skills.SynthesizeAndCite,
	}
	if got := research.Skills(); !slices.Equal(got, want) {
		t.Errorf("skills %q; want %q", got, want)
	}
	for _, name := range research.Skills() {
		if _, err := set(t).Get(name); err != nil {
			t.Error(err)
		}
	}
}
