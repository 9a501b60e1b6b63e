package offline

import (
	"fmt"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/skills"
)

// Replanning continues the plan, which is a function of the objective: the first planned question
// that was not asked is next. After the last one, a failed step is reworded once, and a concept of
// the objective that no answer mentions is asked for. It never returns a question whose key was
// asked (stems without stop words, sorted, so order and filler do not count), each candidate
// consists of spans of the objective, and a run of maxFindings is complete regardless of open
// questions: it always terminates.

const (
	// openShare is the share of the objective's content terms that must be uncovered for another
	// step.
	openShare   = .35
	maxFindings = 8
	// enoughFindings is the number of findings from which failed steps are not reworded.
	enoughFindings = 2
)

func replan(in skills.ReplanInput) (skills.ReplanOutput, error) {
	objective := text.OneLine(in.Objective)
	complete := func(format string, args ...any) (skills.ReplanOutput, error) {
		return skills.ReplanOutput{Action: "complete", Reason: fmt.Sprintf(format, args...)}, nil
	}
	if objective == "" {
		return complete("The objective is blank; nothing is open.")
	}
	n := len(in.Findings)
	if n >= maxFindings {
		return complete("%d steps were taken, which is the most.", n)
	}
	asked := map[string]bool{"": true}
	for _, q := range in.Asked {
		asked[normalKey(q)] = true
	}
	for _, f := range in.Findings {
		asked[normalKey(f.Question)] = true
	}
	for i, step := range decompose(objective) {
		if i > 0 && !asked[normalKey(step.Question)] {
			return skills.ReplanOutput{
				Action: "next_step", Phase: step.Phase, Question: step.Question,
				Reason: fmt.Sprintf("Step %d of the plan was not asked.", i+1),
			}, nil
		}
	}
	asked[normalKey(objective)] = true
	found := 0
	for _, f := range in.Findings {
		if !failed(f) {
			found++
		}
	}
	if n > 0 && failed(in.Findings[n-1]) && found < enoughFindings {
		last := in.Findings[n-1]
		for _, q := range otherWordings(last.Question, objective) {
			if !asked[normalKey(q)] {
				return skills.ReplanOutput{
					Action: "retry", Phase: "In other words", Question: q,
					Reason: fmt.Sprintf("Step %d found nothing; the question is put in other words.", last.StepID),
				}, nil
			}
		}
	}
	open, total := uncovered(objective, in.Findings)
	if found == 0 {
		return complete("No step found anything; there is no other way to ask that keeps to the question.")
	}
	if total == 0 || float64(len(open)) <= openShare*float64(total) {
		return complete("The findings mention %d of the objective's %d terms.", total-len(open), total)
	}
	openStems := setOf(stemsOf(open))
	for _, name := range terminology().concepts(wordsOf(objective)) {
		q := ruleQuestion(name)
		if !asked[normalKey(q)] && slices.ContainsFunc(text.Terms(name, text.QueryStops), func(t string) bool { return openStems[t] }) {
			return skills.ReplanOutput{
				Action: "next_step", Phase: title("Rule on " + name), Question: q,
				Reason: fmt.Sprintf("No finding mentions %s.", strings.Join(head(rawWords(open), 8), ", ")),
			}, nil
		}
	}
	return complete("%d of %d terms are open, but everything to ask about them was asked.", len(open), total)
}

// failed reports whether a finding brought nothing.
func failed(f skills.Finding) bool {
	answer := strings.TrimSpace(f.Answer)
	return f.Status == "failed" || answer == "" || answer == noAnswer
}

// uncovered returns the objective's content words whose stems are in no answer, and the number of
// content words. Of told facts only the glossary's terms count: no treatise contains the rest of
// the story.
func uncovered(objective string, findings []skills.Finding) (open []word, total int) {
	covered := map[string]bool{}
	for _, f := range findings {
		if failed(f) {
			continue
		}
		answer, _, _ := strings.Cut(f.Answer, sourcesHeading)
		for _, t := range text.Terms(answer, nil) {
			covered[t] = true
		}
	}
	facts, asks := parts(objective)
	words := subjectWords(asks)
	told := wordsOf(facts)
	for _, m := range terminology().mentions(told) {
		if !m.everyday(told) {
			words = append(words, told[m.from:m.to]...)
		}
	}
	words = uniqueWords(words)
	for _, w := range words {
		if !covered[w.Stem] {
			open = append(open, w)
		}
	}
	return open, len(words)
}

// otherWordings rewords a failed question: by the concepts and the clauses of the story that it was
// asked with, and by its own concept, also under its other name. Its topic alone would find
// passages on other questions.
func otherWordings(question, objective string) []string {
	var wordings []string
	facts, _ := parts(objective)
	for _, name := range terminology().concepts(wordsOf(facts)) {
		wordings = append(wordings, ruleQuestion(name))
	}
	for _, clause := range slices.Backward(storyClauses(facts)) {
		wordings = append(wordings, whenQuestion(clause))
	}
	words := wordsOf(question)
	for _, m := range terminology().mentions(words) {
		if !m.family.concept || m.everyday(words) {
			continue
		}
		name := m.spelled(words)
		for i, term := range m.family.terms {
			if i != m.term {
				wordings = append(wordings, ruleQuestion(name), rulePrefix+name+", also known as "+term+"?")
				break
			}
		}
		break
	}
	if facts != "" {
		return wordings
	}
	return slices.DeleteFunc(wordings, func(w string) bool { return !keepsTopic(w, question) })
}

// keepsTopic reports whether another wording of a question has at least half of its topic. Without
// the specific words it would find something other than the requested fact.
func keepsTopic(wording, question string) bool {
	has := setOf(text.Terms(wording, nil))
	topic := stemsOf(topicWords(question))
	kept := 0
	for _, t := range topic {
		if has[t] {
			kept++
		}
	}
	return 2*kept >= len(topic)
}

// normalKey is equal for two questions that differ only in word order,
// inflection, filler and punctuation.
func normalKey(question string) string {
	terms := stemsOf(searchWords(question))
	slices.Sort(terms)
	return strings.Join(terms, " ")
}
