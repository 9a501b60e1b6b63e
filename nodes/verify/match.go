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

// mostPassages is how many passages of the evidence given a claim is judged
// against, beside those that it cites and those that a search found for it.
const mostPassages = 8

// matchEvidence picks the passages that each claim is judged against, and sends each
// claim with its own to a task of judge. The evidence is read once for all
// claims; a task holds only what it needs, so a saved run grows with the number
// of claims, not with claims times evidence.
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

// A shelf finds the passages that share the most informative words with a
// claim: the sum of the idf of shared stems, without regard to length, which
// finds the sentence that supports a claim more often than BM25 does.
type shelf struct {
	evidence []state.Evidence
	holds    map[string][]int // stem → positions in evidence, ascending
	hits     map[string][]int // claim that was searched for → positions in evidence, the best first
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

// pick returns the cited passage that states the claim word for word, if one
// does. Else it returns what the claim cites, in the order of its citations, then
// what a search found for it, then up to most of the passages that no search
// found, the one that shares most with it first. Of those, passages that share
// nothing are left out, unless that leaves none of a claim that was not searched for.
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

// citedBy returns the positions of the evidence that a claim cites, by label, by
// the passage's id or by its document's. A mark that names none is left out.
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
