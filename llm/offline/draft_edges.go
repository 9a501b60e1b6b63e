package offline

import (
	"fmt"
	"slices"
	"strings"

	"example.com/assay/decide/causal"
	"example.com/assay/decide/injection"
	"example.com/assay/memory/text"
	"example.com/assay/skills"
)

// Drafting takes sentences of the form "cause – plain causal words – effect", in
// either order, and the noun phrases on both sides, word for word. It sees no
// effect that a verb of its own names ("smokers die younger").

func draftEdges(in skills.DraftEdgesInput) (skills.DraftEdgesOutput, error) {
	out := skills.DraftEdgesOutput{Edges: []skills.DraftedEdge{}}
	seen := map[string]bool{}
	for _, src := range in.Sources {
		orders := injection.Instructions(src.Text)
		for _, span := range text.Sentences(src.Text) {
			if slices.ContainsFunc(orders, func(o injection.Instruction) bool { return o.Start < span.End && span.Start < o.End }) {
				continue
			}
			words := src.Text[span.Start:span.End]
			from, to, hedged, ok := causal.Draft(words)
			key := strings.ToLower(from + "\x00" + to)
			if !ok || seen[key] {
				continue
			}
			seen[key] = true
			e := skills.DraftedEdge{From: from, To: to, Strength: "moderate", ChainOfThought: fmt.Sprintf("Source %d says: “%s”", src.N, text.Clip(words, 300))}
			if hedged {
				e.Strength = "weak"
			}
			out.Edges = append(out.Edges, e)
		}
	}
	return out, nil
}
