package offline

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/skills"
)

// A choice is scored by the share of its wording in the sources: the sum over its distinct stems w
// of idf(w)·ln(1+tf(w)), the greatest share in one sentence, the number of its word pairs that are
// adjacent there, too, and, negatively, the words that only this choice has and neither sources nor
// facts contain. It is an evidence match and does not apply law to facts.

// Weights of the signals relative to the term score, in standard deviations.
const (
	wholeWeight   = 1 // of the greatest share of its wording in one sentence
	pairsWeight   = 1
	missingWeight = .5
	// signalWeight is the sum of the weights of all signals: a score divided by it is their mean.
	signalWeight   = 1 + wholeWeight + pairsWeight + missingWeight
	researchWeight = 1.5 // of a sentence that the research quotes, if sentences compete
	// idfFloor is added to every idf: in a pool of few sentences the topic's own words have almost
	// none.
	idfFloor = .5
	// supported is the share of a choice's own idf that one source must contain for it to be
	// selected: five passages about five things contain most words.
	supported = .6
)

// connective splits a choice into its outcome and its ground.
var connective = pattern.New(`(?i)\b(because|only if|even if|even though|if|unless|since|although|provided that|provided|as long as|so long as|on the ground that|under|when|where)\b`)

// groundOf returns the part of a choice behind its outcome: all of it, without a connective in its
// first three quarters.
func groundOf(choice string) string {
	m := connective.FindStringIndex(choice)
	if m == nil || m[0] > len(choice)*3/4 {
		return choice
	}
	return choice[m[1]:]
}

// A candidate is a choice under judgement.
type candidate struct {
	choice   skills.Choice
	terms    []string
	evidence float64 // idf·ln(1+tf)
	missing  float64 // idf of words that no other choice, source or fact has
	covered  float64 // the greatest share of its own idf in one source
	whole    float64 // the greatest share of its idf in one sentence
	pairs    float64 // of its words are adjacent in a sentence of the sources, too
	nearest  int     // the pool's nearest sentence; −1 for none
	score    float64
}

// A ChoiceMatch has the signals of how well the sources match a choice.
type ChoiceMatch struct {
	Letter string
	Score  float64 // in standard deviations over the choices, the mean being 0
	// P is the probability that the sources support this choice, computed from the scores; equal
	// for all choices if the sources contain nothing of any.
	P        float64
	Evidence float64 // Σ idf·ln(1+tf) of its stems in the sources
	Missing  float64 // Σ idf of words that no other choice, source or fact has
	Covered  float64 // the greatest share of its idf in one source
	Whole    float64 // the greatest share of its idf in one sentence
	Pairs    float64 // neighbours in it that are neighbours in a sentence of the sources
}

// MatchChoices scores the choices of a question, in order, as the skill select_choice does before
// it selects one or abstains.
func MatchChoices(in skills.SelectInput) []ChoiceMatch {
	list := judge(newPool(in.Sources), in)
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
		out[i] = ChoiceMatch{c.choice.Letter, c.score, p, c.evidence, c.missing, c.covered, c.whole, c.pairs}
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
	p := newPool(in.Sources)
	list := judge(p, in)
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
func judge(p *pool, in skills.SelectInput) []candidate {
	tf := map[string]int{}
	for _, s := range p.sentences {
		if s.order {
			continue
		}
		for t, n := range s.counts {
			tf[t] += n
		}
	}
	stem := text.Terms(in.Question, text.DocStops)
	known := setOf(stem)
	for t := range tf {
		known[t] = true
	}
	list, saying := make([]candidate, len(in.Choices)), map[string]int{}
	for i, c := range in.Choices {
		list[i] = candidate{choice: c, terms: text.Distinct(text.Terms(c.Text, text.DocStops)), nearest: -1}
		for _, t := range list[i].terms {
			saying[t]++
		}
	}
	for i := range list {
		c := &list[i]
		for _, t := range c.terms {
			weight := idfFloor + p.idf(t)
			c.evidence += weight * math.Log1p(float64(tf[t]))
			if saying[t] == 1 && !known[t] {
				c.missing += weight
			}
		}
		c.match(p, stem, text.Distinct(text.Terms(groundOf(c.choice.Text), text.DocStops)), in.Research)
		c.support(p)
	}
	evidence := deviations(list, func(c candidate) float64 { return c.evidence })
	missing := deviations(list, func(c candidate) float64 { return c.missing })
	whole := deviations(list, func(c candidate) float64 { return c.whole })
	pairs := deviations(list, func(c candidate) float64 { return c.pairs })
	for i := range list {
		list[i].score = evidence[i] + wholeWeight*whole[i] + pairsWeight*pairs[i] - missingWeight*missing[i]
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

// support sets how far the sources cover a choice, as a whole and in one sentence.
func (c *candidate) support(p *pool) {
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
	terms := text.Terms(c.choice.Text, text.DocStops)
	adjacent := map[[2]string]bool{}
	for i := 1; i < len(terms); i++ {
		if terms[i-1] != terms[i] {
			adjacent[[2]string{terms[i-1], terms[i]}] = false
		}
	}
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
		for k := 1; k < len(s.terms); k++ {
			pair := [2]string{s.terms[k-1], s.terms[k]}
			if seen, says := adjacent[pair]; says && !seen {
				adjacent[pair] = true
				c.pairs++
			}
		}
	}
}

func (c *candidate) supported() bool { return c.covered >= supported && c.pairs > 0 }

// match finds the sentence nearest to the ground, the stem breaking ties.
func (c *candidate) match(p *pool, stem, ground []string, research string) {
	if len(ground) == 0 {
		ground = c.terms
	}
	stemSet := setOf(stem)
	best := 0.0
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
		for _, t := range text.Distinct(s.terms) {
			if stemSet[t] {
				around += p.idf(t)
			}
		}
		value := (hit + .3*around) / math.Sqrt(5+float64(len(s.counts)))
		if research != "" && strings.Contains(research, s.text) {
			value *= researchWeight
		}
		if value > best {
			best, c.nearest = value, i
		}
	}
}

// deviations returns (x − mean) / (sd + .001) for a value of each candidate.
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

// reason returns the quote of the nearest sentence, or "" if none shares a word with the choice's
// ground.
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

// ruleQuotes returns the nearest sentences of the choices that state a rule, best choice first,
// each once, at most four. A hypothetical and its story state none.
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

// hypothetical reports whether the sentence at i is part of an example: it says so, or it names a
// person whom such a sentence of its source names.
func (p *pool) hypothetical(i int) bool {
	s := &p.sentences[i]
	if exampleCue.MatchString(s.text) {
		return true
	}
	people := storyNames(s.text)
	if len(people) == 0 { // a sentence's first word is capital anyway
		if words := wordsOf(s.text); len(words) > 1 && capitalised(words[0].Raw) && !text.QueryStops.Has(words[0].Text) {
			people = map[string]bool{words[0].Text: true}
		}
	}
	for j := range p.sentences {
		o := &p.sentences[j]
		if o.source != s.source || !exampleCue.MatchString(o.text) {
			continue
		}
		told := storyNames(o.text)
		for name := range people {
			if told[name] {
				return true
			}
		}
	}
	return false
}
