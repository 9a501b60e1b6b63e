package verify_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/verify"
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

var errDown = errors.New("the model is down")

// A reader answers by what is asked, whatever the order of the calls: a claim is
// supported by a source that holds the words after its "about", and a response
// is written again as it is told. What is not set is answered with errDown.
type reader struct {
	judge      func(skills.JudgeInput) skills.JudgeOutput
	gaps       func(skills.GapInput) skills.GapOutput
	regenerate func(skills.RegenerateInput) string
	down       error // in place of errDown

	mu    sync.Mutex
	calls map[string]int
	gapIn []skills.GapInput
}

func (r *reader) Generate(_ context.Context, req llm.Request) (llm.Response, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls == nil {
		r.calls = map[string]int{}
	}
	r.calls[req.Skill]++
	var out any
	switch {
	case req.Skill == skills.JudgeClaim && r.judge != nil:
		out = r.judge(decode[skills.JudgeInput](req))
	case req.Skill == skills.GapQueries && r.gaps != nil:
		in := decode[skills.GapInput](req)
		r.gapIn = append(r.gapIn, in)
		out = r.gaps(in)
	case req.Skill == skills.RegenerateResponse && r.regenerate != nil:
		return llm.Response{Text: r.regenerate(decode[skills.RegenerateInput](req)), Model: "reader"}, nil
	default:
		return llm.Response{}, cmp.Or(r.down, errDown)
	}
	text, err := json.Marshal(out)
	return llm.Response{Text: string(text), Model: "reader"}, err
}

func decode[T any](req llm.Request) T {
	var v T
	if err := json.Unmarshal(req.Vars, &v); err != nil {
		panic(err)
	}
	return v
}

// literal supports a claim when a source holds its last three words.
func literal(in skills.JudgeInput) skills.JudgeOutput {
	words := strings.Fields(strings.TrimRight(in.Claim, "."))
	key := strings.Join(words[max(len(words)-3, 0):], " ")
	for _, s := range in.Sources {
		if strings.Contains(s.Text, key) {
			return verdict("supported", .9, skills.SourceQuote{Source: s.N, Text: key})
		}
	}
	return verdict("unsupported", .1)
}

func verdict(status string, confidence float64, quotes ...skills.SourceQuote) skills.JudgeOutput {
	return skills.JudgeOutput{Status: status, Confidence: confidence, Quotes: append([]skills.SourceQuote{}, quotes...), Against: []skills.SourceQuote{}, Reason: "as it stands"}
}

// byClaim asks for every claim by its own words.
func byClaim(in skills.GapInput) skills.GapOutput {
	out := skills.GapOutput{Queries: []skills.GapQuery{}}
	for _, c := range in.Claims {
		out.Queries = append(out.Queries, skills.GapQuery{ClaimID: c.ID, Query: strings.Join(strings.Fields(c.Text+fmt.Sprint(" ", len(in.Asked))), " ")})
	}
	return out
}

// evidence makes passages of texts, labelled "Source 1" and so on.
func evidence(texts ...string) []state.Evidence {
	out := make([]state.Evidence, len(texts))
	for i, text := range texts {
		out[i] = state.Evidence{Label: fmt.Sprintf("Source %d", i+1), Passage: passage(fmt.Sprintf("c%d", i+1), text)}
	}
	return out
}

func passage(id, text string) state.Passage {
	return state.Passage{ID: id, Doc: id, Text: text, End: len(text), Source: id + ".md"}
}

// A shelf returns its passages in order, those that are excluded left out.
type shelf struct {
	passages   []state.Passage
	by         map[string][]state.Passage // by query, in place of passages
	failAt     int                        // the search that fails, counted from 1
	confidence float64
	near       map[string][]float64 // by passage

	mu      sync.Mutex
	queries []retrieval.Query
}

func (s *shelf) Search(_ context.Context, q retrieval.Query) (retrieval.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queries = append(s.queries, q)
	if len(s.queries) == s.failAt {
		return retrieval.Result{}, errors.New("the index is gone")
	}
	r := retrieval.Result{Confidence: s.confidence}
	for _, p := range append(s.by[q.Primary], s.passages...) {
		excluded := false
		for _, id := range q.Exclude {
			excluded = excluded || id == p.ID
		}
		if !excluded && len(r.Hits) < q.K {
			r.Hits = append(r.Hits, state.Hit{Passage: p, Rank: len(r.Hits) + 1, Near: s.near[p.ID]})
		}
	}
	return r, nil
}

func run(t testing.TB, deps verify.Deps, opts *verify.Options, in verify.Input) verify.State {
	t.Helper()
	deps.Skills = set(t)
	p, err := verify.New(deps, opts)
	if err != nil {
		t.Fatal(err)
	}
	final, err := p.Run(context.Background(), in, &graph.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return final
}

// nowhere keeps no file.
type nowhere struct{}

func (nowhere) TextPath(string) (path, original string, err error) { return "", "", nil }
