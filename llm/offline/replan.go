package offline

import (
	"fmt"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/skills"
)

// Replanning compares words: what the objective names and no finding's answer
// mentions is still open. It never returns a question whose key was asked
// (stems without stop words, sorted, so order and filler do not count), each
// candidate is made of the objective's own words, and a run of maxFindings is
// complete whatever is open: it terminates always.

const (
	// openShare is the share of the objective's content terms that must be
	// uncovered for another step.
	openShare   = .35
	maxFindings = 8
)

func replan(in skills.ReplanInput) (skills.ReplanOutput, error) {
	objective := oneLine(in.Objective)
	complete := func(format string, args ...any) (skills.ReplanOutput, error) {
		return skills.ReplanOutput{Action: "complete", Reason: fmt.Sprintf(format, args...)}, nil
	}
	if objective == "" {
		return complete("The objective is blank; nothing is open.")
	}
	if len(in.Findings) >= maxFindings {
		return complete("%d steps were taken, which is the most.", len(in.Findings))
	}
	l := newLexer()
	asked := map[string]bool{normalKey(objective): true, "": true}
	for _, q := range in.Asked {
		asked[normalKey(q)] = true
	}
	for _, f := range in.Findings {
		asked[normalKey(f.Question)] = true
	}
	if n := len(in.Findings); n > 0 && failed(in.Findings[n-1]) && !(n > 1 && failed(in.Findings[n-2])) {
		for _, q := range otherWordings(l, in.Findings[n-1].Question, objective) {
			if !asked[normalKey(q)] {
				return skills.ReplanOutput{
					Action: "retry", Phase: title("Retry: " + topic(l, in.Findings[n-1].Question)), Question: q,
					Reason: fmt.Sprintf("Step %d found nothing; the question is put in other words.", in.Findings[n-1].StepID),
				}, nil
			}
		}
	}
	open, total := uncovered(l, objective, in.Findings)
	if total == 0 || float64(len(open)) <= openShare*float64(total) {
		return complete("The findings mention %d of the objective's %d terms.", total-len(open), total)
	}
	for _, q := range openQuestions(l, objective, open) {
		if !asked[normalKey(q)] {
			return skills.ReplanOutput{
				Action: "next_step", Phase: title("Open: " + strings.Join(rawWords(open), " ")), Question: q,
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

// uncovered returns the objective's content words whose stems no answer
// holds, and how many content words there are. Of told facts only the
// glossary's terms count: no treatise knows the rest of the story.
func uncovered(l *lexer, objective string, findings []skills.Finding) (open []word, total int) {
	covered := map[string]bool{}
	for _, f := range findings {
		if failed(f) {
			continue
		}
		answer, _, _ := strings.Cut(f.Answer, sourcesHeading)
		for _, t := range l.terms(answer, nil) {
			covered[t] = true
		}
	}
	facts, asks := parts(objective)
	words := subjectWords(l, asks)
	told := l.words(facts)
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

// openQuestions words what is open, the most specific first.
func openQuestions(l *lexer, objective string, open []word) []string {
	openStems := map[string]bool{}
	for _, w := range open {
		openStems[w.Stem] = true
	}
	var questions []string
	for _, name := range terminology().concepts(l.words(objective)) {
		if slices.ContainsFunc(l.terms(name, text.QueryStops), func(t string) bool { return openStems[t] }) {
			questions = append(questions, ruleQuestion(name))
		}
	}
	list := head(rawWords(open), 12)
	names := terminology().concepts(l.words(objective))
	about := strings.Join(list, " ")
	if len(names) > 0 {
		questions = append(questions, asQuestion("How does the rule on "+names[0]+" treat "+about))
	}
	return append(questions, asQuestion("What is the rule on "+about))
}

// otherWordings puts a failed question in other words: glossary synonyms,
// then its concepts alone, then without names and numbers.
func otherWordings(l *lexer, question, objective string) []string {
	_, question = parts(question)
	words := subjectWords(l, question)
	var wordings []string
	if list := synonyms(l, question, words); len(list) > 0 {
		wordings = append(wordings, asQuestion("What is the rule on "+strings.Join(head(list, 14), " ")))
	}
	names := terminology().concepts(l.words(question))
	if len(names) == 0 {
		names = terminology().concepts(l.words(objective))
	}
	if len(names) > 0 {
		wordings = append(wordings, ruleQuestion(strings.Join(names, " and ")))
	}
	plain := slices.DeleteFunc(slices.Clone(words), func(w word) bool {
		return hasDigit(w.Raw) || capitalised(w.Raw) && !startsClause(question, w.Start)
	})
	if len(plain) > 0 {
		wordings = append(wordings, asQuestion("What is the rule on "+strings.Join(rawWords(plain), " ")))
	}
	return wordings
}

// normalKey is equal for two questions that differ only in word order,
// inflection, filler and punctuation.
func normalKey(question string) string {
	terms := stemsOf(searchWords(newLexer(), question))
	slices.Sort(terms)
	return strings.Join(terms, " ")
}
