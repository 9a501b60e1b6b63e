package support

import (
	"math"

	"example.com/assay/memory/text"
)

// Evidence is the evidence for claims, split into words. It does not change, and is safe for
// concurrent use.
type Evidence struct {
	model     *Model
	sentences []sentence
	ids       map[string]int32   // IDs by stem
	stems     []string           // by id
	postings  [][]int32          // sentences that contain the stem, ascending, by ID
	near      map[string][]int32 // IDs of content stems, by their first two bytes
	bigrams   map[uint64]bool    // pairs of consecutive content stems
	trigrams  map[uint64]bool    // triples of consecutive words
	initials  map[string]bool    // initials of three to eight consecutive words
	places    []Place            // places of the sentences; nil if they have no source
}

// A sentence is a piece of evidence in words.
type sentence struct {
	words  []word
	ids    []int32 // of the words' stems
	signed []signed
	negs   []int // words that negate
	hedged bool
	null   bool
}

// A signed word means more or less; a negator up to three words before reverses it.
type signed struct{ at, sign int }

// Prepare splits evidence into words. Judgement.Best refers to sentences by their index. Empty
// sentences are allowed.
func (m *Model) Prepare(sentences []string) *Evidence {
	e := &Evidence{
		model: m, sentences: make([]sentence, len(sentences)), ids: map[string]int32{},
		near: map[string][]int32{}, bigrams: map[uint64]bool{}, trigrams: map[uint64]bool{}, initials: map[string]bool{},
	}
	l := newLexer()
	for i, s := range sentences {
		e.add(int32(i), l.words(s))
	}
	return e
}

func (e *Evidence) add(at int32, words []word) {
	s := sentence{words: words, ids: make([]int32, len(words))}
	last := int32(-1)
	for i, w := range words {
		id := e.post(at, w.stem, !w.stop)
		s.ids[i] = id
		if w.joined {
			e.post(at, text.Stem(words[i-1].low+w.low), true)
		}
		if i > 1 {
			e.trigrams[pack(s.ids[i-2], s.ids[i-1], id)] = true
		}
		if !w.stop {
			if last >= 0 {
				e.bigrams[pack(0, last, id)] = true
			}
			last = id
		}
		s.hedged = s.hedged || w.hedges
		s.null = s.null || w.null
	}
	initials(words, e.initials)
	s.signed, s.negs = signs(words)
	e.sentences[at] = s
}

// post records that a sentence contains a stem, and returns the stem's ID.
func (e *Evidence) post(at int32, stem string, content bool) int32 {
	id, ok := e.ids[stem]
	if !ok {
		id = int32(len(e.stems))
		e.ids[stem] = id
		e.stems = append(e.stems, stem)
		e.postings = append(e.postings, nil)
		if content && len(stem) > 3 {
			e.near[stem[:2]] = append(e.near[stem[:2]], id)
		}
	}
	if p := e.postings[id]; len(p) == 0 || p[len(p)-1] != at {
		e.postings[id] = append(p, at)
	}
	return id
}

// initials adds the initials of three to eight consecutive capitalised words, skipping function
// words: possible acronyms.
func initials(words []word, into map[string]bool) {
	run := ""
	for _, w := range words {
		switch {
		case w.upper && !w.stop:
			run += w.low[:1]
			for n := 3; n <= min(len(run), 8); n++ {
				into[run[len(run)-n:]] = true
			}
		case !w.stop:
			run = ""
		}
		if len(run) > 8 {
			run = run[len(run)-8:]
		}
	}
}

// pack packs three IDs of 21 bits into one number.
func pack(a, b, c int32) uint64 {
	return uint64(a)<<42 ^ uint64(b)<<21 ^ uint64(c)
}

// signs returns the words that mean more or less, and the negators.
func signs(words []word) (out []signed, negs []int) {
	for i, w := range words {
		if w.negates {
			negs = append(negs, i)
			continue
		}
		sign := w.sign
		if sign == 0 {
			continue
		}
		if len(negs) > 0 && i-negs[len(negs)-1] <= 3 {
			sign = -sign
		}
		out = append(out, signed{at: i, sign: sign})
	}
	return out, negs
}

// likeSynonym is the similarity of two words of one group.
const likeSynonym = .7

// soft returns the similarity of a stem to the evidence's most similar stem with the same first two
// bytes: the Dice coefficient of their trigrams of characters, 0 below .45.
func (e *Evidence) soft(stem string) float64 {
	best := 0.0
	if len(stem) > 3 {
		for _, id := range e.near[stem[:2]] {
			best = max(best, dice(stem, e.stems[id]))
		}
	}
	if best < .45 {
		best = 0
	}
	for _, other := range synonyms()[stem] {
		if _, ok := e.ids[other]; ok {
			return max(best, likeSynonym)
		}
	}
	return best
}

func dice(a, b string) float64 {
	n, m := len(a)-2, len(b)-2
	if n <= 0 || m <= 0 || math.Abs(float64(n-m)) > 6 {
		return 0
	}
	both := 0
	used := uint64(0)
	for i := range n {
		for j := range min(m, 64) {
			if used&(1<<j) == 0 && a[i:i+3] == b[j:j+3] {
				used |= 1 << j
				both++
				break
			}
		}
	}
	return 2 * float64(both) / float64(n+m)
}
