package research

import (
	"context"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// plan first asks memory for the question without its choices, which costs no model call.
// An unreadable memory is a warning, and a similar question a hint for rewrite. Otherwise
// the model plans steps. If the plan cannot be parsed, the question itself is the only
// step. Of a multi-hop plan only the first step is kept: replan adds the others when the
// result of the first is known.
func plan(m llm.Model, skill skills.Skill, memory Memory) graph.Node[state.Agent] {
	return func(ctx context.Context, s state.Agent) (graph.Update[state.Agent], error) {
		stem, _ := splitChoices(s.Objective)
		var update graph.Update[state.Agent]
		if memory != nil {
			recall, ok, err := memory.Lookup(ctx, stem)
			switch {
			case ctx.Err() != nil:
				return nil, context.Cause(ctx)
			case err != nil && !ok:
				update = append(update, warningsChannel.Add("memory was not read: "+err.Error()))
			case ok && recall.Whole():
				if err != nil {
					update = append(update, warningsChannel.Add("memory was read, and: "+err.Error()))
				}
				return append(update,
					memoryChannel.Set(state.MemoryHit{Hit: true, Question: recall.Question, Similarity: recall.Similarity}),
					planChannel.Add(recall.Steps),
					researchChannel.Set(recall.Answer),
					answerChannel.Set(recall.Answer),
					checkChannel.Set(recall.Check),
				), nil
			case !ok && recall.Question != "":
				update = append(update, memoryChannel.Set(state.MemoryHit{Question: recall.Question, Similarity: recall.Similarity, Queries: recall.Queries}))
			}
		}
		out, usage, err := llm.Ask[skills.PlanOutput](ctx, m, skill, skills.PlanInput{Question: stem, QueryType: string(s.QueryType)})
		if err != nil && !llm.Misread(err) {
			return nil, err
		}
		return append(update, planChannel.Add(planned(out.Steps, stem, s.QueryType)), usageChannel.Add(usage)), nil
	}
}

// planned turns a model's plan into the planning table. Steps are numbered
// here, whatever numbers the model gave them.
func planned(steps []skills.PlanStep, question string, kind state.QueryType) []state.Step {
	var table []state.Step
	for _, p := range steps {
		if strings.TrimSpace(p.Question) != "" {
			table = append(table, newStep(len(table)+1, p.Phase, p.Question))
		}
	}
	if len(table) == 0 {
		table = []state.Step{newStep(1, "", question)}
	}
	if kind == state.MultiHop {
		return table[:1]
	}
	return table
}

func newStep(id int, phase, question string) state.Step {
	phase = strings.Join(strings.Fields(phase), " ")
	if phase == "" {
		phase = "Research"
	}
	return state.Step{ID: id, Phase: phase, Question: strings.TrimSpace(question), Status: state.StepPending}
}
