package glossary

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/state"
)

// State is the state of the pipeline.
type State struct {
	Term  string       `json:"term"`  // the requested term; Every for all
	Read  int          `json:"read"`  // number of passages read
	Terms []Definition `json:"terms"` // by term, then by place
}

// A Definition is a term and the bytes that define it.
type Definition struct {
	Term    string        `json:"term"`
	Quote   state.Quote   `json:"quote"`
	Passage state.Passage `json:"passage"` // the passage with the quote
}

var (
	term  = graph.LastValue("term", func(s *State) *string { return &s.Term })
	read  = graph.LastValue("read", func(s *State) *int { return &s.Read })
	terms = graph.LastValue("terms", func(s *State) *[]Definition { return &s.Terms })
)

// New compiles the pipeline. It has two nodes: collect reads every passage, and choose keeps the
// requested term. Text that inspect takes for prompt injection defines nothing.
func New(corpus pipeline.Corpus, inspect retrieval.Inspect) (*graph.Compiled[State], error) {
	g := graph.NewStateGraph(term, read, terms)
	g.AddNode("collect", func(ctx context.Context, _ State) (graph.Update[State], error) {
		all, n, err := collect(ctx, corpus, inspect)
		return graph.Update[State]{read.Set(n), terms.Set(all)}, err
	})
	g.AddNode("choose", func(_ context.Context, s State) (graph.Update[State], error) {
		return graph.Update[State]{terms.Set(choose(s.Terms, s.Term))}, nil
	})
	g.AddEdge(graph.Start, "collect")
	g.AddEdge("collect", "choose")
	return g.Compile(&graph.CompileOptions{Name: "glossary"})
}

// collect reads the definitions of a corpus, and counts its passages.
func collect(ctx context.Context, corpus pipeline.Corpus, inspect retrieval.Inspect) ([]Definition, int, error) {
	ids, err := corpus.PassageIDs()
	if err != nil {
		return nil, 0, fmt.Errorf("listing the passages: %w", err)
	}
	var all []Definition
	for _, id := range ids {
		if ctx.Err() != nil {
			return nil, 0, context.Cause(ctx)
		}
		p, ok, err := corpus.Passage(id)
		if err != nil {
			return nil, 0, fmt.Errorf("reading passage %s: %w", id, err)
		}
		if !ok {
			continue
		}
		if inspect != nil {
			p = p.Withhold(inspect)
		}
		for _, b := range p.Blocks {
			if b.Kind == state.BlockDefinition && b.Label != "" {
				q := state.Quote{Passage: p.ID, Source: p.Source, Start: p.Start + b.Start, End: p.Start + b.End, Text: p.Text[b.Start:b.End]}
				all = append(all, Definition{b.Label, q, p})
			}
		}
	}
	slices.SortFunc(all, func(a, b Definition) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Term), strings.ToLower(b.Term)), strings.Compare(a.Quote.Source, b.Quote.Source), a.Quote.Start-b.Quote.Start)
	})
	return slices.CompactFunc(all, func(a, b Definition) bool { return a.Quote == b.Quote }), len(ids), nil
}

// choose keeps the definitions of exactly this term, or else of terms that contain it.
func choose(all []Definition, asked string) []Definition {
	if asked == Every {
		return all
	}
	var exact, near []Definition
	for _, d := range all {
		switch folded := strings.ToLower(d.Term); {
		case folded == strings.ToLower(asked):
			exact = append(exact, d)
		case strings.Contains(folded, strings.ToLower(asked)):
			near = append(near, d)
		}
	}
	if exact != nil {
		return exact
	}
	return near
}
