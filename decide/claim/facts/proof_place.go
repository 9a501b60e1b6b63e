package facts

import (
	"strings"
	"unicode"

	"example.com/assay/state"
)

// A carriage tells how much of a claim each sentence of the evidence carries: of
// the words that tell what the claim is about, each counted once and by its
// rarity.
type carriage struct {
	words  []int       // tokens of the claim
	weight []float64   // by word
	held   [][]float64 // by word and sentence
}

// What it counts that a sentence has a claim's word only in other words, or that
// the sentence before or after has it.
const (
	inOtherWords = .9
	heldBefore   = .4
)

func (c *comparison) carriageOf() *carriage {
	out := &carriage{}
	seen := map[string]bool{}
	for i, t := range c.claim.toks {
		if !t.tells() || seen[t.stem] {
			continue
		}
		seen[t.stem] = true
		out.words = append(out.words, i)
		out.weight = append(out.weight, rarityOf(t.stem))
		out.held = append(out.held, c.holding(t))
	}
	return out
}

// holding is how well each sentence has a word of the claim.
func (c *comparison) holding(t token) []float64 {
	own := make([]float64, len(c.e.sentences))
	mark := func(in []int32, how float64) {
		for _, k := range in {
			own[k] = max(own[k], how)
		}
	}
	mark(c.e.stemmed[t.stem], 1)
	if t.kind == word {
		m := meaningOf(t.text)
		for _, stem := range m.own {
			mark(c.e.stemmed[stem], 1)
		}
		for _, stem := range m.same {
			mark(c.e.stemmed[stem], inOtherWords)
		}
		mark(c.e.holders[t.root], inOtherWords)
	}
	out := make([]float64, len(own))
	for k := range own {
		out[k] = own[k]
		if k > 0 && own[k-1] > 0 {
			near := heldBefore
			if refersBack(c.e.sentences[k]) {
				near = referred
			}
			out[k] = max(out[k], near)
		}
		if k+1 < len(own) && own[k+1] > 0 {
			out[k] = max(out[k], inNext)
		}
	}
	return out
}

// rest is how much of the claim sentence k carries beside word a.
func (r *carriage) rest(a, k int) float64 {
	sum, total := 0.0, 0.0
	for b, w := range r.weight {
		if b != a {
			sum, total = sum+w*r.held[b][k], total+w
		}
	}
	if total == 0 {
		return 0
	}
	return sum / total
}

// A shape is how a thing is written that a text calls by its own name: a
// constant, an option, an identifier. Things of one shape stand for one another.
type shape uint8

const (
	noShape    shape = iota
	isOption         // --hard, -x
	isConstant       // ROLLBACK, debian/NEWS, gc.auto
	isCompound       // IndexError
)

// shapeOf is the shape of token i of a sentence.
func shapeOf(s *sentence, i int) shape {
	t := s.toks[i]
	if t.kind != word {
		return noShape
	}
	before, after := signAt(s.toks, i-1), signAt(s.toks, i+1)
	switch {
	case t.joined && before == "-" && !(i > 1 && s.toks[i-1].joined && s.toks[i-2].kind != sign):
		return isOption
	case t.allCaps, t.joined && (before == "_" || before == "/" || before == "."):
		return isConstant
	case i+2 < len(s.toks) && s.toks[i+1].joined && s.toks[i+2].joined && (after == "_" || after == "/"):
		return isConstant
	case strings.ContainsFunc(s.text[t.start+1:t.end], unicode.IsUpper):
		return isCompound
	}
	return noShape
}

func signAt(toks []token, i int) string {
	if i < 0 || i >= len(toks) || toks[i].kind != sign {
		return ""
	}
	return toks[i].text
}

// What it takes to say that a thing stands in the place of another.
const (
	fewWords   = 3   // of a claim, which say too little to compare
	manyWords  = 12  // of a claim, which are more than one statement
	allTheRest = .85 // of the claim, in the sentence that has the other thing
	farLess    = .25 // of the claim is in any sentence that has the claim's own
)

// checkThings finds a sentence that carries a short claim but for one thing, in
// whose place it has another of the same shape: "END is an alias for ROLLBACK"
// where it has COMMIT. That the claim's own is named elsewhere shows nothing.
func (c *comparison) checkThings(r *carriage) {
	if len(r.words) < fewWords || len(r.words) > manyWords {
		return
	}
	for a, i := range r.words {
		shape := shapeOf(c.claim, i)
		if shape == noShape || c.reported(part{first: i, end: i + 1}) {
			continue
		}
		own, other, at := 0.0, 0.0, place{-1, 0}
		for k := range c.e.sentences {
			carried := r.rest(a, k)
			own = max(own, carried*r.held[a][k])
			if carried <= other || r.held[a][k] >= inOtherWords {
				continue
			}
			if j := c.rival(k, shape); j >= 0 {
				other, at = carried, place{k, j}
			}
		}
		if other >= allTheRest && other-own >= farLess {
			c.add(state.ConflictName, i, i+1, at.sentence, at.index, at.index+1, true)
		}
	}
}

// rival is the first thing of a shape in sentence k that the claim does not have,
// or -1.
func (c *comparison) rival(k int, want shape) int {
	s := c.e.sentences[k]
	first := firstWord(s.toks)
	for j, t := range s.toks {
		if j != first && len(c.claim.places[t.stem]) == 0 && shapeOf(s, j) == want {
			return j
		}
	}
	return -1
}
