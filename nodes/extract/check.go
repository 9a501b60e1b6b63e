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

// VerifyNode checks the values by rules, notes the iteration, and decides whether
// there is another one.
func VerifyNode(s *Schema, limits Thresholds, iterations int) graph.Node[state.Extract] {
	return func(_ context.Context, e state.Extract) (graph.Update[state.Extract], error) {
		it := state.ExtractIteration{N: len(e.Iterations) + 1, Values: e.Values}
		it.Report = s.Verify(e.Values, slices.Concat(e.Conflicts, e.Opinions), limits)
		var before []state.FieldValue
		if n := len(e.Iterations); n > 0 {
			before = e.Iterations[n-1].Values
		}
		it.Changed = changed(before, e.Values)
		decision, why := state.ExtractRefine, ""
		switch {
		case it.Report.Passed:
			decision, why = state.ExtractFinish, "the verification passed"
		case it.N > 1 && len(it.Changed) == 0:
			decision, why = state.ExtractFinish, "the iteration changed nothing"
		case it.N >= iterations:
			decision, why = state.ExtractFinish, "the maximum of iterations is reached"
		}
		return graph.Update[state.Extract]{state.ExtractIterations.Add(it), state.ExtractDecided.Set(decision), state.ExtractStopped.Set(why)}, nil
	}
}

// Review asks a model what it thinks of the values. What it finds are issues
// beside those of the rules. A model that fails has no opinion, which is a loss.
func Review(m llm.Model, skill skills.Skill, r *reading) graph.Node[state.Extract] {
	return func(ctx context.Context, e state.Extract) (graph.Update[state.Extract], error) {
		opinions := []state.Issue{}
		update := graph.Update[state.Extract]{}
		for _, w := range windows(e.Document, r.size, r.overlap) {
			var here []state.FieldValue
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
			update = append(update, state.ExtractUsage.Add(usage))
			if err != nil {
				update = append(update, state.ExtractLosses.Add(state.LossOf(fmt.Sprintf("the model's opinion on bytes %d–%d", w.start, w.end), err)))
				continue
			}
			for _, i := range out.Issues {
				opinions = append(opinions, state.Issue{Kind: state.IssueOpinion, Severity: state.Severity(i.Severity), Field: i.Field, Message: i.Message, Suggestion: i.Suggestion})
			}
		}
		return append(update, state.ExtractOpinions.Set(opinions)), nil
	}
}

// Finish puts the values of the best iteration in place of the last ones.
func Finish() graph.Node[state.Extract] {
	return func(_ context.Context, e state.Extract) (graph.Update[state.Extract], error) {
		best, _ := e.Best()
		return graph.Update[state.Extract]{state.ExtractValues.Set(best.Values)}, nil
	}
}
