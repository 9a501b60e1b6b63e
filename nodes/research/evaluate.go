package research

import (
	"context"
	"fmt"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/memory/answer"
	"example.com/assay/state"
)

// evaluate judges the step that was just executed, adds it to the accumulated context, and decides
// what comes next. If no step is pending, it writes the answer again from all completed steps, so
// the answer always matches the table.
func evaluate(threshold float64) graph.Node[state.Agent] {
	return func(_ context.Context, s state.Agent) (graph.Update[state.Agent], error) {
		update := graph.Update[state.Agent]{iterationsChannel.Add(1)}
		if step, ok := s.Executed(); ok {
			verdict := judge(step, threshold, relevanceOf(s, step).Confidence)
			step = step.With(verdict)
			update = append(update, row(verdict), contextChannel.Add(finding(step)))
			s.Plan = withStep(s.Plan, step)
		}
		s.Iterations++
		decision := decide(s)
		update = append(update, decisionChannel.Set(decision))
		if decision != state.DecideExecute {
			answer := aggregate(s, threshold)
			update = append(update, researchChannel.Set(answer), answerChannel.Set(answer))
		}
		return update, nil
	}
}

// mostLifted is the threshold up to which a sentence that answers the question completes a step: it
// is stronger evidence than the words of the passages. A higher threshold must be met by the
// passages.
const mostLifted = 0.9

// judge completes a step that is confident, cites something and met no error.
func judge(step state.Step, threshold, relevance float64) state.Step {
	row := state.Step{ID: step.ID, Status: state.StepFailed}
	switch {
	case step.Error != "":
		row.Verdict = "the step was stopped by an error: " + step.Error
	case len(step.Hits) == 0:
		row.Verdict = "no passage was found, or only such as an earlier step had read"
	case len(step.Citations) == 0:
		row.Verdict = "no passage that was read answers this"
	case step.Confidence < threshold && (relevance < answer.Least || threshold > mostLifted):
		row.Verdict = fmt.Sprintf("confidence %.2f is below %.2f: the passages found are not about this question", step.Confidence, threshold)
	default:
		row.Status = state.StepCompleted
	}
	return row
}

func finding(step state.Step) state.Finding {
	answer := []rune(step.Answer)
	return state.Finding{
		StepID: step.ID, Question: step.Question, Answer: string(answer[:min(len(answer), contextRunes)]),
		Confidence: step.Confidence, Status: step.Status,
	}
}

func withStep(plan []state.Step, step state.Step) []state.Step {
	out := make([]state.Step, len(plan))
	for i, p := range plan {
		if p.ID == step.ID {
			p = step
		}
		out[i] = p
	}
	return out
}

// decide chooses the route after an evaluation.
func decide(s state.Agent) state.Decision {
	if _, ok := s.Pending(); ok {
		return state.DecideExecute
	}
	if s.QueryType == state.MultiHop && s.Count(state.StepCompleted) < enoughSteps && s.Iterations <= lastIteration && !stagnant(s.Plan) {
		return state.DecideReplan
	}
	return state.DecideComplete
}

// stagnant reports whether the last steps all failed far from the threshold: the corpus does not
// contain the answer.
func stagnant(plan []state.Step) bool {
	if len(plan) < stagnationAfter {
		return false
	}
	for _, step := range plan[len(plan)-stagnationAfter:] {
		if step.Status != state.StepFailed || step.Confidence >= stagnationBelow {
			return false
		}
	}
	return true
}

// aggregate joins the completed steps into one answer, each under its own heading and with its
// citations scoped to it, and a list of the cited sources. Without a completed step it says what
// was tried.
func aggregate(s state.Agent, threshold float64) string {
	if s.Count(state.StepCompleted) == 0 {
		return nothingFound(s)
	}
	var b strings.Builder
	for _, step := range s.Plan {
		if step.Status == state.StepCompleted {
			if len(s.Plan) > 1 { // one step is the question itself
				fmt.Fprintf(&b, "### Step %d: %s\n\n", step.ID, step.Phase)
			}
			fmt.Fprintf(&b, "%s\n\n", scope(demote(step.Answer), step.ID))
		}
	}
	return b.String() + sourcesOf(s.Plan)
}

// sourcesHeading begins an answer's list of sources.
const sourcesHeading = "## Sources\n\n"

// sourcesOf returns the list of the steps' sources.
func sourcesOf(plan []state.Step) string {
	var b strings.Builder
	for _, step := range plan {
		if !citable(step) {
			continue
		}
		for _, c := range step.Citations {
			p := step.Hits[c.N-1].Passage
			fmt.Fprintf(&b, "- [Query %d][Source %d] %s (%s, bytes %d–%d)\n", step.ID, c.N, p.Where(), p.Source, p.Start, p.End)
		}
	}
	return sourcesHeading + strings.TrimRight(b.String(), "\n")
}

// body returns an answer without its list of sources.
func body(answer string) string {
	if at := strings.LastIndex(answer, sourcesHeading); at >= 0 {
		answer = answer[:at]
	}
	return strings.TrimRight(answer, "\n")
}

// WithoutSources returns an answer without its list of sources, for surfaces that show the sources
// in full. It keeps a choice after the list.
func WithoutSources(answer string) string {
	at := strings.LastIndex(answer, "\n"+strings.TrimRight(sourcesHeading, "\n")+"\n")
	if at < 0 {
		return answer
	}
	if choice := strings.Index(answer[at:], choiceRule); choice >= 0 {
		return answer[:at] + answer[at+choice:]
	}
	return answer[:at]
}

// demote makes the headings of a step's answer subheadings of the step.
func demote(answer string) string {
	lines := strings.Split(answer, "\n")
	for i, line := range lines {
		level := len(line) - len(strings.TrimLeft(line, "#"))
		if level > 0 && level < 6 && strings.HasPrefix(line[level:], " ") {
			lines[i] = strings.Repeat("#", max(4, min(level+1, 6))) + line[level:]
		}
	}
	return strings.Join(lines, "\n")
}

// nothingFound says that the documents do not answer the question, or that this is not
// known because a search could not be run.
func nothingFound(s state.Agent) string {
	for _, step := range s.Plan {
		if step.Error != "" {
			return "There is no answer: a step of the research could not be run."
		}
	}
	return "Your documents do not answer this."
}
