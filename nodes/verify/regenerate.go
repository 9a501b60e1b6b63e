package verify

import (
	"context"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// regenerate has a correction of the response written from all evidence. An unchanged text is
// judged too, since there is more evidence now. A failing model ends the correction: the best
// attempt counts.
func regenerate(m llm.Model, skill skills.Skill) graph.Node[State] {
	return func(ctx context.Context, s State) (graph.Update[State], error) {
		text, usage, err := llm.AskText(ctx, m, skill, skills.RegenerateInput{
			Question: s.Query, Response: s.Response, Claims: judged(s, s.Verdicts), Sources: citable(toRead(s)),
		})
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		update := graph.Update[State]{usageChannel.Add(usage)}
		if err != nil {
			return append(update, stop(err)...), nil
		}
		return append(update, responseChannel.Set(strings.TrimSpace(text))), nil
	}
}

// toRead returns the evidence for writing a response: what any claim was judged against or cites,
// and what the round added.
func toRead(s State) []state.Evidence {
	shelf := newShelf(s)
	wanted := map[string]bool{}
	for _, id := range s.Added {
		wanted[id] = true
	}
	for _, c := range s.Claims {
		for _, e := range shelf.pick(c, mostPassages/2) {
			wanted[e.Passage.ID] = true
		}
	}
	var out []state.Evidence
	for _, e := range s.Evidence {
		if wanted[e.Passage.ID] {
			out = append(out, e)
		}
	}
	return out
}

func citable(evidence []state.Evidence) []skills.CitedSource {
	list := make([]skills.CitedSource, len(evidence))
	for i, s := range sources(evidence) {
		list[i] = skills.CitedSource{Source: s, Cite: citeAs(evidence[i].Label)}
	}
	return list
}

// citeAs returns how a response cites a label: "[Source 2]", or "[Query 1][Source 2]" for "Query 1
// Source 2".
func citeAs(label string) string {
	if query, source, ok := strings.Cut(label, " Source "); ok {
		return "[" + query + "][Source " + source + "]"
	}
	return "[" + label + "]"
}
