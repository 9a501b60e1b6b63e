package facts

import "example.com/assay/state"

// checkCount compares one with several of the same: "several main branches" and
// "one main branch".
func (c *comparison) checkCount() {
	var r *carriage
	for i := range c.claim.toks {
		said, heads := countAt(c.claim.toks, i)
		if said == 0 || len(heads) == 0 {
			continue
		}
		if r == nil {
			r = c.carriageOf()
		}
		at, most := place{-1, 0}, 0.0
		for _, k := range c.e.holders[heads[len(heads)-1]] {
			s := c.e.sentences[k]
			for j := range s.toks {
				other, of := countAt(s.toks, j)
				if other == 0 || !startWith(of, heads) {
					continue
				}
				if other == said {
					return
				}
				if carried := r.rest(-1, int(k)); carried > most {
					at, most = place{int(k), j}, carried
				}
			}
		}
		if most >= halfCarried && excepts(c.e.sentences[at.sentence]) == excepts(c.claim) {
			c.add(state.ConflictQuantifier, i, i+1, at.sentence, at.index, at.index+1, true)
			return
		}
	}
}

// halfCarried is how much of a claim a sentence has to carry to be compared in how
// many it speaks of.
const halfCarried = .5

// How many of something a sentence speaks of, where it gives no number.
const (
	one = iota + 1
	several
)

var counts = map[string]int{
	"one": one, "single": one, "sole": one,
	"several": several, "multiple": several, "many": several, "numerous": several,
}

// countAt reports whether token i says one or several, and the roots of what,
// up to its noun.
func countAt(toks []token, i int) (count int, of []string) {
	count = counts[toks[i].text]
	j := i + 1
	switch {
	case toks[i].text == "any" && textAt(toks, i+1) == "number" && textAt(toks, i+2) == "of":
		count, j = several, i+3
	case count == one && (textAt(toks, j) == "of" || textAt(toks, j) == "or" || textAt(toks, i-1) == "than" || textAt(toks, i-1) == "or" || textAt(toks, i-1) == "least" || textAt(toks, i-1) == "every"):
		return 0, nil // one of three, one or more, more than one
	}
	if count == 0 {
		return 0, nil
	}
	for ; j < len(toks) && toks[j].kind == word && toks[j].content && len(of) < 3; j++ {
		of = append(of, toks[j].root)
	}
	return count, of
}

// startWith reports whether what is counted in the evidence is what the claim
// counts.
func startWith(list, with []string) bool {
	if len(with) > len(list) {
		with = with[:len(list)]
	}
	for i := range with {
		if list[i] != with[i] {
			return false
		}
	}
	return len(with) > 0
}
