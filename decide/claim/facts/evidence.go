package facts

import (
	"math"
	"slices"
	"strings"
	"sync"

	"example.com/assay/memory/text"
)

// Evidence is a list of parsed sentences. It does not change, and several claims may be checked
// against it at the same time.
type Evidence struct {
	sentences []*sentence
	holders   map[string][]int32 // sentences by root, in order
	stemmed   map[string][]int32 // sentences by stem, in order
	words     map[string]bool    // all words, without accents
	proper    []string           // capitalised words, sorted
	acronyms  map[string]bool    // acronyms of its names
}

// Prepare parses the sentences of the evidence. Their order is the caller's.
func Prepare(sentences []string) *Evidence { return NewReader(0).Prepare(sentences) }

// A Reader caches parsed sentences: the claims of a response are checked against largely the same
// evidence. It is safe for concurrent use.
type Reader struct {
	most int

	mu    sync.Mutex
	known map[text.Language]*lexicon
	read  map[text.Language]map[string]reading
	count int
}

// A reading is a parsed sentence.
type reading struct {
	sentence *sentence
	plain    []string // by token: without accents
}

// NewReader returns a reader that caches up to most sentences; then it empties the cache.
func NewReader(most int) *Reader {
	r := &Reader{most: most}
	r.clear()
	return r
}

func (r *Reader) clear() {
	r.known, r.read, r.count = map[text.Language]*lexicon{}, map[text.Language]map[string]reading{}, 0
}

// reading parses a sentence of a language.
func (r *Reader) reading(s string, l text.Language) reading {
	r.mu.Lock()
	defer r.mu.Unlock()
	if got, ok := r.read[l][s]; ok {
		return got
	}
	known := r.known[l]
	if known == nil {
		known = newLexicon(l)
		r.known[l], r.read[l] = known, map[string]reading{}
	}
	said := s
	if known.language != "" {
		said = inEnglish(s, l)
	}
	got := reading{sentence: parse(said, known)}
	for _, t := range got.sentence.toks {
		plain := t.text
		if t.kind == word {
			plain = known.words[t.text].plain
		}
		got.plain = append(got.plain, plain)
	}
	switch {
	case r.most == 0: // one evidence: only its words are worth caching
		return got
	case r.count >= r.most:
		r.clear()
		r.known[l], r.read[l] = newLexicon(l), map[string]reading{}
	}
	r.read[l][s] = got
	r.count++
	return got
}

// Prepare parses the sentences of the evidence. Their order is the caller's.
func (r *Reader) Prepare(sentences []string) *Evidence {
	e := &Evidence{holders: map[string][]int32{}, stemmed: map[string][]int32{}, words: map[string]bool{}, acronyms: map[string]bool{}}
	proper := map[string]bool{}
	for i, said := range sentences {
		got := r.reading(said, "")
		s := got.sentence
		e.sentences = append(e.sentences, s)
		for stem := range s.places {
			e.stemmed[stem] = append(e.stemmed[stem], int32(i))
		}
		for j, t := range s.toks {
			switch {
			case t.kind == sign:
				continue
			case t.kind == word:
				if h := e.holders[t.root]; len(h) == 0 || h[len(h)-1] != int32(i) {
					e.holders[t.root] = append(h, int32(i))
				}
			}
			w := got.plain[j]
			e.words[w] = true
			if t.capital && len(w) >= 4 {
				proper[w] = true
			}
		}
		for _, n := range s.names {
			if in := n.initials(s.toks); len(in) > 1 {
				e.acronyms[in] = true
				e.acronyms[strings.TrimPrefix(in, "t")] = true // The …
			}
		}
	}
	for w := range proper {
		e.proper = append(e.proper, w)
	}
	slices.Sort(e.proper)
	return e
}

// rarity is the weight of a root: higher for roots that are rare among the sentences.
func (e *Evidence) rarity(root string) float64 {
	n, df := float64(len(e.sentences)), float64(len(e.holders[root]))
	return math.Log(1 + (n-df+.5)/(df+.5))
}

// An Alignment is a sentence of the evidence on the claim's subject.
type Alignment struct {
	Sentence int
	Coverage float64 // weight of the claim's words in the sentence, divided by the weight of all
	Share    float64 // the same without weights, and without names and numbers
}

// enoughShared is the minimum share of a claim's words in a sentence about the same thing.
const enoughShared = .25

// align returns the sentences that share most with the claim, best first.
func (e *Evidence) align(c *sentence) []Alignment {
	weight := make([]float64, len(e.sentences))
	plain := make([]float64, len(e.sentences))
	total, count := 0.0, 0.0
	seen := map[string]bool{}
	add := func(root string, content bool) {
		if seen[root] {
			return
		}
		seen[root] = true
		w := e.rarity(root)
		total += w
		if content {
			count++
		}
		for _, s := range e.holders[root] {
			weight[s] += w
			if content {
				plain[s]++
			}
		}
	}
	for _, i := range c.contents {
		add(c.toks[i].root, true)
	}
	for _, n := range c.names {
		for _, i := range n.parts {
			if c.toks[i].kind == word {
				add(c.toks[i].root, false)
			}
		}
	}
	var out []Alignment
	best := 0.0
	for i := range weight {
		best = max(best, weight[i])
	}
	if best == 0 {
		return nil
	}
	for i := range weight {
		share := 1.0
		if count > 0 {
			share = plain[i] / count
		}
		if weight[i] >= .5*best && (share >= enoughShared || weight[i] == best) {
			out = append(out, Alignment{i, weight[i] / total, share})
		}
	}
	slices.SortStableFunc(out, func(a, b Alignment) int {
		switch {
		case a.Coverage > b.Coverage:
			return -1
		case a.Coverage < b.Coverage:
			return 1
		}
		return a.Sentence - b.Sentence
	})
	return out[:min(len(out), 8)]
}
