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
	stemOf := func(x [3]int) []string { return []string{c.claim.toks[x[2]].stem} }
	for a := range things {
		for b := a + 1; b < len(things); b++ {
			x, y := things[a], things[b]
			if (a < names) != (b < names) || y[0]-x[0] > 30 || x[0]-y[0] > 30 || c.claim.toks[x[2]].stem == c.claim.toks[y[2]].stem {
				continue
			}
			given := c.placed(stemOf(x), x[0], x[1], nil) + c.placed(stemOf(y), y[0], y[1], nil)
			swapped := c.placed(stemOf(x), y[0], y[1], nil) + c.placed(stemOf(y), x[0], x[1], nil)
			first, end := min(x[0], y[0]), max(x[1], y[1])
			out = append(out, part{kind: state.ConflictRole, first: first, end: end, shown: given / 2, against: swapped / 2, by: unseen})
		}
	}
	return out
}

// A neighbour is a word of the claim near a place of it: on which side, and how
// much it counts.
type neighbour struct {
	stem   string
	side   int
	weight float64
}

// mostNeighbours is how many words on each side tell a place.
const mostNeighbours = 5

// neighbourhood are the words around tokens first..end of the claim, up to a sign, and
// the sum of their weights.
func (c *comparison) neighbourhood(first, end int) (with []neighbour, total float64) {
	toks := c.claim.toks
	for _, side := range [2]struct{ from, step int }{{first - 1, -1}, {end, 1}} {
		for n := range mostNeighbours {
			j := side.from + n*side.step
			if j < 0 || j >= len(toks) || toks[j].kind == sign {
				break
			}
			w := rarityOf(toks[j].stem) / (1 + float64(n+1)/3)
			with, total = append(with, neighbour{toks[j].stem, side.step, w}), total+w
		}
	}
	return with, total
}

// placed is how well one of some words fits the evidence at a place of the claim:
// the words around that place stand around the word there, close by and on the
// same side. usable may leave places out; nil takes all.
func (c *comparison) placed(stems []string, first, end int, usable func(k, j int) bool) float64 {
	with, total := c.neighbourhood(first, end)
	if total == 0 {
		return 0
	}
	best := 0.0
	for _, stem := range stems {
		for _, k := range c.e.stemmed[stem] {
			s := c.e.sentences[k]
			for _, j := range s.places[stem] {
				if usable != nil && !usable(int(k), j) {
					continue
				}
				sum := 0.0
				for _, w := range with {
					sum += w.weight * w.closeness(s, j)
				}
				best = max(best, sum/total)
			}
		}
	}
	return best
}

// closeness is how near a neighbour stands to token j of a sentence.
func (w neighbour) closeness(s *sentence, j int) float64 {
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
	return most
}
