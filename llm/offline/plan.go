package offline

import (
	"regexp"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/skills"
)

// Plans are templates over the question's own words, tried in order: a
// comparison gets a step per side; several questions one step each; a
// relative clause is looked up before the main question; else the rule comes
// first, then its exceptions, then the question itself. (Question
// decomposition by templates: cf. Min et al., DecompRC, 2019, whose span
// types comparison, intersection and bridging these are.)

// maxSteps bounds a plan.
const maxSteps = 5

// maxQuestion bounds the length of one planned question, in bytes.
const maxQuestion = 2000

var (
	compareForms = []*regexp.Regexp{
		regexp.MustCompile(`(?i)\b(?:compare|contrast|distinguish)\s+(?:and contrast\s+)?(.+?)\s+(?:and|with|to|from|against|versus|vs\.?)\s+(.+?)\s*(?:[?.;]|$)`),
		regexp.MustCompile(`(?i)\b(?:differences?|distinction|relationship|similarit(?:y|ies))\s+between\s+(.+?)\s+and\s+(.+?)\s*(?:[?.;]|$)`),
		regexp.MustCompile(`(?i)\bhow\s+(?:do|does|is|are)\s+(.+?)\s+(?:differ|different|distinguished)\s+from\s+(.+?)\s*(?:[?.;]|$)`),
		regexp.MustCompile(`(?i)^(?:what is\s+)?(.+?)\s+(?:versus|vs\.)\s+(.+?)\s*(?:[?.;]|$)`),
	}
	relative   = regexp.MustCompile(`(?i)\b(?:the|a|an)\s+((?:[\w-]+\s+){0,2}[\w-]+)\s+(that|who|which)\s+([^,?;]+?)\s*(?:[,?;]|$)`)
	coordinate = regexp.MustCompile(`(?i)(?:,|;)\s+(?:and\s+|or\s+|but\s+)?(?:(?:if so|if not|in that case),?\s+)?((?:what|when|where|who|whom|which|why|how|is|are|was|were|do|does|did|can|could|may|must|should|will|would)\s)|\s+and\s+((?:what|when|where|who|whom|which|why|how)\s)`)
)

func plan(in skills.PlanInput) (skills.PlanOutput, error) {
	question := oneLine(in.Question)
	if question == "" {
		return skills.PlanOutput{}, errBlank
	}
	steps := []skills.PlanStep{{Phase: "The question", Question: question}}
	if in.QueryType != "simple" {
		steps = decompose(question)
	}
	var out skills.PlanOutput
	seen := map[string]bool{}
	for _, s := range steps {
		key := normalKey(s.Question)
		if seen[key] && len(out.Steps) > 0 || len(out.Steps) == maxSteps {
			continue
		}
		seen[key] = true
		s.StepID = len(out.Steps) + 1
		s.Question = clip(s.Question, maxQuestion)
		out.Steps = append(out.Steps, s)
	}
	return out, nil
}

func decompose(question string) []skills.PlanStep {
	facts, asks := parts(question)
	if facts == "" {
		if a, b, ok := comparison(asks); ok {
			return []skills.PlanStep{
				{Phase: title("Rule on " + a), Question: ruleQuestion(a)},
				{Phase: title("Rule on " + b), Question: ruleQuestion(b)},
				{Phase: "Comparison", Question: question},
			}
		}
		if list := clauses(asks); len(list) > 1 {
			steps := make([]skills.PlanStep, len(list))
			for i, c := range list {
				steps[i] = skills.PlanStep{Phase: title(c), Question: c}
			}
			return steps
		}
		if bridge, ok := bridgeQuestion(asks); ok {
			return []skills.PlanStep{
				{Phase: title(bridge), Question: bridge},
				{Phase: "Main question", Question: question},
			}
		}
	}
	return ruleSteps(question, facts)
}

// ruleQuestion is how plans and replans ask for a rule.
func ruleQuestion(name string) string {
	return "What is the rule on " + name + ", and what are its elements?"
}

// ruleSteps asks for the rule on each concept that the question names, then
// for exceptions, then the question itself.
func ruleSteps(question, facts string) []skills.PlanStep {
	l := newLexer()
	names := terminology().concepts(l.words(question))
	if len(names) > maxSteps-2 {
		names = names[:maxSteps-2]
	}
	if len(names) == 0 {
		names = []string{topic(l, question)}
	}
	var steps []skills.PlanStep
	for _, name := range names {
		steps = append(steps, skills.PlanStep{
			Phase:    title("Rule on " + name),
			Question: ruleQuestion(name),
		})
	}
	steps = append(steps, skills.PlanStep{
		Phase:    "Exceptions and defenses",
		Question: "What exceptions, defenses or limits apply to " + strings.Join(names, " and ") + "?",
	})
	phase := "The question"
	if facts != "" {
		phase = "Application to the facts"
	}
	return append(steps, skills.PlanStep{Phase: phase, Question: question})
}

// topic is the content of the question's asking sentence, at most eight
// words, for questions that name no concept.
func topic(l *lexer, question string) string {
	_, asks := parts(question)
	words := subjectWords(l, asks)
	if len(words) == 0 {
		return strings.TrimRight(clip(asks, 80), "?")
	}
	var list []string
	for _, w := range words[:min(len(words), 8)] {
		list = append(list, w.Raw)
	}
	return strings.Join(list, " ")
}

// comparison returns the two sides of a question that compares.
func comparison(question string) (a, b string, ok bool) {
	for _, re := range compareForms {
		if m := re.FindStringSubmatch(question); m != nil {
			a, b = side(m[1]), side(m[2])
			return a, b, a != "" && b != "" && len(a) < 120 && len(b) < 120
		}
	}
	return "", "", false
}

// side strips what does not belong to a side of a comparison.
func side(s string) string {
	s = strings.TrimSpace(s)
	for _, lead := range []string{"the rules on ", "the rule on ", "the law of ", "the elements of ", "what is ", "between "} {
		if len(s) > len(lead) && strings.EqualFold(s[:len(lead)], lead) {
			s = s[len(lead):]
		}
	}
	return strings.Trim(s, " ,.?")
}

// bridgeQuestion turns "the N that VP" into a question of its own.
func bridgeQuestion(question string) (string, bool) {
	m := relative.FindStringSubmatch(question)
	if m == nil || len(strings.Fields(m[3])) < 2 {
		return "", false
	}
	noun, verb := m[1], m[3]
	if strings.EqualFold(m[2], "who") {
		return asQuestion("Which " + noun + " " + verb), true
	}
	return asQuestion("What " + noun + " " + verb), true
}

// clauses splits "What is X, and when does Y apply?" into its questions, each
// made self-contained. A question that is not coordinated comes back alone.
func clauses(question string) []string {
	question = oneLine(question)
	first, _, _ := strings.Cut(strings.ToLower(question), " ")
	if !whWords[first] && !auxWords[first] {
		return []string{question}
	}
	var list []string
	start := 0
	for _, m := range coordinate.FindAllStringSubmatchIndex(question, -1) {
		at := m[2]
		if at < 0 {
			at = m[4]
		}
		if len(strings.Fields(question[start:m[0]])) >= 3 && len(strings.Fields(question[at:])) >= 3 {
			list = append(list, question[start:m[0]])
			start = at
		}
	}
	list = append(list, question[start:])
	subject := subjectOf(list[0])
	for i := range list {
		if i > 0 {
			list[i] = selfContained(list[i], subject)
		}
		list[i] = asQuestion(list[i])
	}
	return list
}

var (
	subjectForm = regexp.MustCompile(`(?i)^(?:what|who)\s+(?:is|are|was|were)\s+(?:the\s+)?(?:(?:elements?|requirements?|rules?|definitions?|meaning|purpose|scope)\s+(?:of|for|on)\s+)?(.+)$`)
	pronoun     = regexp.MustCompile(`(?i)\b(it|they|them)\b`)
)

// subjectOf is what a clause is about: the phrase after "what is", or the
// clause's content words.
func subjectOf(clause string) string {
	if m := subjectForm.FindStringSubmatch(strings.TrimRight(clause, "?. ")); m != nil && len(strings.Fields(m[1])) <= 8 {
		return m[1]
	}
	return topic(newLexer(), clause)
}

// selfContained puts the subject in the place of the clause's pronoun, or
// behind the clause when it shares no word with the subject.
func selfContained(clause, subject string) string {
	clause = strings.TrimRight(clause, "?. ")
	if m := pronoun.FindStringIndex(clause); m != nil {
		return clause[:m[0]] + subject + clause[m[1]:]
	}
	l := newLexer()
	has := setOf(l.terms(clause, nil))
	for _, t := range l.terms(subject, text.QueryStops) {
		if has[t] {
			return clause
		}
	}
	return clause + " (" + subject + ")"
}

// title is a phase's short title: at most six words.
func title(s string) string {
	words := strings.Fields(strings.TrimRight(s, "?"))
	return upperFirst(strings.Join(words[:min(len(words), 6)], " "))
}
