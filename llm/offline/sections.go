package offline

import (
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// A kind is the kind of answer that a question asks for.
type kind int

const (
	anyKind kind = iota
	definitionKind
	elementsKind
	exceptionKind
	numberKind
	personKind
	outcomeKind
	whenKind
)

var (
	exceptionCue = pattern.New(`(?i)\b(unless|except\w*|however|defen[cs]es?|privileged?|privileges|exempt\w*|excus\w+|immun\w+|provided that|notwithstanding|does not apply|do not apply|not liable|no liability|justif\w+|forfeit\w*|limits? (?:of|on|to)|but not)\b`)
	elementCue   = pattern.New(`(?i)\b(requires?|required|elements?|requirements?|components?|consists? of|must (?:prove|show|establish|be)|needs? to (?:prove|show)|factors?|prerequisites?|conditions? (?:of|for|are)|is (?:made out|established) (?:by|when|if))\b`)
	exampleCue   = pattern.New(`(?i)\b(for example|for instance|suppose|consider|imagine|illustrat\w+|thus, (?:if|where|when)|in that case)\b`)
	definesCue   = pattern.New(`(?i)\b(means?|is (?:a|an|the|any)|are (?:a|an|the|any|those)|refers? to|is defined|defined as|includes?|is an? (?:affirmative|legal)|occurs? when)\b`)
	numberCue    = pattern.New(`(?i)\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|sixty|ninety|hundred|annual\w*|monthly|daily|once|twice)\b`)
	outcomeCue   = pattern.New(`(?i)\b(liable|liability|guilty|recovers?|may|must|cannot|can|not|entitled|barred|admissible|valid|void|enforceable|prohibited|permitted|required|privileged?)\b`)

	whenCue = pattern.New(`(?i)\b(when|if|until|after|before|upon|once|only|unless|as soon as|at the time|whenever|provided)\b`)

	asksElements   = pattern.New(`(?i)\b(elements?|requirements?|components?|(?:does|do) .*\brequires?|(?:must|have to|has to|needs? to) .*\b(?:prove|show|establish)|(?:must|have to|has to|needs? to) (?:prove|show|establish)|factors|conditions?|what makes|what (?:does|do|would) it takes?)\b`)
	asksExceptions = pattern.New(`(?i)\b(exceptions?|defen[cs]es?|limits?|exempt\w*|privileges?|excus\w+|when (?:is|are|does|do) .*\bnot\b)`)
	asksDefinition = pattern.New(`(?i)^(?:what (?:is|are|counts as|constitutes)|what (?:does|do) .+ mean|define|meaning of|how (?:is|are) .+ defined)\b`)
	asksWhen       = pattern.New(`(?i)^(?:when|under what|in what|on what|in which)\b`)
	asksNumber     = pattern.New(`(?i)\b(how (?:many|much|long|often|old|soon)|within what|what (?:period|deadline|amount|percentage|age|date|year)|deadline|time limit)\b`)
	asksPerson     = pattern.New(`(?i)^(?:who|whom|whose|which (?:person|party|authority|court|body))\b`)
	asksOutcome    = pattern.New(`(?i)^(?:is|are|was|were|do|does|did|can|could|may|might|must|should|shall|will|would|has|have)\b|\b(?:liable|likely|result|outcome|prevail|recover|guilty|succeed)\b`)
)

// kindOf returns the kind of answer that a question asks for, by ordered patterns.
func kindOf(question string) kind {
	_, asks := parts(question)
	for _, rule := range []struct {
		re *pattern.Pattern
		k  kind
	}{
		{asksNumber, numberKind}, {asksWhen, whenKind}, {asksElements, elementsKind}, {asksExceptions, exceptionKind},
		{asksPerson, personKind}, {asksOutcome, outcomeKind}, {asksDefinition, definitionKind},
	} {
		if rule.re.MatchString(asks) {
			return rule.k
		}
	}
	return anyKind
}

// fits is 1 if a sentence has the form of such an answer, else 0.
func (k kind) fits(sentence string) float64 {
	var cue *pattern.Pattern
	switch k {
	case definitionKind:
		cue = definesCue
	case elementsKind:
		cue = elementCue
	case exceptionKind:
		cue = exceptionCue
	case numberKind:
		cue = numberCue
	case outcomeKind:
		cue = outcomeCue
	case whenKind:
		cue = whenCue
	}
	if cue != nil && cue.MatchString(sentence) {
		return 1
	}
	if k == personKind {
		words := strings.Fields(sentence)
		for _, w := range words[min(1, len(words)):] {
			if capitalised(w) {
				return 1
			}
		}
	}
	return 0
}

// wantsStatement weighs how much a statement about the topic answers such a
// question.
func (k kind) wantsStatement() float64 {
	switch k {
	case definitionKind, elementsKind:
		return 1
	case anyKind, whenKind:
		return .6
	}
	return .3
}

// arrange sorts the chosen sentences into Rule, Elements, Exceptions and Application. The first
// three keep the order of the scores, with items after their lead-in; Application keeps the order
// of the sources, and an example comes with the sentence after it.
//
// The best sentence is the rule unless it is an example or introduces a list. If the list of
// elements answers the question, only statements about the topic precede it. Exceptions limit the
// topic; other sentences with such words are left out, and so are examples that share neither facts
// nor topic.
func arrange(p *pool, q *query, chosen []ranked) [4][]int {
	const rule, elements, exceptions, application = 0, 1, 2, 3
	var sections [4][]int
	listed := false // a list of elements comes first
	for _, r := range chosen {
		listed = listed || q.kind == elementsKind && introduces(p, r.index) && r.score >= .8*chosen[0].score
	}
	for i, r := range chosen {
		s := &p.sentences[r.index]
		section := rule
		switch {
		case s.item || introduces(p, r.index):
			section = elements
		case exampleCue.MatchString(s.text):
			if r.facts < 2 && r.topic < .5 {
				continue
			}
			section = application
		case q.excepts(s.text) && (i > 0 || q.kind == exceptionKind):
			switch {
			case r.about >= .5:
				section = exceptions
			case i > 2:
				continue
			}
		case elementCue.MatchString(s.text) && i > 0 && r.says < .5, listed && r.says < .5:
			section = elements
		case i > 0 && r.facts >= likeFacts && r.topic < .5:
			section = application
		}
		sections[section] = append(sections[section], r.index)
		if next := r.index + 1; section == application && exampleCue.MatchString(s.text) && follows(p, next) {
			sections[section] = append(sections[section], next) // how the example ends
		}
		if section == elements {
			sections[section] = append(sections[section], items(p, r.index)...)
		}
	}
	slices.Sort(sections[application])
	sections[application] = slices.Compact(sections[application])
	for _, section := range sections[:application] {
		sections[application] = slices.DeleteFunc(sections[application], func(at int) bool { return slices.Contains(section, at) })
	}
	return sections
}

// follows reports whether the sentence at i continues the one before it and may be quoted.
func follows(p *pool, i int) bool {
	if i >= len(p.sentences) || p.sentences[i].source != p.sentences[i-1].source {
		return false
	}
	s := &p.sentences[i]
	return s.whole && !s.order && !s.item && !s.opens && !leadsIn(s.text)
}

// excepts reports whether a sentence speaks of an exception by a word that is
// not the question's own subject: asked about a privilege, "privilege" does
// not make an exception.
func (q *query) excepts(s string) bool {
	for _, cue := range exceptionCue.FindAllString(s, -1) {
		mine := false
		for _, t := range text.Terms(cue, nil) {
			mine = mine || slices.Contains(q.terms[:q.own], t)
		}
		if !mine {
			return true
		}
	}
	return false
}

// introduces reports whether the sentence at i leads in a list whose first item is next.
func introduces(p *pool, i int) bool {
	return i+1 < len(p.sentences) && p.sentences[i+1].lead == i
}

// items returns the quotable items of the list that the sentence at lead
// introduces.
func items(p *pool, lead int) []int {
	var list []int
	for i := lead + 1; i < len(p.sentences) && p.sentences[i].lead == lead && len(list) < maxItems; i++ {
		if p.sentences[i].whole && !p.sentences[i].order {
			list = append(list, i)
		}
	}
	return list
}
