package causal

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"example.com/assay/graph"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/publish"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

// retrieveGrounding searches for passages that support an edge and passages that refute it, up to k
// for each side, without passages that were read before.
//
// If a side's search fails or finds nothing, it falls back to single terms: it searches for each
// content word of both variables. Passages found by terms of both variables come first, then
// passages found by more terms; the sum of 1/rank and then the ID break ties. So it finds even a
// passage with a single phrase of the edge.
//
// A failed search and a failed reranker are losses. Passages with prompt injection are reported,
// and still read.
func retrieveGrounding(corpus retrieval.Retriever, k int, inspect retrieval.Inspect) graph.Node[edgeLoop] {
	return func(ctx context.Context, s edgeLoop) (graph.Update[edgeLoop], error) {
		read := make([]string, 0, len(s.Sources))
		for _, src := range s.Sources {
			read = append(read, src.Passage)
		}
		update := graph.Update[edgeLoop]{loopIterationChannel.Set(s.Iteration + 1)}
		for _, side := range []Side{supportSide, refuteSide} {
			q := supportQuery(s.Edge, s.Refinement, k, read)
			if side == refuteSide {
				q = refuteQuery(s.Edge, s.Refinement, k, read)
			}
			found, searches, err := searchSide(ctx, corpus, s.Edge, q)
			if err != nil {
				return nil, err
			}
			for _, one := range searches {
				one.Iteration, one.Side = s.Iteration+1, side
				if err := graph.Emit(ctx, event.Retrieval, published(s.Edge.ID, one)); err != nil {
					return nil, err
				}
				if !one.Fallback {
					update = append(update, loopTriedChannel.Add(one.Queries...))
				}
				if len(one.losses) > 0 {
					update = append(update, loopLossesChannel.Add(one.losses...))
				}
				update = append(update, loopRetrievalsChannel.Add(one.Retrieval))
			}
			for _, h := range found {
				read = append(read, h.Passage.ID)
				update = append(update, loopSourcesChannel.Add(EdgeSource{Passage: h.Passage.ID, Side: side}))
			}
			warnings, err := publish.Orders(ctx, inspect, 0, found)
			if err != nil {
				return nil, err
			}
			if len(warnings) > 0 {
				update = append(update, loopWarningsChannel.Add(warnings...))
			}
		}
		return update, nil
	}
}

// A search is a Retrieval with the parts that its edge does not keep.
type search struct {
	Retrieval
	found  *retrieval.Result // nil for a failed search and a search by single terms
	losses []state.Loss
}

func published(edge string, r search) event.EdgeSearch {
	e := event.EdgeSearch{Edge: edge, Iteration: r.Iteration, Side: string(r.Side), Queries: r.Queries, Fallback: r.Fallback, Error: r.Error, Hits: make([]event.EdgeHit, len(r.Hits))}
	if r.found != nil {
		e.Candidates, e.Confidence = &r.found.Candidates, &r.found.Confidence
	}
	for i, h := range r.Hits {
		e.Hits[i].Passage = h.Passage
	}
	return e
}

// searchSide searches with the fallback. Its error is cancellation.
func searchSide(ctx context.Context, corpus retrieval.Retriever, e Edge, q retrieval.Query) ([]state.Hit, []search, error) {
	first := search{Retrieval: Retrieval{Queries: append([]string{q.Primary}, q.Alternatives...), Hits: []EdgeHit{}, ReadBy: []int{}}}
	r, err := corpus.Search(ctx, q)
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if err != nil {
		first.Error = err.Error()
		first.losses = []state.Loss{unsearched(e, q.Primary, err)}
	} else {
		first.found, first.losses = &r, retrieval.Lost(r, q.Primary)
	}
	if err == nil && len(r.Hits) > 0 {
		first.Hits = edgeHits(r.Hits)
		return r.Hits, []search{first}, nil
	}
	hits, second, err := triangulate(ctx, corpus, e, q)
	if err != nil {
		return nil, nil, err
	}
	return hits, []search{first, second}, nil
}

// unsearched returns the loss for a failed search.
func unsearched(e Edge, query string, err error) state.Loss {
	return state.LossOf(fmt.Sprintf("a search for edge %q", e.ID), &retrieval.SearchError{Query: query, Err: err})
}

// triangulate is the fallback of retrieveGrounding.
func triangulate(ctx context.Context, corpus retrieval.Retriever, e Edge, q retrieval.Query) ([]state.Hit, search, error) {
	out := search{Retrieval: Retrieval{Fallback: true, Queries: []string{}, Hits: []EdgeHit{}, ReadBy: []int{}}}
	type candidate struct {
		passage state.Passage
		terms   int
		of      [2]bool
		score   float64 // Σ 1/rank
	}
	found := map[string]*candidate{}
	var order []*candidate
	for _, t := range singleTerms(e) {
		out.Queries = append(out.Queries, t.word)
		r, err := corpus.Search(ctx, retrieval.Query{Primary: t.word, K: 4 * q.K, Exclude: q.Exclude})
		if ctx.Err() != nil {
			return nil, out, context.Cause(ctx)
		}
		if err != nil {
			if out.Error == "" {
				out.Error = fmt.Sprintf("searching %q: %v", t.word, err)
				out.losses = []state.Loss{unsearched(e, t.word, err)}
			}
			continue
		}
		out.losses = append(out.losses, retrieval.Lost(r, t.word)...)
		for i, h := range r.Hits {
			c := found[h.Passage.ID]
			if c == nil {
				c = &candidate{passage: h.Passage}
				found[h.Passage.ID] = c
				order = append(order, c)
			}
			c.terms++
			c.of[t.of] = true
			c.score += 1 / float64(i+1)
		}
	}
	slices.SortFunc(order, func(a, b *candidate) int {
		return cmp.Or(
			-cmp.Compare(count(a.of[0] && a.of[1]), count(b.of[0] && b.of[1])),
			-cmp.Compare(a.terms, b.terms), -cmp.Compare(a.score, b.score), cmp.Compare(a.passage.ID, b.passage.ID),
		)
	})
	var hits []state.Hit
	for i, c := range order[:min(q.K, len(order))] {
		hits = append(hits, state.Hit{Passage: c.passage, Rank: i + 1, Scores: []state.Score{{Ranker: "terms", Value: float64(c.terms)}, {Ranker: "reciprocal_rank", Value: c.score}}})
	}
	out.Hits = edgeHits(hits)
	return hits, out, nil
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func edgeHits(hits []state.Hit) []EdgeHit {
	out := make([]EdgeHit, len(hits))
	for i, h := range hits {
		given := slices.DeleteFunc(slices.Clone(h.Scores), func(s state.Score) bool { return s.Value == 0 })
		out[i] = EdgeHit{Passage: h.Passage.ID, Rank: i + 1, Scores: nonNil(given)}
	}
	return out
}

const (
	keyFound   = "found"
	keyNothing = "nothing new"
)

// afterRetrieval asks the judge only when there is something new to read.
func afterRetrieval(_ context.Context, s edgeLoop) (graph.Route, error) {
	if foundNew(s) {
		return graph.To(keyFound), nil
	}
	return graph.To(keyNothing), nil
}

// foundNew reports whether the last retrieval found new passages.
func foundNew(s edgeLoop) bool {
	return slices.ContainsFunc(s.Retrievals, func(r Retrieval) bool { return r.Iteration == s.Iteration && len(r.Hits) > 0 })
}
