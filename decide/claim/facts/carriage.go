package facts

import (
	"strings"
	"unicode"
)

// A carriage says how much of a claim each sentence of the evidence contains, counting each of the
// claim's topic words once.
type carriage struct {
	words []int       // tokens of the claim
	held  [][]float64 // by word and sentence
}

// Weights of a word that a sentence has only in other words, and of a word that only a neighbouring
// sentence has.
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
		out.held = append(out.held, c.holding(t))
	}
	return out
}

// holding returns how well each sentence contains a word of the claim.
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

// isCode reports whether token i is written as the name of something in software: an option
// (--hard), a constant (ROLLBACK, gc.auto), an identifier (IndexError).
func isCode(s *sentence, i int) bool {
	t := s.toks[i]
	if t.kind != word {
		return false
	}
	before, after := signAt(s.toks, i-1), signAt(s.toks, i+1)
	return t.allCaps ||
		t.joined && before == "-" && !(i > 1 && s.toks[i-1].joined && s.toks[i-2].kind != sign) ||
		t.joined && (before == "_" || before == "/" || before == ".") ||
		i+2 < len(s.toks) && s.toks[i+1].joined && s.toks[i+2].joined && (after == "_" || after == "/") ||
		strings.ContainsFunc(s.text[t.start+1:t.end], unicode.IsUpper)
}

func signAt(toks []token, i int) string {
	if i < 0 || i >= len(toks) || toks[i].kind != sign {
		return ""
	}
	return toks[i].text
}
