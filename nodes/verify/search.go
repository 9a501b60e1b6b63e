package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"example.com/assay/decide/claim/facts"
	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/memory/answer"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/publish"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

// searchesAtOnce bounds the searches that run at the same time.
const searchesAtOnce = 8

// searchClaims searches the corpus for the passages that decide each claim, before the claim is
// judged. The claim itself is the query, since a sentence that refutes it shares its words too; the
// question adds candidates. It also searches for contraries of the claim. Each claim is searched
// for once. A failed search is a loss: its claim is judged by the given evidence, if there is any.
func searchClaims(corpus retrieval.Retriever, passages int, inspect retrieval.Inspect) graph.Node[State] {
	return func(ctx context.Context, s State) (graph.Update[State], error) {
		var queries []string
		for _, c := range s.Claims {
			if q := c.Spoken(); !slices.Contains(queries, q) && searched(s, q) < 0 {
				queries = append(queries, q)
			}
		}
		metered, asked := llm.Open(ctx) // a reranker may ask a model
		results, errs := searchAll(metered, retrieval.AsOf(corpus, s.AsOf), queries, s.Query, passages)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var update graph.Update[State]
		read := map[string]bool{}
		for _, e := range s.Evidence {
			read[e.Passage.ID] = true
		}
		found := 0
		for i, q := range queries {
			r, err := results[i], errs[i]
			if err != nil {
				cause := cmp.Or(state.CauseOf(err), state.CauseIndex)
				update = append(update,
					searchesChannel.Add(ClaimSearch{Query: q, Passages: []string{}, Error: err.Error(), Cause: cause}),
					lossesChannel.Add(state.Loss{Missing: fmt.Sprintf("what the corpus holds on “%s”", q), Cause: cause, Error: err.Error()}))
				continue
			}
			of := claimOf(s, q)
			if err := publish.Search(ctx, event.Search{Claim: of, Queries: []string{q}}, r); err != nil {
				return nil, err
			}
			if losses := retrieval.Lost(r, q); len(losses) > 0 {
				update = append(update, warningsChannel.Add(retrieval.Warnings(r)...), lossesChannel.Add(losses...))
			}
			search := ClaimSearch{Query: q, Confidence: r.Confidence, Passages: []string{}, Nearest: nearest(r.Hits, inspect)}
			var fresh []state.Hit
			for _, h := range r.Hits {
				search.Passages = append(search.Passages, h.Passage.ID)
				if !read[h.Passage.ID] {
					read[h.Passage.ID] = true
					fresh = append(fresh, h)
				}
			}
			orders, err := publish.Orders(ctx, inspect, 0, fresh)
			if err != nil {
				return nil, err
			}
			update = append(update, searchesChannel.Add(search), warningsChannel.Add(orders...))
			for _, h := range fresh {
				update = append(update, evidenceChannel.Add(state.Evidence{Label: label(s, found), Passage: h.Passage}))
				found++
			}
		}
		if usage := asked.Close().ModelUsage; usage != (state.ModelUsage{}) {
			update = append(update, usageChannel.Add(usage))
		}
		return update, nil
	}
}

// nearest returns the stretch of the hits that is nearest in meaning to the query, without empty
// stretches and prompt injection.
func nearest(hits []state.Hit, inspect retrieval.Inspect) *Nearest {
	var out *Nearest
	for _, h := range hits {
		if len(h.Near) == 0 || out != nil && slices.Max(h.Near) <= out.Near {
			continue
		}
		orders := inspect.In(h.Passage)
		for i, r := range answer.Readings(h.Passage) {
			ordered := slices.ContainsFunc(orders, func(o state.Order) bool { return o.Start < r.End && r.Start < o.End })
			if i < len(h.Near) && r.Says && !ordered && (out == nil || h.Near[i] > out.Near) {
				out = &Nearest{h.Passage.ID, r.Start, r.End, h.Near[i]}
			}
		}
	}
	return out
}

// searchAll searches for each query, several at the same time.
func searchAll(ctx context.Context, corpus retrieval.Retriever, queries []string, question string, passages int) ([]retrieval.Result, []error) {
	results, errs := make([]retrieval.Result, len(queries)), make([]error, len(queries))
	slots := make(chan struct{}, searchesAtOnce)
	var running sync.WaitGroup
	for i, q := range queries {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			query := retrieval.Query{Primary: q, K: passages}
			if question != "" {
				query.Alternatives = []string{question + " " + q}
			}
			results[i], errs[i] = corpus.Search(ctx, query)
			for _, contrary := range facts.Contraries(q) {
				if errs[i] != nil {
					return
				}
				var against retrieval.Result
				against, errs[i] = corpus.Search(ctx, retrieval.Query{Primary: contrary, K: passagesAgainst})
				results[i].Hits = united(results[i].Hits, against.Hits)
			}
		})
	}
	running.Wait()
	return results, errs
}

// passagesAgainst is how many passages are read for a contrary of a claim.
const passagesAgainst = 2

// united returns hits, followed by the others that it lacks.
func united(hits, more []state.Hit) []state.Hit {
	for _, h := range more {
		if !slices.ContainsFunc(hits, func(o state.Hit) bool { return o.Passage.ID == h.Passage.ID }) {
			hits = append(hits, h)
		}
	}
	return hits
}

// searched returns the index of the search for a claim, or -1.
func searched(s State, claim string) int {
	return slices.IndexFunc(s.Searches, func(f ClaimSearch) bool { return f.Query == claim })
}

// claimOf returns the ID of the first claim with this text.
func claimOf(s State, spoken string) int {
	return s.Claims[slices.IndexFunc(s.Claims, func(c state.Claim) bool { return c.Spoken() == spoken })].ID
}
