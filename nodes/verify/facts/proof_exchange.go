package facts

import (
	"example.com/assay/state"
)

// mostThings is how many names and numbers of a claim are compared in pairs.
const mostThings = 16

// exchangeParts are pairs of names, or of numbers, that fit the evidence better
// the other way round.
func (c *comparison) exchangeParts() []part {
	var out []part
	var things [][3]int // first, end, the token that is looked up
	for _, n := range c.claim.names {
		if !n.weak || len(c.e.stemmed[c.claim.toks[n.parts[0]].stem]) > 0 {
			things = append(things, [3]int{n.first, n.end, n.parts[len(n.parts)-1]})
		}
	}
	names := len(things)
	for i, t := range c.claim.toks {
		if t.kind == number {
			things = append(things, [3]int{i, i + 1, i})
		}
	}
	things = things[:min(len(things), mostThings)]
	for a := range things {
		for b := a + 1; b < len(things); b++ {
			x, y := things[a], things[b]
			if (a < names) != (b < names) || y[0]-x[0] > 30 || x[0]-y[0] > 30 || c.claim.toks[x[2]].stem == c.claim.toks[y[2]].stem {
				continue
			}
			given := c.placed(x, x) + c.placed(y, y)
			swapped := c.placed(x, y) + c.placed(y, x)
			first, end := min(x[0], y[0]), max(x[1], y[1])
			out = append(out, part{kind: state.ConflictRole, first: first, end: end, shown: given / 2, against: swapped / 2, by: unseen})
		}
	}
	return out
}

// placed is how well a thing of the claim fits the evidence at the place of
// another: the words around that place stand around the thing there, on the same
// side.
func (c *comparison) placed(x, at [3]int) float64 {
	toks := c.claim.toks
	type near struct {
		stem   string
		side   int
		weight float64
	}
	var with []near
	total := 0.0
	add := func(j, d, side int) bool {
		t := toks[j]
		if t.kind == sign {
			return false
		}
		w := rarityOf(t.stem) / (1 + float64(d)/3)
		with = append(with, near{t.stem, side, w})
		total += w
		return true
	}
	for j, n := at[0]-1, 0; j >= 0 && n < 5; j-- {
		if add(j, at[0]-j, -1) {
			n++
		}
	}
	for j, n := at[1], 0; j < len(toks) && n < 5; j++ {
		if add(j, j-at[1]+1, 1) {
			n++
		}
	}
	if total == 0 {
		return 0
	}
	best := 0.0
	for _, k := range c.e.stemmed[toks[x[2]].stem] {
		s := c.e.sentences[k]
		for _, j := range s.places[toks[x[2]].stem] {
			sum := 0.0
			for _, w := range with {
				most := 0.0
				for _, p := range s.places[w.stem] {
					d := p - j
					if d == 0 || d > 8 || d < -8 {
						continue
					}
					f := 1 / (1 + float64(max(d, -d))/6)
					if d*w.side < 0 {
						f *= .3
					}
					most = max(most, f)
				}
				sum += w.weight * most
			}
			best = max(best, sum/total)
		}
	}
	return best
}
