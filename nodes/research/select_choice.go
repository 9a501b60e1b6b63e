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

// SelectChoice picks an option of a multiple-choice question by what research
// found, also when the research came from memory. Without options, or without
// an answer, it does nothing and asks nobody. A selection that cannot be
// parsed, or that names no option, is an abstention.
func SelectChoice(m llm.Model, skill skills.Skill) graph.Node[state.Agent] {
	return func(ctx context.Context, s state.Agent) (graph.Update[state.Agent], error) {
		stem, choices := SplitChoices(s.Objective)
		if len(choices) == 0 || s.Count(state.StepCompleted) == 0 {
			return nil, nil
		}
		cited := Cited(s)
		out, usage, err := llm.Ask[skills.SelectOutput](ctx, m, skill, skills.SelectInput{
			Question: stem, Choices: choices, Research: s.Research, Sources: numbered(cited),
		})
		if err != nil && !llm.Misread(err) {
			return nil, err
		}
		pick := selection(out, choices, cited)
		return graph.Update[state.Agent]{
			state.AgentChoice.Set(pick.Selection),
			state.AgentAnswer.Set(s.Research + "\n\n---\n\n" + pick.block()),
			state.AgentUsage.Add(usage),
		}, nil
	}
}

// CitedSource is a citation with the step that made it.
type CitedSource struct {
	Step int
	Hit  state.Hit
	state.Citation
}

// Cited lists what the completed steps, and what verification read, cite, in the order of the answer. Its
// positions, counted from 1, are the numbers of an answer's source list.
func Cited(s state.Agent) []CitedSource {
	var out []CitedSource
	for _, step := range s.Plan {
		if !citable(step) {
			continue
		}
		for _, c := range step.Citations {
			out = append(out, CitedSource{step.ID, step.Hits[c.N-1], c})
		}
	}
	return out
}

func numbered(cited []CitedSource) []skills.Source {
	hits := make([]state.Hit, len(cited))
	for i, c := range cited {
		hits[i] = c.Hit
	}
	return sources(hits, 1)
}

// choiceBlock is what a selection says, made for the end of an answer.
type choiceBlock struct{ state.Selection }

func selection(out skills.SelectOutput, choices []skills.Choice, cited []CitedSource) choiceBlock {
	pick := choiceBlock{state.Selection{Reason: rescope(out.Reason, cited)}}
	for _, e := range out.Elements {
		pick.Elements = append(pick.Elements, rescope(e, cited))
	}
	for i, c := range choices {
		reason := state.OptionReason{Letter: c.Letter, Reason: "no reason was given"}
		for _, r := range out.Choices {
			if strings.EqualFold(strings.TrimSpace(r.Letter), c.Letter) {
				reason.Eliminated, reason.Reason = r.Eliminated, rescope(r.Reason, cited)
			}
		}
		pick.Options = append(pick.Options, reason)
		if strings.EqualFold(strings.Trim(out.Answer, " ()."), c.Letter) {
			pick.Letter = choices[i].Letter
		}
	}
	return pick
}

// rescope turns the numbers of the prompt's source list into those of the
// answer: the step and its own source.
func rescope(text string, cited []CitedSource) string {
	return sourceMark.ReplaceAllStringFunc(strings.Join(strings.Fields(text), " "), func(mark string) string {
		var b strings.Builder
		for _, digits := range number.FindAllString(mark, -1) {
			n := 0
			if _, err := fmt.Sscan(digits, &n); err != nil || n < 1 || n > len(cited) {
				fmt.Fprintf(&b, "[no source %s]", digits)
				continue
			}
			fmt.Fprintf(&b, "[Query %d][Source %d]", cited[n-1].Step, cited[n-1].N)
		}
		return b.String()
	})
}

func (c choiceBlock) block() string {
	var b strings.Builder
	if c.Letter == "" {
		b.WriteString("**Answer: none** – the evidence does not single out one choice.")
	} else {
		fmt.Fprintf(&b, "**Answer: (%s)**", c.Letter)
	}
	if c.Reason != "" {
		fmt.Fprintf(&b, "\n\n%s", c.Reason)
	}
	if len(c.Elements) > 0 {
		b.WriteString("\n\nElements of the rule:\n")
		for _, e := range c.Elements {
			fmt.Fprintf(&b, "\n- %s", e)
		}
	}
	b.WriteString("\n")
	for _, o := range c.Options {
		verdict := "kept"
		switch {
		case o.Letter == c.Letter:
			verdict = "selected"
		case o.Eliminated:
			verdict = "eliminated"
		}
		fmt.Fprintf(&b, "\n- (%s) %s: %s", o.Letter, verdict, o.Reason)
	}
	return b.String()
}
