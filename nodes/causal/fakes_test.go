package causal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/causal"
	"example.com/assay/skills"
	"example.com/assay/state"
)

func set(t testing.TB) *skills.Set {
	t.Helper()
	s, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A scripted judge answers each edge, known by its cause, with its next verdict,
// the last one again when they are used up, and counts.
type scripted struct {
	verdicts map[string][]skills.JudgeEdgeOutput
	fails    map[string]bool // causes for which the model is down
	garbles  map[string]int  // how many answers of a cause cannot be read
	devil    map[string]skills.DevilsAdvocateOutput
	wait     time.Duration

	mu        sync.Mutex
	calls     map[string]int // by cause, all answers of judge_edge
	attacks   map[string]int
	now, peak int
	each      func(total int)
	asked     []skills.JudgeEdgeInput
}

var errDown = errors.New("the model is down")

func (m *scripted) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	m.enter()
	defer m.leave()
	if m.wait > 0 {
		select {
		case <-time.After(m.wait):
		case <-ctx.Done():
			return llm.Response{}, context.Cause(ctx)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if req.Skill == skills.DevilsAdvocate {
		var in skills.DevilsAdvocateInput
		if err := json.Unmarshal(req.Vars, &in); err != nil {
			return llm.Response{}, err
		}
		m.attacks = counted(m.attacks, in.From)
		out, ok := m.devil[in.From]
		if !ok {
			return llm.Response{}, errDown
		}
		return answer(out)
	}
	var in skills.JudgeEdgeInput
	if err := json.Unmarshal(req.Vars, &in); err != nil {
		return llm.Response{}, err
	}
	m.asked = append(m.asked, in)
	m.calls = counted(m.calls, in.From)
	total := 0
	for _, n := range m.calls {
		total += n
	}
	if m.each != nil {
		m.each(total)
	}
	if m.fails[in.From] {
		return llm.Response{}, errDown
	}
	if m.garbles[in.From] > 0 {
		m.garbles[in.From]--
		return llm.Response{Text: "I think so.", Model: "scripted"}, nil
	}
	list := m.verdicts[in.From]
	if len(list) == 0 {
		list = m.verdicts["*"]
	}
	out := list[0]
	if len(list) > 1 {
		m.verdicts[in.From] = list[1:]
	}
	return answer(out)
}

func (m *scripted) enter() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now++
	m.peak = max(m.peak, m.now)
}

func (m *scripted) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now--
}

func counted(m map[string]int, key string) map[string]int {
	if m == nil {
		m = map[string]int{}
	}
	m[key]++
	return m
}

func answer(v any) (llm.Response, error) {
	text, err := json.Marshal(v)
	return llm.Response{Text: string(text), Model: "scripted"}, err
}

const (
	quoteText = "Smoking causes lung cancer in men."
	letters   = "In it a causes b, b causes c, and c causes a."
)

func direct(confidence float64) skills.JudgeEdgeOutput {
	return skills.JudgeEdgeOutput{IsGrounded: true, SupportType: "direct_causal", SupportingQuote: quoteText, Confidence: confidence}
}

func refine(query string) skills.JudgeEdgeOutput {
	return skills.JudgeEdgeOutput{SupportType: "irrelevant", RejectionReason: "nothing yet", Confidence: .3, RefinementQuery: query}
}

// A shelf returns passages that were not read, its first one always holding
// quoteText; nothing for a query that none names.
type shelf struct {
	none  func(retrieval.Query) bool
	fails func(retrieval.Query) bool
	pages int
	lost  bool // passages that were found cannot be read again
	mu    sync.Mutex
	asked []retrieval.Query
}

func (s *shelf) Search(_ context.Context, q retrieval.Query) (retrieval.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, q)
	if s.fails != nil && s.fails(q) {
		return retrieval.Result{}, errors.New("the index is gone")
	}
	if s.none != nil && s.none(q) {
		return retrieval.Result{}, nil
	}
	var r retrieval.Result
	for i := 0; i < max(s.pages, 20) && len(r.Hits) < q.K; i++ {
		p := passage(i)
		used := false
		for _, id := range q.Exclude {
			used = used || id == p.ID
		}
		if !used {
			r.Hits = append(r.Hits, state.Hit{Passage: p, Rank: len(r.Hits) + 1})
		}
	}
	return r, nil
}

func (s *shelf) Passage(id string) (state.Passage, bool, error) {
	var i int
	if _, err := fmt.Sscanf(id, "p%d", &i); err != nil || i >= max(s.pages, 20) {
		return state.Passage{}, false, err
	}
	return passage(i), !s.lost, nil
}

func passage(i int) state.Passage {
	text := fmt.Sprintf("Passage %d says little.", i)
	if i == 0 {
		text = "A trial. " + quoteText + " " + letters + " It ended."
	}
	id := fmt.Sprintf("p%d", i)
	return state.Passage{ID: id, Doc: id, Text: text, Start: 100, End: 100 + len(text), Source: id + ".md"}
}

func edge(id, from, to string, strength causal.Strength) causal.Edge {
	return causal.Edge{ID: id, FromVar: from, ToVar: to, Strength: strength}
}

func pipeline(t testing.TB, m llm.Model, r causal.Corpus, opts *causal.Options) *causal.Pipeline {
	t.Helper()
	p, err := causal.New(causal.Deps{Model: m, Skills: set(t), Corpus: r}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func run(t testing.TB, m llm.Model, r causal.Corpus, opts *causal.Options, edges ...causal.Edge) causal.State {
	t.Helper()
	final, err := pipeline(t, m, r, opts).Run(context.Background(), edges, &graph.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return final
}
