package offline

import (
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/skills"
)

// Plans are templates over the question's own words, tried in order: a comparison gets a step per
// side; several questions one step each; a story is asked about unchanged, then for the rules on
// its concepts. (Question decomposition by templates: cf. Min et al., DecompRC, 2019, whose span
// types comparison, intersection and bridging these are.)

// maxSteps bounds a plan.
const maxSteps = 5

// maxQuestion bounds the length of one planned question, in bytes.
const maxQuestion = 2000

var (
	compareForms = []*pattern.Pattern{
		pattern.New(`(?i)\b(?:compare|contrast|distinguish)\s+(?:and contrast\s+)?(.+?)\s+(?:and|with|to|from|against|versus|vs\.?)\s+(.+?)\s*(?:[?.;]|$)`),
		pattern.New(`(?i)^(?:(?:what|is|are|explain|describe|state|there|the|an?|any|main|key|chief|legal)\s+)*(?:differences?|distinction|relationship|similarit(?:y|ies))\s+between\s+(.+?)\s+and\s+(.+?)\s*(?:[?.;]|$)`),
		pattern.New(`(?i)\bhow\s+(?:do|does|is|are)\s+(.+?)\s+(?:differ|different|distinguished)\s+from\s+(.+?)\s*(?:[?.;]|$)`),
		pattern.New(`(?i)\bwhat\s+(?:distinguishes|separates|sets)\s+(.+?)\s+(?:apart\s+)?from\s+(.+?)\s*(?:[?.;]|$)`),
		pattern.New(`(?i)^(?:what is\s+)?(.+?)\s+(?:versus|vs\.)\s+(.+?)\s*(?:[?.;]|$)`),
	}
	coordinate = pattern.New(`(?i)(?:,|;)\s+(?:and\s+|or\s+|but\s+)?(?:(?:if so|if not|in that case),?\s+)?((?:what|when|where|who|whom|which|why|how|is|are|was|were|do|does|did|can|could|may|must|should|will|would)\s)|\s+and\s+((?:what|when|where|who|whom|which|why|how)\s)`)
)

func plan(in skills.PlanInput) (skills.PlanOutput, error) {
	question := text.OneLine(in.Question)
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
		s.Question = text.Clip(s.Question, maxQuestion)
		out.Steps = append(out.Steps, s)
	}
	return out, nil
}

// decompose plans the steps of a question that may need several. It depends on the question alone,
// so that replanning gets the same plan.
func decompose(question string) []skills.PlanStep {
	facts, asks := parts(question)
	if list := askingSentences(question); len(list) > 1 {
		return clauseSteps(list, nil)
	}
	told := storyClauses(facts)
	if list := clauses(asks); len(list) > 1 {
		return clauseSteps(list, told)
	}
	if !legal(question) { // answers to its parts do not answer the whole
		return []skills.PlanStep{{Phase: "The question", Question: question}}
	}
	if a, b, ok := comparison(asks); ok {
		return []skills.PlanStep{
			{Phase: title("Rule on " + withoutArticle(a)), Question: "What is " + a + "?"},
			{Phase: title("Rule on " + withoutArticle(b)), Question: "What is " + b + "?"},
			{Phase: "Comparison", Question: question},
		}
	}
	if facts != "" {
		return storySteps(question, asks, facts, told)
	}
	return []skills.PlanStep{{Phase: "The question", Question: question}}
}

// clauseSteps asks each of several questions.
func clauseSteps(list, told []string) []skills.PlanStep {
	steps := make([]skills.PlanStep, len(list))
	for i, c := range list {
		steps[i] = skills.PlanStep{Phase: phaseOf(c), Question: grounded(c, told)}
	}
	return steps
}

// askingSentences returns the sentences of a question that consists only of questions; one that
// depends on the one before it stays with it.
func askingSentences(question string) []string {
	var list []string
	for _, span := range text.Sentences(question) {
		s := question[span.Start:span.End]
		n := len(list)
		switch {
		case !strings.HasSuffix(s, "?"):
			return nil
		case n > 0 && (pronoun.MatchString(s) || !standsAlone(list[n-1], s)):
			list[n-1] += " " + s
		default:
			list = append(list, s)
		}
	}
	return list
}

// maxConcepts bounds the concepts of a story that get a separate step.
const maxConcepts = 2

// storySteps asks the question unchanged, then for the rule on each concept that the question
// itself names, then how a concept of the story applies to its facts.
func storySteps(question, asks, facts string, told []string) []skills.PlanStep {
	steps := []skills.PlanStep{{Phase: "Application to the facts", Question: question}}
	asked := terminology().concepts(wordsOf(asks))
	asked = asked[:min(len(asked), maxConcepts)]
	for _, name := range asked {
		steps = append(steps, skills.PlanStep{Phase: title("Rule on " + name), Question: ruleQuestion(name)})
	}
	event := eventClause(told)
	n := 0
	for _, name := range terminology().concepts(wordsOf(facts)) {
		if event != "" && n < maxConcepts && !slices.Contains(asked, name) {
			steps = append(steps, skills.PlanStep{Phase: title("Effect of " + name), Question: applyQuestion(name, event)})
			n++
		}
	}
	return steps
}

// grounded adds to a short question about a story the clause that it speaks
// of.
func grounded(question string, told []string) string {
	if len(told) == 0 || len(topicWords(question)) > 3 {
		return question
	}
	near := nearestClause(told, question)
	if near == "" {
		near = told[0]
	}
	return strings.TrimRight(question, "? ") + " when " + near + "?"
}

// phaseOf is a short title for a question: the concept that it names, else its
// own first words.
func phaseOf(question string) string {
	if list := terminology().concepts(wordsOf(question)); len(list) > 0 {
		return title("Rule on " + list[0])
	}
	return title(topic(question))
}

// topic returns the topic of a question without a concept: the longest run of its words without a
// question word or clause border.
func topic(question string) string {
	_, asks := parts(question)
	wanted := map[int]bool{}
	for _, w := range topicWords(asks) {
		wanted[w.Start] = true
	}
	best, size := strings.TrimRight(text.Clip(asks, 80), "?"), 0
	words := wordsOf(asks)
	for i := range words {
		if !wanted[words[i].Start] {
			continue
		}
		end, n := i, 1
		for j := i + 1; j < len(words) && n < 6; j++ {
			between := text.Between(asks, words[j-1].Token, words[j].Token)
			if strings.TrimSpace(strings.Trim(between, "-'’")) != "" || !wanted[words[j].Start] && !linkWords[words[j].Text] {
				break
			}
			if wanted[words[j].Start] {
				end, n = j, n+1
			}
		}
		if n > size {
			best, size = asks[words[i].Start:words[end].End], n
		}
	}
	return best
}

// linkWords are allowed within a noun phrase.
var linkWords = text.Set(`of for the a an in on to with`)

// withoutArticle cuts an article off.
func withoutArticle(s string) string {
	for _, article := range []string{"a ", "an ", "the "} {
		if len(s) > len(article) && strings.EqualFold(s[:len(article)], article) {
			return s[len(article):]
		}
	}
	return s
}

// maxSide bounds a side of a comparison, in words.
const maxSide = 8

// comparison returns the two sides of a question that compares.
func comparison(question string) (a, b string, ok bool) {
	for _, re := range compareForms {
		if m := re.FindStringSubmatch(question); m != nil {
			a, b = side(m[1]), side(m[2])
			return a, b, a != "" && b != "" && len(strings.Fields(a)) <= maxSide && len(strings.Fields(b)) <= maxSide
		}
	}
	return "", "", false
}

// side removes the words that do not belong to a side of a comparison.
func side(s string) string {
	s = strings.TrimSpace(s)
	for _, lead := range []string{"the rules on ", "the rule on ", "the law of ", "the elements of ", "what is ", "between "} {
		if len(s) > len(lead) && strings.EqualFold(s[:len(lead)], lead) {
			s = s[len(lead):]
		}
	}
	return strings.Trim(s, " ,.?")
}

// clauses splits "What is X, and when does Y apply?" into its questions, each made self-contained.
// A clause without a topic stays with the one before it, and so does the clause after "When …," or
// "If …,". A question without coordination is returned alone.
func clauses(question string) []string {
	question = text.OneLine(question)
	first, _, _ := strings.Cut(strings.ToLower(question), " ")
	if !text.Interrogatives[first] && !text.Auxiliaries[first] {
		return []string{question}
	}
	var list []string
	start := 0
	for _, m := range coordinate.FindAllStringSubmatchIndex(question, -1) {
		at := m[2]
		if at < 0 {
			at = m[4]
		}
		before, after := question[start:m[0]], question[at:]
		if subordinate(before, question[m[0]:at]) || len(strings.Fields(before)) < 3 || len(strings.Fields(after)) < 3 {
			continue
		}
		if next := coordinate.FindStringIndex(after[1:]); next != nil {
			after = after[:next[0]+1]
		}
		if standsAlone(before, after) {
			list = append(list, before)
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

// subordinate reports whether a clause only says when the one after it is
// asked: "When a client asks, must …?". A clause that an "and" follows asks.
func subordinate(clause, border string) bool {
	fields := strings.Fields(strings.ToLower(clause))
	if strings.Contains(border, "and ") || strings.Contains(border, "or ") || len(fields) < 2 {
		return false
	}
	switch fields[0] {
	case "when", "where", "how":
		return !text.Auxiliaries[fields[1]]
	}
	return false
}

// standsAlone reports whether a clause has its own topic: it has a topic word, and depends on the
// clause before it at most by a pronoun that can be replaced.
func standsAlone(before, clause string) bool {
	for _, w := range wordsOf(clause) {
		if refersBack[w.Text] {
			return false
		}
	}
	if pronoun.MatchString(clause) && subjectForm.FindStringSubmatch(strings.TrimRight(before, "?. ")) == nil && len(topicWords(before)) > 4 {
		return false
	}
	has := setOf(stemsOf(topicWords(before)))
	for _, w := range contentOf(clause, text.QueryStops) {
		if !has[w.Stem] && !frameWords[w.Text] && !askingVerbs[w.Text] && !askingNouns[w.Text] && !soughtWords[w.Text] {
			return true
		}
	}
	return false
}

var (
	subjectForm = pattern.New(`(?i)^(?:what|who)\s+(?:is|are|was|were)\s+(?:the\s+)?(?:(?:elements?|requirements?|rules?|definitions?|meaning|purpose|scope)\s+(?:of|for|on)\s+)?(.+)$`)
	pronoun     = pattern.New(`(?i)\b(it|they|them)\b`)
	refersBack  = text.Set(`such these those their its this each`)
)

// subjectOf returns the topic of a clause: the phrase after "what is", the first concept, or the
// clause's longest noun phrase.
func subjectOf(clause string) string {
	if m := subjectForm.FindStringSubmatch(strings.TrimRight(clause, "?. ")); m != nil && len(strings.Fields(m[1])) <= 8 {
		return m[1]
	}
	words := wordsOf(clause)
	for _, m := range terminology().mentions(words) {
		if m.family.concept && !m.everyday(words) {
			from := m.from
			if from > 0 && slices.Contains([]string{"the", "a", "an"}, words[from-1].Text) {
				from--
			}
			return clause[words[from].Start:words[m.to-1].End]
		}
	}
	return topic(clause)
}

// selfContained replaces the clause's pronoun by the subject, or appends the subject if the clause
// shares no word with it.
func selfContained(clause, subject string) string {
	clause = strings.TrimRight(clause, "?. ")
	if m := pronoun.FindStringIndex(clause); m != nil && len(strings.Fields(clause[:m[0]])) < 4 {
		return clause[:m[0]] + subject + clause[m[1]:]
	}
	has := setOf(text.Terms(clause, nil))
	for _, t := range text.Terms(subject, text.QueryStops) {
		if has[t] {
			return clause
		}
	}
	if len(topicWords(clause)) > 3 {
		return clause
	}
	return clause + ", with regard to " + subject
}

// title returns a phase's short title: at most six words, without a dangling one at the end.
func title(s string) string {
	words := strings.Fields(strings.TrimRight(s, "?"))
	words = words[:min(len(words), 6)]
	for len(words) > 1 && text.DocStops.Has(strings.ToLower(words[len(words)-1])) {
		words = words[:len(words)-1]
	}
	return strings.TrimRight(upperFirst(strings.Join(words, " ")), ",;:")
}
