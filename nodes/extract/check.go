package extract

import (
	"context"
	"fmt"
	"slices"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// verifyValues checks the values by rules, records the iteration, and decides whether another one
// follows.
func verifyValues(s *Schema, limits Thresholds, iterations int) graph.Node[State] {
	return func(_ context.Context, e State) (graph.Update[State], error) {
		it := Iteration{N: len(e.Iterations) + 1, Values: e.Values}
		it.Report = s.Verify(e.Values, slices.Concat(e.Conflicts, e.Opinions), limits)
		var before []FieldValue
		if n := len(e.Iterations); n > 0 {
			before = e.Iterations[n-1].Values
		}
		it.Changed = changed(before, e.Values)
		decision, why := decideRefine, ""
		switch {
		case it.Report.Passed:
			decision, why = decideFinish, "the verification passed"
		case it.N > 1 && len(it.Changed) == 0:
			decision, why = decideFinish, "the iteration changed nothing"
		case it.N >= iterations:
			decision, why = decideFinish, "the maximum of iterations is reached"
		}
		return graph.Update[State]{iterationsChannel.Add(it), decisionChannel.Set(decision), stoppedChannel.Set(why)}, nil
	}
}

// review asks a model for its opinion of the values. Its findings become issues, together with
// those of the rules. A failed call is a loss.
func review(m llm.Model, skill skills.Skill, r *reading) graph.Node[State] {
	return func(ctx context.Context, e State) (graph.Update[State], error) {
		opinions := []Issue{}
		update := graph.Update[State]{}
		for _, w := range windows(e.Document, r.size, r.overlap) {
			var here []FieldValue
			for _, v := range e.Values {
				if v.Place != nil && v.Place.Start >= w.start && v.Place.End <= w.end {
					here = append(here, v)
				}
			}
			if len(here) == 0 {
				continue
			}
			out, usage, err := llm.Ask[skills.VerifyExtractionOutput](ctx, m, skill, skills.VerifyExtractionInput{
				Fields: r.schema.specs(), Values: shown(e.Document, w, here), Text: e.Document.Text[w.start:w.end],
			})
			if err := llm.Stops(ctx, err); err != nil {
				return nil, err
			}
			update = append(update, usageChannel.Add(usage))
			if err != nil {
				update = append(update, lossesChannel.Add(state.LossOf(fmt.Sprintf("the model's opinion on bytes %d–%d", w.start, w.end), err)))
				continue
			}
			for _, i := range out.Issues {
				opinions = append(opinions, Issue{Kind: IssueOpinion, Severity: Severity(i.Severity), Field: i.Field, Message: i.Message, Suggestion: i.Suggestion})
			}
		}
		return append(update, opinionsChannel.Set(opinions)), nil
	}
}

// finish replaces the last values by those of the best iteration.
func finish() graph.Node[State] {
	return func(_ context.Context, e State) (graph.Update[State], error) {
		best, _ := e.Best()
		return graph.Update[State]{valuesChannel.Set(best.Values)}, nil
	}
}
