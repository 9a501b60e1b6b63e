package research

import (
	"context"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// replan asks the model what is still missing and adds one step for it. It completes the
// research when the model says so, or only repeats a question. It also completes it when
// the call fails or its answer cannot be parsed, because the results so far are worth more
// than an error; both count as a loss.
func replan(m llm.Model, skill skills.Skill) graph.Node[state.Agent] {
	return func(ctx context.Context, s state.Agent) (graph.Update[state.Agent], error) {
		stem, _ := splitChoices(s.Objective)
		asked := askedSoFar(s.Plan)
		out, usage, err := llm.Ask[skills.ReplanOutput](ctx, m, skill, skills.ReplanInput{Objective: stem, Findings: findings(s.Context), Asked: asked})
		if err := llm.Stops(ctx, err); err != nil {
			return nil, err
		}
		update := graph.Update[state.Agent]{usageChannel.Add(usage)}
		if err != nil {
			return append(update, lossesChannel.Add(state.LossOf("what further steps would have found", err)), decisionChannel.Set(state.DecideComplete)), nil
		}
		again := slices.ContainsFunc(asked, func(q string) bool { return sameWords(q, out.Question) })
		if out.Action == "complete" || strings.TrimSpace(out.Question) == "" || again {
			why := strings.TrimSpace(out.Reason)
			if again {
				why = strings.TrimSpace("the next question was asked before: " + out.Question)
			}
			return append(update, stoppedChannel.Set(why), decisionChannel.Set(state.DecideComplete)), nil
		}
		step := newStep(len(s.Plan)+1, out.Phase, out.Question)
		step.Reason = strings.TrimSpace(out.Reason)
		return append(update, row(step), decisionChannel.Set(state.DecideExecute)), nil
	}
}

func findings(list []state.Finding) []skills.Finding {
	out := make([]skills.Finding, len(list))
	for i, f := range list {
		out[i] = skills.Finding{StepID: f.StepID, Question: f.Question, Answer: f.Answer, Confidence: f.Confidence, Status: string(f.Status)}
	}
	return out
}

// askedSoFar lists every question and query of the table, each once.
func askedSoFar(plan []state.Step) []string {
	var out []string
	for _, step := range plan {
		for _, q := range append([]string{step.Question}, step.Queries...) {
			if !slices.Contains(out, q) {
				out = append(out, q)
			}
		}
	}
	return out
}

// sameWords compares two questions without case, spacing and punctuation.
func sameWords(a, b string) bool {
	words := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" \t\n.,;:?!\"'“”‘’()", r) })
	}
	return slices.Equal(words(a), words(b))
}
