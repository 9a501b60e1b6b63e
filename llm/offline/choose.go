package offline

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/skills"
)

// A choice is scored by how much of its wording the sources hold: the sum
// over its distinct stems w of idf(w)·ln(1+tf(w)), which alone answers about
// half of bar-exam questions when the right passage is given. Three smaller
// signals are added: how much of it one sentence says, whether the outcome that the choice names agrees with
// the outcome of the rule sentence nearest to its ground, and whether its
// ground's words appear in the sources or the facts at all. It is an evidence
// match. It does not apply law to facts.

// Weights of the signals beside the term score, in standard deviations.
const (
	polarityWeight = .6
	wholeWeight    = .8 // of the share of its wording that one sentence holds
	groundWeight   = .3
	// signalWeight is that of all signals together: a score over it is their mean.
	signalWeight   = 1 + polarityWeight + wholeWeight + groundWeight
	researchWeight = 1.5 // of a sentence that the research quotes, where sentences compete
	// idfFloor is added to every idf: in a pool of few sentences the words of
	// the topic itself have almost none.
	idfFloor = .5
	// supported is the share of a choice's own idf that one source must hold
	// for it to be selected: five passages about five things hold most words.
	supported = .4
	// voters is how many of the nearest sentences vote on the outcome.
	voters = 5
)

// connective splits a choice into its outcome and its ground.
var connective = regexp.MustCompile(`(?i)\b(because|only if|even if|even though|if|unless|since|although|provided that|provided|as long as|so long as|on the ground that|under|when|where)\b`)

// splitGround returns a choice's outcome and its ground; a choice without a
// connective in its first three quarters is all outcome.
func splitGround(choice string) (outcome, ground string) {
	m := connective.FindStringIndex(choice)
	if m == nil || m[0] > len(choice)*3/4 {
		return choice, ""
	}
	return choice[:m[0]], strings.TrimSpace(choice[m[1]:])
}

// A candidate is a choice under judgement.
type candidate struct {
	choice   skills.Choice
	outcome  int // 1 for, −1 against the party or act in question, 0 unknown
	terms    []string
	evidence float64 // idf·ln(1+tf)
	agree    float64 // −1 … 1
	ground   float64 // share of the ground's idf found in sources or facts
	covered  float64 // the largest share of its own idf that one source holds
	whole    float64 // the largest share of its idf that one sentence holds
	phrase   bool    // two of its words stand side by side in the sources, too
	nearest  int     // the pool's nearest sentence; −1 for none
	score    float64
}

// A ChoiceMatch is how well the sources match a choice, by the signals that its
// selection is made of.
type ChoiceMatch struct {
	Letter string
	Score  float64 // in standard deviations over the choices, the mean being 0
	// P is the probability that this choice is the one that the sources support,
	// made of the scores; equal for all when the sources hold nothing of any.
	P        float64
	Outcome  int     // 1 for, −1 against the party or act in question, 0 unknown
	Evidence float64 // Σ idf·ln(1+tf) of its stems in the sources
	Agree    float64 // −1 … 1: its outcome beside that of the nearest sentences
	Ground   float64 // share of its ground's idf that sources or facts hold
	Covered  float64 // the largest share of its idf that one source holds
	Whole    float64 // the largest share of its idf that one sentence holds
}

// MatchChoices scores the choices of a question, in their order, as the
// skill select_choice does before it selects one or abstains.
func MatchChoices(in skills.SelectInput) []ChoiceMatch {
	l := newLexer()
	list := judge(l, newPool(l, in.Sources), in)
	out := make([]ChoiceMatch, len(list))
	best, held, sum := math.Inf(-1), false, 0.0
	for _, c := range list {
		best, held = max(best, c.score), held || c.evidence > 0
	}
	for i, c := range list {
		p := 1.0
		if held {
			p = math.Exp((c.score - best) / signalWeight)
		}
		sum += p
		out[i] = ChoiceMatch{c.choice.Letter, c.score, p, c.outcome, c.evidence, c.agree, c.ground, c.covered, c.whole}
	}
	for i := range out {
		out[i].P /= sum
	}
	return out
}

func selectChoice(in skills.SelectInput, margin float64) (skills.SelectOutput, error) {
	out := skills.SelectOutput{Elements: []string{}, Choices: []skills.ChoiceReason{}}
	if len(in.Choices) == 0 {
		return out, nil
	}
	l := newLexer()
	p := newPool(l, in.Sources)
	list := judge(l, p, in)
	order := byScore(list)
	best := list[order[0]]
	lead := best.score
	found := best.evidence > 0 && len(best.choice.Letter) == 1 && best.choice.Letter >= "A" && best.choice.Letter <= "Z"
	if len(list) > 1 {
		lead = best.score - list[order[1]].score
	}
	if found && best.nearest >= 0 && (margin < 0 || best.supported()) && best.score >= margin && (len(list) == 1 || lead > 1e-9) {
		out.Answer = best.choice.Letter
	}
	for _, c := range list {
		out.Choices = append(out.Choices, skills.ChoiceReason{
			Letter:     c.choice.Letter,
			Eliminated: out.Answer != "" && c.choice.Letter != out.Answer,
			Reason:     c.reason(p, in.Sources),
		})
	}
	out.Elements = ruleQuotes(p, in.Sources, list, order)
	return out, nil
}

// judge fills the signals of every choice and adds them up.
func judge(l *lexer, p *pool, in skills.SelectInput) []candidate {
	tf := map[string]int{}
	for _, s := range p.sentences {
		if s.order {
			continue
		}
		for t, n := range s.counts {
			tf[t] += n
		}
	}
	stem := l.terms(in.Question, text.DocStops)
	known := setOf(stem)
	for t := range tf {
		known[t] = true
	}
	list := make([]candidate, len(in.Choices))
	for i, c := range in.Choices {
		outcome, ground := splitGround(c.Text)
		cand := candidate{choice: c, outcome: polarity(outcome), terms: l.distinct(c.Text, text.DocStops), nearest: -1}
		for _, t := range cand.terms {
			if n := tf[t]; n > 0 {
				cand.evidence += (idfFloor + p.idf(t)) * math.Log1p(float64(n))
			}
		}
		groundTerms := l.distinct(ground, text.DocStops)
		if len(groundTerms) == 0 {
			groundTerms = cand.terms
		}
		cand.match(p, stem, groundTerms, in.Research)
		cand.ground = shareKnown(p, groundTerms, known)
		cand.support(l, p)
		list[i] = cand
	}
	evidence := deviations(list, func(c candidate) float64 { return c.evidence })
	ground := deviations(list, func(c candidate) float64 { return c.ground })
	whole := deviations(list, func(c candidate) float64 { return c.whole })
	for i := range list {
		list[i].score = evidence[i] + polarityWeight*list[i].agree + groundWeight*ground[i] + wholeWeight*whole[i]
	}
	mean := 0.0
	for _, c := range list {
		mean += c.score / float64(len(list))
	}
	for i := range list {
		list[i].score -= mean
	}
	return list
}

// support fills what says whether the sources speak of a choice at all, and
// how much of it one sentence says.
func (c *candidate) support(l *lexer, p *pool) {
	total := 0.0
	for _, t := range c.terms {
		total += idfFloor + p.idf(t)
	}
	if total == 0 {
		return
	}
	for first := 0; first < len(p.sentences); {
		last, held := first, map[string]bool{}
		for ; last < len(p.sentences) && p.sentences[last].source == p.sentences[first].source; last++ {
			for t := range p.sentences[last].counts {
				held[t] = held[t] || !p.sentences[last].order
			}
		}
		has := 0.0
		for _, t := range c.terms {
			if held[t] {
				has += idfFloor + p.idf(t)
			}
		}
		c.covered = max(c.covered, has/total)
		first = last
	}
	pairs := l.terms(c.choice.Text, text.DocStops)
	for i := range p.sentences {
		s := &p.sentences[i]
		if s.order {
			continue
		}
		sum := 0.0
		for _, t := range c.terms {
			if s.counts[t] > 0 {
				sum += idfFloor + p.idf(t)
			}
		}
		c.whole = max(c.whole, sum/total)
		for j := 1; j < len(pairs) && !c.phrase && sum > 0; j++ {
			if pairs[j-1] == pairs[j] {
				continue
			}
			for k := 1; k < len(s.terms); k++ {
				c.phrase = c.phrase || s.terms[k-1] == pairs[j-1] && s.terms[k] == pairs[j]
			}
		}
	}
}

func (c *candidate) supported() bool { return c.covered >= supported && c.phrase }

// match finds the sentences nearest to the ground, the stem breaking ties,
// lets them vote on the outcome and remembers the nearest.
func (c *candidate) match(p *pool, stem, ground []string, research string) {
	stemSet := setOf(stem)
	type near struct {
		index int
		value float64
	}
	var list []near
	for i := range p.sentences {
		s := &p.sentences[i]
		if s.order || !s.whole {
			continue
		}
		hit, around := 0.0, 0.0
		for _, t := range ground {
			if s.counts[t] > 0 {
				hit += idfFloor + p.idf(t)
			}
		}
		if hit == 0 {
			continue
		}
		for _, t := range unique(s.terms) {
			if stemSet[t] {
				around += p.idf(t)
			}
		}
		value := (hit + .3*around) / math.Sqrt(5+float64(len(s.counts)))
		if research != "" && strings.Contains(research, s.text) {
			value *= researchWeight
		}
		list = append(list, near{i, value})
	}
	if len(list) == 0 {
		return
	}
	slices.SortStableFunc(list, func(a, b near) int { return cmp.Compare(b.value, a.value) })
	votes, weight := 0.0, 0.0
	for _, n := range list[:min(len(list), voters)] {
		votes += float64(polarity(p.sentences[n.index].text)) * n.value
		weight += n.value
	}
	c.agree = float64(c.outcome) * votes / weight
	c.nearest = list[0].index
}

// shareKnown is the share of the terms' idf that sources or facts hold.
func shareKnown(p *pool, terms []string, known map[string]bool) float64 {
	has, all := 0.0, 0.0
	for _, t := range terms {
		all += p.idf(t)
		if known[t] {
			has += p.idf(t)
		}
	}
	if all == 0 {
		return 0
	}
	return has / all
}

// deviations returns (x − mean) / (sd + .001) of a value of each candidate.
func deviations(list []candidate, value func(candidate) float64) []float64 {
	n := float64(len(list))
	mean, variance := 0.0, 0.0
	for _, c := range list {
		mean += value(c) / n
	}
	for _, c := range list {
		variance += (value(c) - mean) * (value(c) - mean) / n
	}
	out := make([]float64, len(list))
	for i, c := range list {
		out[i] = (value(c) - mean) / (math.Sqrt(variance) + .001)
	}
	return out
}

// byScore returns the indexes of list, best first, equals in order.
func byScore(list []candidate) []int {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[b].score, list[a].score) })
	return order
}

// reason is the quote of the nearest sentence, empty when none shares a word with
// the choice's ground.
func (c candidate) reason(p *pool, sources []skills.Source) string {
	if c.nearest < 0 {
		return ""
	}
	return p.quoted(c.nearest, sources)
}

func (p *pool) quoted(at int, sources []skills.Source) string {
	s := &p.sentences[at]
	return fmt.Sprintf("“%s” [Source %d]", s.text, sources[s.source].N)
}

// ruleQuotes lists the nearest sentences of the choices that state a rule, best
// choice first, each once, at most four. A hypothetical and what is told of it
// states none.
func ruleQuotes(p *pool, sources []skills.Source, list []candidate, order []int) []string {
	quotes := []string{}
	seen := map[int]bool{}
	for _, i := range order {
		at := list[i].nearest
		if at < 0 || seen[at] || len(quotes) == 4 || p.hypothetical(at) {
			continue
		}
		seen[at] = true
		quotes = append(quotes, p.quoted(at, sources))
	}
	return quotes
}

// hypothetical reports whether the sentence at i tells of an example: it says so,
// or it names somebody whom a sentence of its source that does names.
func (p *pool) hypothetical(i int) bool {
	s := &p.sentences[i]
	if exampleCue.MatchString(s.text) {
		return true
	}
	l := newLexer()
	people := storyNames(l, s.text)
	if len(people) == 0 { // a sentence's first word is capital anyway
		if words := l.words(s.text); len(words) > 1 && capitalised(words[0].Raw) && !text.QueryStops.Has(words[0].Text) {
			people = map[string]bool{words[0].Text: true}
		}
	}
	for j := range p.sentences {
		o := &p.sentences[j]
		if o.source != s.source || !exampleCue.MatchString(o.text) {
			continue
		}
		told := storyNames(l, o.text)
		for name := range people {
			if told[name] {
				return true
			}
		}
	}
	return false
}
