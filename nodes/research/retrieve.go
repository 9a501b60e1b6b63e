package research

import (
	"cmp"
	"context"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/publish"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

// unreadable is an error of a search. Its cause is the index, unless the error itself names
// another, such as an embedder's server.
type unreadable struct{ error }

func (e unreadable) Unwrap() error { return e.error }

func (e unreadable) Cause() state.Cause { return cmp.Or(state.CauseOf(e.error), state.CauseIndex) }

// retrieve searches with all queries of the pending step and keeps the best passages that
// no earlier step has read. Their confidence says how well they fit the person's question
// and the step's, whatever the queries were. It notes replaced words. A failing index ends
// the step. It reports prompt injection in the passages; a nil inspect finds none. With
// later, observe warns of it instead of this node.
func retrieve(corpus retrieval.Retriever, passages int, inspect retrieval.Inspect, later bool) graph.Node[state.Agent] {
	return func(ctx context.Context, s state.Agent) (graph.Update[state.Agent], error) {
		step, ok := s.Pending()
		if !ok {
			return nil, nil
		}
		read := s.Read()
		question := asked(s, step)
		metered, asked := llm.Open(ctx) // a reranker may ask a model
		found, err := retrieval.AsOf(corpus, s.AsOf).Search(metered, retrieval.Query{
			Primary: step.Queries[0], Alternatives: step.Queries[1:], K: passages, Exclude: read, Read: question, About: gate(s.Objective, step.Question),
		})
		if err != nil {
			return endStep(ctx, step, asked.Close().ModelUsage, unreadable{err})
		}
		if err := publish.Search(ctx, event.Search{StepID: step.ID, Queries: step.Queries, Excluded: len(read)}, found); err != nil {
			return nil, err
		}
		orders, err := publish.Orders(ctx, inspect, step.ID, found.Hits)
		if err != nil {
			return nil, err
		}
		if later {
			orders = nil
		}
		update := graph.Update[state.Agent]{row(state.Step{ID: step.ID, Respelt: found.Respelt, Hits: found.Hits, Confidence: found.Confidence})}
		for _, warning := range append(retrieval.Warnings(found), orders...) {
			update = append(update, warningsChannel.Add(warning))
		}
		if usage := asked.Close().ModelUsage; usage != (state.ModelUsage{}) {
			update = append(update, usageChannel.Add(usage))
		}
		return update, nil
	}
}
