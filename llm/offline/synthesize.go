package offline

import (
	"fmt"
	"slices"
	"strings"

	"example.com/assay/decide/injection"
	"example.com/assay/memory/answer"
	"example.com/assay/memory/text"
	"example.com/assay/skills"
)

// Synthesis is extraction: sentences are scored against the question
// (score.go), chosen by maximal marginal relevance (Carbonell and Goldstein,
// 1998, λ = .7), sorted under headings (sections.go) and copied verbatim.

// lawSources is the number of passages, the best first, behind a legal answer: further ones have
// neighbouring rules in the same words.
const lawSources = 5

const (
	noAnswer       = "No passage answers this question."
	sourcesHeading = "## Sources"

	lambda = .7
	// minScore is the share of the best sentence's score below which a sentence is left out.
	minScore = .6
	// maxItems bounds how many items of one list are quoted.
	maxItems = 10
	// sameWords and sameShort are how alike two sentences must be to say the
	// same: Jaccard index of the stems, and share of the shorter one's.
	sameWords, sameShort = .6, .85
)

// A ranked sentence is a candidate for the answer.
type ranked struct {
	index int // into the pool
	score float64
	topic float64 // share of the question's topic in the sentence itself
	about float64 // the same with the title and headings above it
	facts int     // its stems from the objective's story
	says  float64 // how far it is a statement about the topic: "X is …", "X requires …"
}

func synthesize(in skills.SynthesizeInput, maxQuotes int, more bool) (string, error) {
	question := text.OneLine(in.Question)
	if question == "" {
		question = text.OneLine(in.Objective)
	}
	if question == "" {
		return "", errBlank
	}
	if !framed(question, in.Sources) {
		in.Question = question
		if !more {
			maxQuotes = min(maxQuotes, mostAnswers)
		}
		return quoteAnswers(in, maxQuotes, more), nil
	}
	in.Sources = in.Sources[:min(len(in.Sources), lawSources)]
	p := newPool(in.Sources)
	q := newQuery(p, question, in.Objective)
	chosen := choose(p, rank(p, q), maxQuotes)
	if len(chosen) == 0 {
		return noAnswer, nil
	}
	return layout(p, in.Sources, arrange(p, q, chosen)), nil
}

// choose picks sentences by maximal marginal relevance until about n quotes
// are reached; a list counts with its items, which always come with their
// lead-in.
func choose(p *pool, list []ranked, n int) []ranked {
	if len(list) == 0 {
		return nil
	}
	top := list[0].score
	var chosen []ranked
	taken := map[int]bool{}
	quotes := 0
	for quotes < n {
		best, bestValue := -1, 0.0
		for i, r := range list {
			if r.score < minScore*top {
				break
			}
			if taken[r.index] {
				continue
			}
			nearest, repeats := 0.0, false
			for _, c := range chosen {
				nearest = max(nearest, similarity(&p.sentences[r.index], &p.sentences[c.index]))
				repeats = repeats || saysTheSame(&p.sentences[r.index], &p.sentences[c.index])
			}
			if repeats {
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
		if lead := p.sentences[r.index].lead; lead >= 0 {
			if taken[lead] || !p.sentences[lead].whole || p.sentences[lead].order {
				continue
			}
			taken[lead] = true
			r.index = lead
		}
		size := 1 + len(items(p, r.index))
		if quotes > 0 && quotes+size > n+slack {
			continue
		}
		quotes += size
		chosen = append(chosen, r)
	}
	return append(chosen, likest(p, list, chosen)...)
}

// maxLike is the number of sentences with shared facts that are added to the chosen ones.
const maxLike = 2

// likest returns sentences that were not chosen, for lack of room or topic,
// and share the most facts with the objective's story.
func likest(p *pool, list, chosen []ranked) []ranked {
	var like []ranked
	for _, r := range list {
		known := func(c ranked) bool {
			return c.index == r.index || saysTheSame(&p.sentences[r.index], &p.sentences[c.index])
		}
		if r.facts >= likeFacts && p.sentences[r.index].lead < 0 && !slices.ContainsFunc(chosen, known) && !slices.ContainsFunc(like, known) {
			like = append(like, r)
		}
	}
	slices.SortStableFunc(like, func(a, b ranked) int { return b.facts - a.facts })
	return like[:min(len(like), maxLike)]
}

// slack is the number by which a list may exceed the limit of quotes.
const slack = 4

// common counts the stems that two sentences share.
func common(a, b *sentence) int {
	n := 0
	for t := range a.counts {
		if b.counts[t] > 0 {
			n++
		}
	}
	return n
}

// similarity is the Jaccard index of two sentences' stems.
func similarity(a, b *sentence) float64 {
	n := common(a, b)
	return float64(n) / float64(len(a.counts)+len(b.counts)-n)
}

func saysTheSame(a, b *sentence) bool {
	short := min(len(a.counts), len(b.counts))
	return similarity(a, b) >= sameWords || short >= 4 && float64(common(a, b)) >= sameShort*float64(short)
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
			label := strings.Join(slices.DeleteFunc([]string{text.OneLine(src.Title), text.OneLine(src.Section)}, func(s string) bool { return s == "" }), ", ")
			entries = append(entries, entry{src.N, strings.TrimRight(fmt.Sprintf("- [Source %d] %s", src.N, label), " ")})
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return a.n - b.n })
	for _, e := range entries {
		b.WriteString(e.line + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// mostAnswers is the number of quotes in the answer to a plain question.
const mostAnswers = 3

// quoteAnswers answers a question without a story with quotes from the sources, the best first.
func quoteAnswers(in skills.SynthesizeInput, most int, more bool) string {
	sources := in.Sources
	list := make([]answer.Source, len(sources))
	orders := make([][]injection.Instruction, len(sources))
	for i, s := range sources {
		list[i] = answer.Source{Title: s.Title, Section: s.Section, Text: s.Text, Blocks: s.Blocks, Doc: s.Doc, Date: s.Date, Near: s.Near, Read: s.Read}
		orders[i] = injection.Instructions(s.Text)
	}
	ranking := answer.Rank(in.Question, list, &answer.Options{Most: most, Confidence: in.Confidence, More: more, Usable: func(source, start, end int) bool {
		if slices.ContainsFunc(orders[source], func(o injection.Instruction) bool { return o.Start < end && start < o.End }) {
			return false
		}
		return quotable(sources[source].Text[start:end], true)
	}})
	if ranking.Chance < answer.Least {
		return noAnswer
	}
	var b strings.Builder
	for _, q := range ranking.Quotes {
		s := sources[q.Source]
		if q.Head != "" {
			fmt.Fprintf(&b, "#### %s\n", text.OneLine(q.Head))
		}
		fmt.Fprintf(&b, "- “%s” [Source %d]\n", text.OneLine(s.Text[q.Start:q.End]), s.N)
	}
	if v := ranking.Version; v != nil { // of two versions the newer answers, and the older is named
		s, what := sources[v.Source], "Another document of this name says"
		if !v.Undated {
			what = "Before, from " + s.Date + " on"
		}
		fmt.Fprintf(&b, "#### %s\n- “%s” [Source %d]\n", what, text.OneLine(s.Text[v.Start:v.End]), s.N)
	}
	return strings.TrimRight(b.String(), "\n")
}
