package research

import (
	"context"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/state"
)

// checkWhole looks for each part of a question that asks several things in the cited
// passages. When no part is there, the answer says so, and its quotes follow as the nearest
// passages. A multiple-choice question is not checked: it asks for the letter.
func checkWhole() graph.Node[state.Agent] {
	return func(_ context.Context, s state.Agent) (graph.Update[state.Agent], error) {
		stem, choices := splitChoices(s.Objective)
		if len(choices) > 0 || s.Count(state.StepCompleted) == 0 {
			return nil, nil
		}
		var cited []state.Hit
		for _, c := range Cited(s) {
			cited = append(cited, c.Hit)
		}
		var whole state.Wholeness
		whole.Parts, whole.Missing = missingParts(respelt(stem, s.Plan...), cited)
		update := graph.Update[state.Agent]{wholeChannel.Set(whole)}
		if whole.None() {
			update = append(update, answerChannel.Set(notThere(whole)+"\n\nWhat comes nearest:\n\n"+s.Research))
		}
		return update, nil
	}
}

func notThere(w state.Wholeness) string {
	return "Your documents do not answer this: the passages that were found do not have " + strings.Join(w.Missing, "; ") + "."
}
