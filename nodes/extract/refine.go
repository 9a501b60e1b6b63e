package extract

import (
	"context"
	"fmt"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// mostIssues is the maximum number of issues in a correction's prompt, the most severe first.
const mostIssues = 10

// refine reads the fields again, with the issues found. A failing model ends the loop: the best
// iteration counts, and the correction is a loss.
func refine(m llm.Model, skill skills.Skill, r *reading) graph.Node[State] {
	return func(ctx context.Context, s State) (graph.Update[State], error) {
		last := s.Iterations[len(s.Iterations)-1]
		in := skills.RefineInput{Issues: told(last.Report.Issues), Fields: r.schema.specs()}
		found, conflicts, warnings, usage, err := r.read(ctx, s.Document, func(ctx context.Context, w window, text string, boxes []skills.LaidOut) (skills.ExtractOutput, state.ModelUsage, error) {
			in := in
			in.Text, in.Boxes, in.Blocks, in.Previous = text, boxes, w.blocks(s.Document), shown(s.Document, w, last.Values)
			return llm.Ask[skills.ExtractOutput](ctx, m, skill, in)
		})
		if err := llm.Stops(ctx, err); err != nil {
			return nil, err
		}
		update := graph.Update[State]{usageChannel.Add(usage), warningsChannel.Add(warnings...)}
		if err != nil {
			return append(update, decisionChannel.Set(decideFinish), stoppedChannel.Set("a model call failed"),
				failureChannel.Set("the extraction was not refined: "+err.Error()),
				lossesChannel.Add(state.LossOf(fmt.Sprintf("the correction of iteration %d", len(s.Iterations)), err))), nil
		}
		return append(update, valuesChannel.Set(found), conflictsChannel.Set(conflicts)), nil
	}
}

// told returns the issues for a correction's prompt. They are sorted already.
func told(issues []Issue) []skills.ExtractionIssue {
	out := []skills.ExtractionIssue{}
	for _, i := range issues[:min(len(issues), mostIssues)] {
		out = append(out, skills.ExtractionIssue{Severity: string(i.Severity), Field: i.Field, Message: i.Message, Suggestion: i.Suggestion})
	}
	return out
}

// shown returns the values for a window's prompt: values that were read in it, and values without a
// place.
func shown(doc FieldDocument, w window, found []FieldValue) []skills.ExtractedField {
	out := []skills.ExtractedField{}
	for _, v := range found {
		row := 0
		if v.Place != nil {
			if v.Place.Start < w.start || v.Place.End > w.end {
				continue
			}
			row = 1 + strings.Count(doc.Text[w.start:v.Place.Start], "\n")
		}
		out = append(out, skills.ExtractedField{Path: v.Field, Value: v.Value, Quote: v.Verbatim, Row: row, Confidence: v.Confidence})
	}
	return out
}
