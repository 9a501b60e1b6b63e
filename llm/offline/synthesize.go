package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/skills"
)

// Synthesis is extraction: sentences are scored against the question, chosen
// by maximal marginal relevance (Carbonell and Goldstein, 1998, λ = .7) and
// copied verbatim. Score = idf overlap + .25 answer type + .3 bigrams +
// .15 neighbours and headings + .1 position, untrained; weights as measured
// on sentence selection (WikiQA, TREC-QA).

const (
	noAnswer       = "No passage answers this question."
	sourcesHeading = "## Sources"

	lambda = .7
	// minScore is the share of the best sentence's score below which a
	// sentence is left out.
	minScore = .45
	// objectiveWeight is the weight of a term that only the whole question
	// has, beside 1 for the step's own.
	objectiveWeight = .3
	// maxItems bounds how many items of one list are quoted.
	maxItems = 10
)

// A ranked sentence is one that may answer.
type ranked struct {
	index int // into the pool
	cover float64
	score float64
}

func synthesize(in skills.SynthesizeInput, maxQuotes int) (string, error) {
	question := oneLine(in.Question)
	if question == "" {
		question = oneLine(in.Objective)
	}
	if question == "" {
		return "", errBlank
	}
	l := newLexer()
	p := newPool(l, in.Sources)
	q := newQuery(l, p, question, in.Objective)
	chosen := choose(p, rank(p, q), maxQuotes)
	if len(chosen) == 0 {
		return noAnswer, nil
	}
	return layout(p, in.Sources, arrange(p, q, chosen)), nil
}

// A query is the question as scoring sees it.
type query struct {
	terms   []string // distinct stems, question's first
	weights []float64
	own     int // how many of terms are the question's own
	mass    float64
	bigrams [][2]string
	kind    kind
	facts   map[string]bool // stems of the facts that the objective tells
}

// newQuery weighs the terms: those of the sentence that asks count in full,
// told facts and the objective's other terms objectiveWeight.
func newQuery(l *lexer, p *pool, question, objective string) *query {
	told, asks := parts(question)
	subject := subjectWords(l, asks)
	if len(subject) == 0 || frameWords[subject[0].Text] && told != "" {
		subject = subjectWords(l, question)
	}
	if len(subject) == 0 {
		subject = l.words(question)
	}
	q := &query{terms: stemsOf(subject), kind: kindOf(question)}
	q.own = len(q.terms)
	own := setOf(q.terms)
	for _, t := range unique(append(stemsOf(subjectWords(l, told)), stemsOf(subjectWords(l, objective))...)) {
		if !own[t] {
			q.terms = append(q.terms, t)
		}
	}
	for i, t := range q.terms {
		w := p.idf(t)
		if i >= q.own {
			w *= objectiveWeight
		} else {
			q.mass += w
		}
		q.weights = append(q.weights, w)
	}
	for i := 1; i < len(subject); i++ {
		q.bigrams = append(q.bigrams, [2]string{subject[i-1].Stem, subject[i].Stem})
	}
	facts, _ := parts(objective)
	q.facts = setOf(l.terms(facts, text.QueryStops))
	return q
}

// enough is the share of the question's idf mass that the best sentence must
// cover for there to be an answer: less of a long question than of a short.
func (q *query) enough() float64 {
	if q.own > 6 {
		return .2
	}
	return .3
}

// cover is the share of the question's idf mass that has names, with how many
// of its own terms those are. Terms that only the objective has add up to
// objectiveWeight of it.
func (q *query) cover(has func(string) bool) (share, extra float64, matched int) {
	if q.mass == 0 {
		return 0, 0, 0
	}
	for i, t := range q.terms {
		if !has(t) {
			continue
		}
		if i < q.own {
			share += q.weights[i]
			matched++
		} else {
			extra += q.weights[i]
		}
	}
	return share / q.mass, min(extra/q.mass, objectiveWeight), matched
}

// rank scores the sentences that may be quoted, best first; empty when none
// covers enough of the question.
func rank(p *pool, q *query) []ranked {
	var list []ranked
	best := 0.0
	for i := range p.sentences {
		s := &p.sentences[i]
		if s.order || !s.whole {
			continue
		}
		share, extra, matched := q.cover(func(t string) bool { return s.counts[t] > 0 })
		around := setOf(s.context)
		for _, j := range []int{i - 1, i + 1} {
			if j >= 0 && j < len(p.sentences) && p.sentences[j].source == s.source {
				for _, t := range p.sentences[j].terms {
					around[t] = true
				}
			}
		}
		near, _, _ := q.cover(func(t string) bool { return around[t] })
		if matched >= min(2, q.own) || s.item && matched > 0 {
			best = max(best, share)
		}
		above, _, _ := q.cover(func(t string) bool { return slices.Contains(s.context, t) })
		if matched == 0 && q.kind == elementsKind && introduces(p, i) && above > .5 {
			share = above / 2 // "Courts look for these components:" under the right heading
		} else if matched == 0 && !s.item {
			continue
		}
		score := share + extra + .25*q.kind.fits(s.text) + .3*q.bigramShare(s.terms) + .15*near + .1*(1-s.place)
		list = append(list, ranked{i, share, score})
	}
	if best < q.enough() {
		return nil
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	return list
}

func (q *query) bigramShare(terms []string) float64 {
	if len(q.bigrams) == 0 {
		return 0
	}
	hits := 0
	for _, b := range q.bigrams {
		for i := 1; i < len(terms); i++ {
			if terms[i-1] == b[0] && terms[i] == b[1] {
				hits++
				break
			}
		}
	}
	return float64(hits) / float64(len(q.bigrams))
}

// choose picks at most n sentences by maximal marginal relevance. An item is
// never picked without its lead-in; layout adds a lead-in's items.
func choose(p *pool, list []ranked, n int) []ranked {
	if len(list) == 0 {
		return nil
	}
	top := list[0].score
	var chosen []ranked
	taken := map[int]bool{}
	for len(chosen) < n {
		best, bestValue := -1, 0.0
		for i, r := range list {
			if r.score < minScore*top {
				break
			}
			if taken[r.index] {
				continue
			}
			nearest := 0.0
			for _, c := range chosen {
				nearest = max(nearest, similarity(&p.sentences[r.index], &p.sentences[c.index]))
			}
			if nearest >= .8 { // says the same
				continue
			}
			if v := lambda*r.score/top - (1-lambda)*nearest; best < 0 || v > bestValue {
				best, bestValue = i, v
			}
		}
		if best < 0 {
			break
		}
		r := list[best]
		taken[r.index] = true
		if lead := p.sentences[r.index].lead; lead >= 0 && p.sentences[lead].whole && !p.sentences[lead].order {
			r.index = lead
			if taken[lead] {
				continue
			}
			taken[lead] = true
		}
		chosen = append(chosen, r)
	}
	return chosen
}

// similarity is the Jaccard index of two sentences' stems.
func similarity(a, b *sentence) float64 {
	common := 0
	for t := range a.counts {
		if b.counts[t] > 0 {
			common++
		}
	}
	return float64(common) / float64(len(a.counts)+len(b.counts)-common)
}

// layout writes the answer: headings with one quote a line, then the map of
// the sources.
func layout(p *pool, sources []skills.Source, sections [4][]int) string {
	var b strings.Builder
	cited := map[int]bool{}
	for i, name := range []string{"Rule", "Elements", "Exceptions", "Application"} {
		if len(sections[i]) == 0 {
			continue
		}
		fmt.Fprintf(&b, "### %s\n", name)
		for _, at := range sections[i] {
			s := &p.sentences[at]
			cited[s.source] = true
			fmt.Fprintf(&b, "- “%s” [Source %d]\n", s.text, sources[s.source].N)
		}
		b.WriteString("\n")
	}
	b.WriteString(sourcesHeading + "\n")
	type entry struct {
		n    int
		line string
	}
	var entries []entry
	for i, src := range sources {
		if cited[i] {
			label := strings.Join(slices.DeleteFunc([]string{oneLine(src.Title), oneLine(src.Section)}, func(s string) bool { return s == "" }), ", ")
			entries = append(entries, entry{src.N, strings.TrimRight(fmt.Sprintf("- [Source %d] %s", src.N, label), " ")})
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return a.n - b.n })
	for _, e := range entries {
		b.WriteString(e.line + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
