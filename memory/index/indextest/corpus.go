package indextest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"example.com/assay/state"
)

// Sizes of a synthesised corpus.
const (
	vocabulary   = 60000
	topicWords   = 240 // of the vocabulary, per topic
	perDocument  = 8   // passages
	perTopic     = 25  // documents
	shortestText = 40  // words
	longestText  = 110
)

// function words are, as in English, a little less than half of a text.
var function = []string{"the", "of", "and", "to", "in", "a", "is", "that", "for", "by", "on", "with"}

// Synthesise makes n passages of 75 words in the mean that are as unevenly
// worded as a language: nine of twenty words are function words; of the others
// the rank and the frequency follow the law of Zipf and Mandelbrot, and every
// second one is of the document's topic. The same n and seed give the same
// passages, and the first m of n are those of m.
func Synthesise(n int, seed uint64) []state.Passage {
	return Part(0, n, seed)
}

// Part makes the passages from..to of those that Synthesise makes.
func Part(from, to int, seed uint64) []state.Passage {
	out := make([]state.Passage, to-from)
	var words []uint64
	for i := range out {
		at := from + i
		doc := at / perDocument
		if words == nil || at%(perDocument*perTopic) == 0 {
			words = topic(seed, doc/perTopic)
		}
		source := fmt.Sprintf("doc%06d.txt", doc)
		text := sentences(rand.New(rand.NewPCG(seed, uint64(at))), words)
		out[i] = state.Passage{ID: fmt.Sprintf("%s#%d", source, at%perDocument), Doc: source, Text: text, End: len(text), Source: source}
	}
	return out
}

// Questions makes n questions of some words of one passage each, six to
// fourteen, function words among them.
func Questions(n int, passages []state.Passage, seed uint64) []string {
	rng := rand.New(rand.NewPCG(seed, 0))
	out := make([]string, n)
	for i := range out {
		words := strings.Fields(passages[rng.IntN(len(passages))].Text)
		asked := make([]string, 6+rng.IntN(9))
		for j := range asked {
			asked[j] = strings.TrimSuffix(words[rng.IntN(len(words))], ".")
		}
		out[i] = strings.Join(asked, " ") + "?"
	}
	return out
}

// A zipf draws ranks below a limit.
func zipf(rng *rand.Rand, limit uint64) *rand.Zipf { return rand.NewZipf(rng, 1.07, 12, limit-1) }

// topic returns the ranks of a topic's words, the most frequent first.
func topic(seed uint64, number int) []uint64 {
	rng := rand.New(rand.NewPCG(seed, 1<<40+uint64(number)))
	out := make([]uint64, topicWords)
	for i := range out {
		out[i] = 200 + rng.Uint64N(vocabulary-200) // the head belongs to no topic
	}
	return out
}

func sentences(rng *rand.Rand, own []uint64) string {
	all, mine := zipf(rng, vocabulary), zipf(rng, topicWords)
	var b strings.Builder
	left := 0 // words of the sentence
	for range shortestText + rng.IntN(longestText-shortestText) {
		if left == 0 {
			left = 8 + rng.IntN(15)
		}
		word := function[rng.IntN(len(function))]
		if rng.IntN(20) >= 9 {
			rank := all.Uint64()
			if rng.IntN(2) == 0 {
				rank = own[mine.Uint64()]
			}
			word = Word(rank)
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
		if left--; left == 0 {
			b.WriteByte('.')
		}
	}
	return b.String()
}

// Word spells a rank in syllables; the more frequent, the shorter.
func Word(rank uint64) string {
	const consonants, vowels = "bdfgklmnprstvz", "aiou"
	var b []byte
	for n := rank + 1; n > 0; {
		n--
		b = append(b, consonants[n%14], vowels[n/14%4])
		n /= 56
	}
	return string(append(b, 'k')) // no ending that a stemmer takes off
}
