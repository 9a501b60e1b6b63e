package research

import (
	"context"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// Synthesize writes the pending step's answer from the passages it read. What
// the answer cites is resolved here: a number that names no passage is marked
// as such and counted as a parse failure, and a quote is located byte for byte
// in the passage it cites. A model that does not answer ends the step; without
// passages there is nothing to ask.
func Synthesize(m llm.Model, skill skills.Skill) graph.Node[state.Agent] {
	return func(ctx context.Context, s state.Agent) (graph.Update[state.Agent], error) {
		step, ok := s.Pending()
		if !ok {
			return nil, nil
		}
		if len(step.Hits) == 0 {
			return graph.Update[state.Agent]{row(state.Step{ID: step.ID, Status: state.StepExecuted})}, nil
		}
		stem, _ := SplitChoices(s.Objective)
		in := skills.SynthesizeInput{Objective: stem, Question: step.Question, Sources: sources(step.Hits, 1)}
		text, usage, err := llm.AskText(ctx, m, skill, in)
		if err != nil && !llm.Misread(err) {
			return endStep(ctx, step, usage, err)
		}
		cited := cite(text, step.Hits)
		usage.ParseFailures += cited.unknown
		filled := state.Step{ID: step.ID, Status: state.StepExecuted, Answer: cited.text, Citations: cited.citations}
		return graph.Update[state.Agent]{row(filled), state.AgentUsage.Add(usage)}, nil
	}
}

// sources numbers hits for a prompt, from first upwards.
func sources(hits []state.Hit, first int) []skills.Source {
	list := make([]skills.Source, len(hits))
	for i, h := range hits {
		list[i] = skills.Source{N: first + i, Title: h.Passage.Title, Section: h.Passage.Section, Text: h.Passage.Text}
	}
	return list
}
