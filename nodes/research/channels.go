package research

import (
	"slices"

	"example.com/assay/graph"
	"example.com/assay/state"
)

// Channels of state.Agent.
var (
	objectiveChannel   = graph.LastValue("objective", func(s *state.Agent) *string { return &s.Objective })
	askedChannel       = graph.LastValue("asked", func(s *state.Agent) *string { return &s.Asked })
	earlierChannel     = graph.LastValue("earlier", func(s *state.Agent) *[]state.Exchange { return &s.Earlier })
	asOfChannel        = graph.LastValue("as_of", func(s *state.Agent) *string { return &s.AsOf })
	queryTypeChannel   = graph.LastValue("query_type", func(s *state.Agent) *state.QueryType { return &s.QueryType })
	planChannel        = graph.Reduce("plan", func(s *state.Agent) *[]state.Step { return &s.Plan }, mergeSteps)
	contextChannel     = graph.Append("context", func(s *state.Agent) *[]state.Finding { return &s.Context })
	iterationsChannel  = graph.Reduce("iterations", func(s *state.Agent) *int { return &s.Iterations }, sum)
	decisionChannel    = graph.LastValue("decision", func(s *state.Agent) *state.Decision { return &s.Decision })
	answerChannel      = graph.LastValue("answer", func(s *state.Agent) *string { return &s.Answer })
	researchChannel    = graph.LastValue("research", func(s *state.Agent) *string { return &s.Research })
	injectionChannel   = graph.LastValue("injection", func(s *state.Agent) *state.Injection { return &s.Injection })
	memoryChannel      = graph.LastValue("memory", func(s *state.Agent) *state.MemoryHit { return &s.Memory })
	choiceChannel      = graph.LastValue("choice", func(s *state.Agent) *state.Selection { return &s.Choice })
	checkChannel       = graph.LastValue("check", func(s *state.Agent) **state.ClaimCheck { return &s.Check })
	wholeChannel       = graph.LastValue("whole", func(s *state.Agent) *state.Wholeness { return &s.Whole })
	choiceCheckChannel = graph.LastValue("choice_check", func(s *state.Agent) *state.ChoiceCheck { return &s.ChoiceCheck })
	lossesChannel      = graph.Append("losses", func(s *state.Agent) *[]state.Loss { return &s.Losses })
	stoppedChannel     = graph.LastValue("stopped", func(s *state.Agent) *string { return &s.Stopped })
	correctionChannel  = graph.LastValue("correction", func(s *state.Agent) *state.Correction { return &s.Correction })
	storedChannel      = graph.LastValue("stored", func(s *state.Agent) *bool { return &s.Stored })
	warningsChannel    = graph.Append("warnings", func(s *state.Agent) *[]string { return &s.Warnings })
	usageChannel       = graph.Reduce("usage", func(s *state.Agent) *state.ModelUsage { return &s.Usage }, state.ModelUsage.Plus)
	metricsChannel     = graph.LastValue("metrics", func(s *state.Agent) *state.Metrics { return &s.Metrics })
)

// channels returns every channel of state.Agent, for NewStateGraph.
func channels() []graph.Channel[state.Agent] {
	return []graph.Channel[state.Agent]{
		objectiveChannel, askedChannel, earlierChannel, asOfChannel, queryTypeChannel, planChannel, contextChannel, iterationsChannel, decisionChannel, answerChannel,
		researchChannel, injectionChannel, memoryChannel, choiceChannel, checkChannel, choiceCheckChannel, wholeChannel, lossesChannel, stoppedChannel, correctionChannel, storedChannel, warningsChannel, usageChannel, metricsChannel,
	}
}

// nextQuestion resets what a thread holds of the previous question, except what the next question's
// update sets itself.
func nextQuestion() graph.Update[state.Agent] {
	return graph.Update[state.Agent]{
		askedChannel.Overwrite(""), queryTypeChannel.Overwrite(""), planChannel.Overwrite(nil), contextChannel.Overwrite(nil), iterationsChannel.Overwrite(0),
		decisionChannel.Overwrite(""), answerChannel.Overwrite(""), researchChannel.Overwrite(""), injectionChannel.Overwrite(state.Injection{}),
		memoryChannel.Overwrite(state.MemoryHit{}), choiceChannel.Overwrite(state.Selection{}), checkChannel.Overwrite(nil), choiceCheckChannel.Overwrite(state.ChoiceCheck{}),
		wholeChannel.Overwrite(state.Wholeness{}), lossesChannel.Overwrite(nil), stoppedChannel.Overwrite(""), correctionChannel.Overwrite(state.Correction{}),
		storedChannel.Overwrite(false), warningsChannel.Overwrite(nil), usageChannel.Overwrite(state.ModelUsage{}), metricsChannel.Overwrite(state.Metrics{}),
	}
}

func sum(cur, upd int) int { return cur + upd }

// mergeSteps writes the columns of upd into the rows of cur, and appends new rows.
func mergeSteps(cur, upd []state.Step) []state.Step {
	out := slices.Clone(cur)
	for _, step := range upd {
		if i := slices.IndexFunc(out, func(s state.Step) bool { return s.ID == step.ID }); i >= 0 {
			out[i] = out[i].With(step)
			continue
		}
		out = append(out, step)
	}
	return out
}
