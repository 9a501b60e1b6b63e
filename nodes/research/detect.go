package research

import (
	"context"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// detectInjection judges whether the question is a prompt injection. An answer that cannot
// be parsed counts as safe, as a parse failure and as a loss: a filter that fails closed
// would refuse every question whenever a model misbehaves. No answer at all is an error.
func detectInjection(m llm.Model, skill skills.Skill, skip bool) graph.Node[state.Agent] {
	return func(ctx context.Context, s state.Agent) (graph.Update[state.Agent], error) {
		if skip {
			return graph.Update[state.Agent]{injectionChannel.Set(state.Injection{Safe: true})}, nil
		}
		out, usage, err := llm.Ask[skills.DetectOutput](ctx, m, skill, skills.DetectInput{Question: s.Objective})
		check := state.Injection{Checked: true, Safe: true}
		var update graph.Update[state.Agent]
		switch {
		case llm.Misread(err):
			check.Reason = "the verdict could not be read"
			update = append(update, lossesChannel.Add(state.LossOf("the check of the question for prompt injection", err)))
		case err != nil:
			return nil, err
		default:
			check.Safe = out.Verdict != "adversarial"
			check.Category, check.Reason = out.Category, out.Reason
		}
		update = append(update, injectionChannel.Set(check), usageChannel.Add(usage))
		if !check.Safe {
			update = append(update, answerChannel.Set(rejection(check)))
		}
		return update, nil
	}
}

func rejection(check state.Injection) string {
	return "The question was not researched: it reads as an attempt to change how this agent works (" +
		check.Category + "). " + check.Reason +
		" Ask for the information itself; questions about crime, violence or drugs are answered as research."
}
