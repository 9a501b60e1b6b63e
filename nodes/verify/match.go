package verify

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// mostPassages is how many passages of the given evidence a claim is judged against, in addition to
// the ones that it cites and the ones found by its search.
const mostPassages = 8

// matchEvidence picks the passages for each claim, and sends each claim with its passages to a task
// of judge. The evidence is read once for all claims; a task holds only what it needs, so a saved
// run grows with the number of claims, not with claims times evidence.
func matchEvidence() graph.Node[State] {
	return func(ctx context.Context, s State) (graph.Update[State], error) {
		shelf := newShelf(s)
		sends := make([]graph.Send[State], len(s.Claims))
		for i, c := range s.Claims {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			sends[i] = graph.Send[State]{Node: NodeJudge, State: State{
				Query: s.Query, Claims: []state.Claim{c}, Evidence: shelf.pick(c, mostPassages),
			}}
		}
		return graph.Update[State]{graph.Goto[State]().Sends(sends...)}, nil
	}
}

// A shelf finds the passages that share the most informative words with a claim: by the sum of the
// idf of shared stems, regardless of length. That finds the supporting sentence more often than
// BM25.
type shelf struct {
	evidence []state.Evidence
	holds    map[string][]int // stem → positions in evidence, ascending
	hits     map[string][]int // searched claim → positions in evidence, best first
	found    []bool           // by a search for a claim, by position
}

func newShelf(v State) *shelf {
	s := &shelf{evidence: v.Evidence, holds: map[string][]int{}, hits: map[string][]int{}, found: make([]bool, len(v.Evidence))}
	at := map[string]int{}
	for i, e := range v.Evidence {
		at[e.Passage.ID] = i
	}
	for _, f := range v.Searches {
		hits := []int{}
		for _, id := range f.Passages {
			hits = append(hits, at[id])
			s.found[at[id]] = true
		}
		s.hits[f.Query] = hits
	}
	for i, e := range v.Evidence {
		p := e.Passage
		for _, stem := range text.Terms(p.Title+"\n"+p.Section+"\n"+p.Text, text.DocStops) {
			if at := s.holds[stem]; len(at) == 0 || at[len(at)-1] != i {
				s.holds[stem] = append(at, i)
			}
		}
	}
	return s
}

// pick returns the cited passage that states the claim word for word, if there is one. Otherwise it
// returns the passages that the claim cites, in that order, then those found by its search, then up
// to most others, those that share most with it first. Other passages that share nothing are left
// out, unless a claim without a search would have none.
func (s *shelf) pick(c state.Claim, most int) []state.Evidence {
	cited := citedBy(c, s.evidence)
	for _, i := range cited {
		if _, ok := stated(c, s.evidence[i:i+1]); ok {
			return s.evidence[i : i+1]
		}
	}
	chosen := slices.Clone(cited)
	hits, searched := s.hits[c.Spoken()]
	for _, i := range hits {
		if !slices.Contains(cited, i) {
			chosen = append(chosen, i)
		}
	}
	score := make([]float64, len(s.evidence))
	stems := text.Terms(c.Text, text.DocStops)
	slices.Sort(stems)
	for _, stem := range slices.Compact(stems) {
		at := s.holds[stem]
		idf := math.Log(1 + (float64(len(s.evidence)-len(at))+.5)/(float64(len(at))+.5))
		for _, i := range at {
			score[i] += idf
		}
	}
	var rest []int
	for i := range s.evidence {
		if !s.found[i] && !slices.Contains(cited, i) && (score[i] > 0 || len(s.evidence) <= most) {
			rest = append(rest, i)
		}
	}
	slices.SortStableFunc(rest, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	chosen = append(chosen, rest[:min(most, len(rest))]...)
	if len(chosen) == 0 && !searched {
		chosen = append(chosen, 0)
	}
	out := make([]state.Evidence, len(chosen))
	for i, at := range chosen {
		out[i] = s.evidence[at]
	}
	return out
}

// citedBy returns the positions of the evidence that a claim cites: by label, by the passage's ID
// or by its document's. It ignores unknown marks.
func citedBy(c state.Claim, evidence []state.Evidence) []int {
	var at []int
	for _, label := range c.Cites {
		for i, e := range evidence {
			named := strings.EqualFold(e.Label, label) || strings.EqualFold(e.Passage.ID, label) || strings.EqualFold(e.Passage.Doc, label)
			if named && !slices.Contains(at, i) {
				at = append(at, i)
			}
		}
	}
	return at
}
