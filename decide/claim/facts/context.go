package facts

import (
	"example.com/assay/memory/text"
	"example.com/assay/memory/text/idf"
)

// A word of a claim is supported where the evidence has it in similar company: with the content
// words that surround it in the claim. These functions measure that. Every critical part of a claim
// is judged by it.

// How far the company of a word is searched, in tokens and content words.
const (
	wordsBefore = 5
	wordsAfter  = 4
	beyond      = 3  // tokens outside the clause group that still count
	closeBy     = 10 // tokens of the evidence within which company counts fully
)

// Weights of company that is farther away.
const (
	inSentence = .5
	inNext     = .25
	referred   = .75 // in the previous sentence, if this one refers to it
)

// groupSize is the minimum number of content words in a clause group.
const groupSize = 4

// A companion is a content word near another, with its weight.
type companion struct {
	stems  []string
	weight float64
}

// groups numbers the clause groups of a sentence: clauses, with short ones joined to the next until
// they have enough content words.
func groups(s *sentence) []int {
	out := make([]int, len(s.toks))
	group, words, clause := 0, 0, 0
	for i, t := range s.toks {
		if t.clause != clause {
			clause = t.clause
			if words >= groupSize {
				group, words = group+1, 0
			}
		}
		if t.kind == word && t.content {
			words++
		}
		out[i] = group
	}
	return out
}

// company returns the content words around token i of a sentence.
func (c *comparison) company(i int) []companion {
	s := c.claim
	var out []companion
	for _, side := range [2]struct{ step, most int }{{-1, wordsBefore}, {1, wordsAfter}} {
		for j, n := i+side.step, 0; j >= 0 && j < len(s.toks) && n < side.most; j += side.step {
			t := s.toks[j]
			distance := (j - i) * side.step
			if c.groups[j] != c.groups[i] && distance > beyond {
				break
			}
			if !t.tells() {
				continue
			}
			n++
			out = append(out, companion{[]string{t.stem}, rarityOf(t.stem) / (1 + float64(distance)/4)})
		}
	}
	return out
}

// tells reports whether a token is part of a sentence's topic.
func (t token) tells() bool { return t.kind == number || t.kind == word && t.content }

// rarityOf is the inverse document frequency of a stem in general text.
func rarityOf(stem string) float64 { return idf.Default().Of(stem) }

// fit is how much of a company surrounds token j of sentence k of the evidence, from 0 to 1. An
// empty company fits half.
func (c *comparison) fit(with []companion, k, j int) float64 {
	sum, total := 0.0, 0.0
	for _, w := range with {
		total += w.weight
		best := 0.0
		for _, stem := range w.stems {
			best = max(best, c.nearness(stem, k, j))
		}
		sum += w.weight * best
	}
	if total == 0 {
		return .5
	}
	return sum / total
}

func (c *comparison) nearness(stem string, k, j int) float64 {
	best := 0.0
	for _, at := range c.e.sentences[k].places[stem] {
		if at == j {
			continue
		}
		if at-j <= closeBy && j-at <= closeBy {
			return 1
		}
		best = inSentence
	}
	if best > 0 {
		return best
	}
	for _, next := range [2]int{k - 1, k + 1} {
		if next >= 0 && next < len(c.e.sentences) && len(c.e.sentences[next].places[stem]) > 0 {
			if next < k && refersBack(c.e.sentences[k]) {
				return referred
			}
			best = inNext
		}
	}
	return best
}

// refersBack reports whether a sentence begins with a pronoun: its subject is in the previous
// sentence.
func refersBack(s *sentence) bool { return len(s.toks) > 0 && pronouns[s.toks[0].text] }

var pronouns = text.Set(`it its he she his her they their this these those such`)

// A sighting is a place where the evidence has one of some words, and the fit of its company.
// Sentence is −1 for none.
type sighting struct {
	sentence, tok int
	fit           float64
}

var unseen = sighting{sentence: -1}

// best returns the sighting of any of the words with the best fit. usable may exclude places; nil
// excludes none.
func (c *comparison) best(i int, stems []string, usable func(k, j int) bool) sighting {
	with := c.company(i)
	found := unseen
	for _, stem := range stems {
		for _, k := range c.e.stemmed[stem] {
			for _, j := range c.e.sentences[k].places[stem] {
				if usable != nil && !usable(int(k), j) {
					continue
				}
				if f := c.fit(with, int(k), j); found.sentence < 0 || f > found.fit {
					found = sighting{int(k), j, f}
				}
			}
		}
	}
	return found
}
