package research

import (
	"context"
	"errors"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// synthesizeStep writes the pending step's answer from the passages it read. It resolves
// the citations: an unknown number is marked and counted as a parse failure, and a quote
// is located byte for byte in the cited passage. A model that does not answer, or neither
// cites a passage nor says that none answers, ends the step. Without passages no model is
// called.
func synthesizeStep(m llm.Model, skill skills.Skill) graph.Node[state.Agent] {
	return synthesize(func(ctx context.Context, s state.Agent, step state.Step) (written, error) {
		text, _, err := llm.AskText(ctx, m, skill, synthesizeInput(s, step, step.Hits))
		return written{text: text, hits: step.Hits}, err
	})
}

// noAnswer is the text that a model must write if no passage answers.
const noAnswer = "No passage answers this question."

// mostShown is how much of an unusable answer an error keeps, in bytes.
const mostShown = 500

// declines reports whether an answer says that no passage answers.
func declines(text string) bool {
	return strings.Contains(strings.Join(strings.Fields(text), " "), noAnswer)
}

// written is an answer as a model wrote it.
type written struct {
	text     string
	hits     []state.Hit // the hits that it may cite: [Source N] is hits[N-1]
	warnings []string
}

// synthesize is synthesizeStep with a function that writes the answer.
func synthesize(write func(context.Context, state.Agent, state.Step) (written, error)) graph.Node[state.Agent] {
	return func(ctx context.Context, s state.Agent) (graph.Update[state.Agent], error) {
		step, ok := s.Pending()
		if !ok {
			return nil, nil
		}
		if len(step.Hits) == 0 {
			return graph.Update[state.Agent]{row(state.Step{ID: step.ID, Status: state.StepExecuted})}, nil
		}
		metered, asked := llm.Open(ctx)
		answer, err := write(metered, s, step)
		usage := asked.Close().ModelUsage
		cited := cite(answer.text, answer.hits)
		if err == nil && len(cited.citations) == 0 && !declines(cited.text) {
			err = &llm.ParseError{Skill: skills.SynthesizeAndCite, Text: llm.Cut(answer.text, mostShown), Err: errors.New("it cites no passage, and does not say that none answers")}
		}
		if err != nil {
			usage.ParseFailures += cited.unknown
			return endStep(ctx, step, usage, err)
		}
		usage.ParseFailures += cited.unknown
		filled := state.Step{ID: step.ID, Status: state.StepExecuted, Answer: cited.text, Citations: cited.citations}
		if len(answer.hits) > len(step.Hits) {
			filled.Hits = answer.hits
		}
		update := graph.Update[state.Agent]{row(filled), usageChannel.Add(usage)}
		for _, warning := range answer.warnings {
			update = append(update, warningsChannel.Add(warning))
		}
		return update, nil
	}
}

func synthesizeInput(s state.Agent, step state.Step, hits []state.Hit) skills.SynthesizeInput {
	stem, _ := splitChoices(s.Objective)
	return skills.SynthesizeInput{Objective: stem, Question: respelt(step.Question, step), Sources: sources(hits, 1), Confidence: step.Confidence}
}

// sources numbers hits for a prompt, from first on.
func sources(hits []state.Hit, first int) []skills.Source {
	list := make([]skills.Source, len(hits))
	for i, h := range hits {
		list[i] = skills.Source{N: first + i, Title: h.Passage.Title, Section: h.Passage.Section, Text: h.Passage.Text,
			Doc: h.Passage.Doc, Date: h.Passage.ValidFrom(), Blocks: h.Passage.Blocks, Near: h.Near, Read: h.Read}
	}
	return list
}
