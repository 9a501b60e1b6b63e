package evidence_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.com/assay/decide/injection"
	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/llm/offline"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/evidence"
	"example.com/assay/nodes/verify"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// A rewriter is the offline model, whose answers to some skills a test rewrites.
// n counts the calls of the skill, from 1.
type rewriter struct {
	mu    sync.Mutex
	calls map[string]int
	edit  map[string]func(n int, vars, answer string) string
}

func (r *rewriter) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	resp, err := offline.New(nil).Generate(ctx, req)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls == nil {
		r.calls = map[string]int{}
	}
	r.calls[req.Skill]++
	if edit := r.edit[req.Skill]; edit != nil && err == nil {
		resp.Text = edit(r.calls[req.Skill], string(req.Vars), resp.Text)
	}
	return resp, err
}

// A shelf holds documents as files, and returns their passages in order. Metadata
// are unknown to it.
type shelf struct {
	dir      string
	passages []state.Passage
}

func (s *shelf) Search(_ context.Context, q retrieval.Query) (retrieval.Result, error) {
	if len(q.Filter) > 0 {
		return retrieval.Result{}, &retrieval.UnknownKeyError{Key: q.Filter[0].Key}
	}
	var r retrieval.Result
	for _, p := range s.passages {
		if len(r.Hits) < q.K {
			r.Hits = append(r.Hits, state.Hit{Passage: p, Rank: len(r.Hits) + 1})
		}
	}
	return r, nil
}

func (s *shelf) TextPath(source string) (path, original string, err error) {
	return filepath.Join(s.dir, source), "", nil
}

// library writes each text as a document of one passage. Names that begin with
// "statute" are statutes.
func library(t testing.TB, texts map[string]string, order ...string) *shelf {
	t.Helper()
	s := &shelf{dir: t.TempDir()}
	for _, name := range order {
		text := texts[name]
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		kind := "policy"
		if strings.HasPrefix(name, "statute") {
			kind = "statute"
		}
		s.passages = append(s.passages, state.Passage{
			ID: "c-" + name, Doc: name, Title: name, Text: text, End: len(text), Source: name, Metadata: map[string]string{"source_type": kind},
		})
	}
	return s
}

// ask runs the pipeline, and holds what must be so of every audit.
func ask(t testing.TB, m llm.Model, s interface {
	retrieval.Retriever
	verify.Locator
}, question string, opts *evidence.Options) evidence.Audit {
	t.Helper()
	set, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	if m == nil {
		m = offline.New(nil)
	}
	p, err := evidence.New(evidence.Deps{Model: m, Skills: set, Corpus: s, Inspect: injection.Orders}, opts)
	if err != nil {
		t.Fatal(err)
	}
	var first string
	var audit evidence.Audit
	runs := []int{1}
	if _, scripted := m.(*rewriter); !scripted {
		runs = []int{1, 8}
	}
	for _, concurrency := range runs {
		final, err := p.Run(context.Background(), evidence.Input{Question: question}, &graph.RunOptions{Concurrency: concurrency})
		if err != nil {
			t.Fatal(err)
		}
		audit = evidence.Result(final, nil, s)
		data, err := json.Marshal(audit)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(data)
		} else if first != string(data) {
			t.Error("two runs give two audits")
		}
	}
	if problems := evidence.Check(audit).Problems; len(problems) > 0 {
		t.Errorf("the audit does not hold: %q", problems)
	}
	return audit
}

// caught returns the finding of a kind at a stage, and fails without one.
func caught(t testing.TB, a evidence.Audit, stage string, kind state.FindingKind) evidence.Finding {
	t.Helper()
	for _, f := range a.Findings {
		if f.Stage == stage && f.Kind == kind {
			if f.Detail == "" || f.Outcome == "" {
				t.Errorf("the finding %+v does not say what became of it", f)
			}
			return f
		}
	}
	t.Fatalf("nothing was caught as %s at %s; findings %+v", kind, stage, a.Findings)
	return evidence.Finding{}
}

func edit[T any](t testing.TB, answer string, change func(*T)) string {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(answer), &v); err != nil {
		t.Error(err)
		return answer
	}
	change(&v)
	data, err := json.Marshal(v)
	if err != nil {
		t.Error(err)
	}
	return string(data)
}
