package research

import (
	"context"
	"fmt"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// rewrite turns the pending step's question into a primary query and two alternatives; the
// question itself is also a query. After a hint of memory, the queries that found the
// evidence of the earlier question add candidates, without scoring them. If the model's
// answer cannot be parsed, the question is the only query, which loses nothing that was
// asked. A model that does not answer ends the step. No query is longer than
// mostQueryWords.
func rewrite(m llm.Model, skill skills.Skill) graph.Node[state.Agent] {
	return func(ctx context.Context, s state.Agent) (graph.Update[state.Agent], error) {
		step, ok := s.Pending()
		if !ok {
			return nil, nil
		}
		stem, _ := splitChoices(s.Objective)
		out, usage, err := llm.Ask[skills.RewriteOutput](ctx, m, skill, skills.RewriteInput{Objective: stem, Question: step.Question})
		if err != nil && !llm.Misread(err) {
			return endStep(ctx, step, usage, err)
		}
		filled := state.Step{ID: step.ID, Queries: queries(out, step.Question, s.Memory.Queries)}
		return graph.Update[state.Agent]{row(filled), usageChannel.Add(usage)}, nil
	}
}

// mostQueryWords bounds a model's query: each further word makes the others count less. The
// question itself is never shortened.
const mostQueryWords = 30

// queries lists the usable queries, primary first, hints last, each once.
func queries(out skills.RewriteOutput, question string, hints []string) []string {
	var list []string
	seen := map[string]bool{}
	add := func(q string) {
		words := strings.Fields(q)
		q = strings.Join(words[:min(len(words), mostQueryWords)], " ")
		if key := strings.ToLower(q); q != "" && !seen[key] {
			seen[key] = true
			list = append(list, q)
		}
	}
	add(out.Primary)
	for _, q := range out.Alternatives {
		add(q)
	}
	// A model's query may have lost a decisive word.
	if key := strings.ToLower(question); !seen[key] {
		seen[key] = true
		list = append(list, question)
	}
	for _, q := range hints {
		add(q)
	}
	return list
}

// endStep ends a step after an error; the results of other steps still count. Cancellation
// and a spent budget stop the run instead.
func endStep(ctx context.Context, step state.Step, usage state.ModelUsage, err error) (graph.Update[state.Agent], error) {
	if err := llm.Stops(ctx, err); err != nil {
		return nil, err
	}
	return graph.Update[state.Agent]{
		row(state.Step{ID: step.ID, Status: state.StepExecuted, Error: err.Error()}),
		usageChannel.Add(usage),
		lossesChannel.Add(state.LossOf(answerTo(step), err)),
	}, nil
}

// answerTo returns the name of a step's answer, for a loss.
func answerTo(step state.Step) string {
	return fmt.Sprintf("the answer to step %d, %q,", step.ID, step.Question)
}

// row writes one row of the planning table.
func row(step state.Step) graph.Write[state.Agent] { return planChannel.Add([]state.Step{step}) }
