package facts

import (
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// A turn is a word that says which way: up or down, before or after.
type turn struct {
	tok  int
	axis int
	sign int  // of the word
	odd  bool // turned round by a negation
}

// axes are pairs of directions; in each line the words before the bar say the
// contrary of those after it. Which of two axes a word is on says what it can
// be compared with.
var axes = readAxes(`
	increase increased rise grow growth gain elevate raise expand boost climb surge up accelerate augment enhance higher more greater improve enlarge extend upgrade | decrease reduce reduction decline fall drop lower shrink diminish down slow less fewer worsen lessen cut contract shorten downgrade deteriorate
	above exceed over | below under beneath
	before prior precede | after following subsequent follow
	allow permit authorise | prohibit ban forbid
	accept approve adopt grant uphold | reject refuse deny dismiss overturn
	win won | lose lost
	support favour favor endorse | oppose
	include | exclude
	heavy | light
	long | short
	early | late
	large big great major | small minor
	strong | weak
	hot warm | cold cool
	fast quick rapid | slow
	old | young
	begin open | end close
	enter join | leave
	import | export
	upper | bottom
	north northern | south southern
	east eastern | west western
	left | right
	maximum maximal most | minimum minimal least
	internal inside indoor | external outside outdoor
	public | private
	guilty convict | innocent acquit
	true correct | false incorrect
	add | remove
	create | destroy
	appoint hire | dismiss fire
	male | female
	buy | sell
	positive | negative
	profit | loss
	success succeed | failure
	activate | deactivate
	inhibit block suppress | stimulate promote induce
	safe | dangerous unsafe
	rich wealthy | poor
	present | absent
	wide broad | narrow
	thick | thin
	deep | shallow
	easy | difficult hard
	cheap | expensive
	domestic | foreign
	voluntary | compulsory mandatory
	temporary | permanent
	plaintiff | defendant
`)

// A side is an axis that a word is on, and which of its ends.
type side struct{ axis, sign int }

func readAxes(table string) map[string][]side {
	m := map[string][]side{}
	axis := 0
	for line := range strings.Lines(table) {
		plus, minus, ok := strings.Cut(line, "|")
		if !ok {
			continue
		}
		for i, list := range [2]string{plus, minus} {
			for _, w := range strings.Fields(list) {
				for _, form := range []string{w, comparative(w, "r"), comparative(w, "st")} {
					if root, s := rootOf(form), (side{axis, 1 - 2*i}); !slices.Contains(m[root], s) {
						m[root] = append(m[root], s)
					}
				}
			}
		}
		axis++
	}
	return m
}

// comparative is the form in "er" or "est" of a short adjective. Of other words
// it makes forms that nobody writes.
func comparative(w, ending string) string {
	switch last := w[len(w)-1]; {
	case len(w) > 7:
		return w
	case last == 'e':
		return w + ending
	case last == 'y':
		return w[:len(w)-1] + "ie" + ending
	case w == "hot" || w == "big" || w == "thin":
		return w + string(last) + "e" + ending
	}
	return w + "e" + ending
}

// turns finds the directions of a sentence. Those that are part of a number's
// bound ("more than five") are compared with it.
func turns(toks []token, negated []bool, quantities []quantity) []turn {
	bound := map[int]bool{}
	for _, q := range quantities {
		if q.bound != exactly {
			for i := max(0, q.first-3); i < q.first; i++ {
				bound[i] = true
			}
		}
	}
	var out []turn
	for i, t := range toks {
		if t.kind != word || t.roles&asTurn == 0 || bound[i] || t.capital && i > 0 && !t.content {
			continue
		}
		sides, ok := axes[t.root]
		if !ok || t.text == "over" || t.text == "under" || t.text == "right" || t.text == "leaves" || t.text == "most" || t.text == "least" {
			continue
		}
		odd := negated[i]
		if !odd && !t.content && i > 0 {
			odd = i+1 < len(toks) && negated[i+1] && t.text != "before" && t.text != "after"
		}
		for _, s := range sides {
			out = append(out, turn{tok: i, axis: s.axis, sign: s.sign, odd: odd})
		}
	}
	return out
}

// same reports whether two turns on one axis say the same.
func (a turn) same(b turn) bool { return (a.sign == b.sign) == (a.odd == b.odd) }

// checkDirection compares words that say which way, and who did it to whom.
func (c *comparison) checkDirection() {
	if c.checkRoles() {
		return
	}
	for _, t := range c.claim.turns {
		same, opposite := -1, -1
		var at place
		for _, a := range c.near(.6) {
			s := c.sentence(a)
			for _, u := range s.turns {
				if u.axis != t.axis || c.agreed(t, u) || excepts(s) != excepts(c.claim) {
					continue
				}
				n := s.around(u.tok, c.claim, c.claim.toks[t.tok].root)
				switch {
				case t.same(u):
					same = max(same, n)
				case u.sign != t.sign && n > opposite && a.Share >= aboutSame*.8 && !s.asks &&
					meet(beside(c.claim, t.tok), beside(s, u.tok)):
					opposite, at = n, place{a.Sentence, u.tok}
				}
			}
		}
		if opposite <= 0 {
			continue
		}
		if same >= opposite || c.converse(t, at) {
			continue
		}
		c.add(state.ConflictDirection, t.tok, t.tok+1, at.sentence, at.index, at.index+1, true)
		return
	}
}

// beside returns the roots of the two content words on each side of a token:
// what it is said of.
func beside(s *sentence, at int) []string {
	var out []string
	for _, step := range []int{-1, 1} {
		for i, n := at+step, 0; i >= 0 && i < len(s.toks) && n < 2; i += step {
			if t := s.toks[i]; t.kind == word && t.content {
				out = append(out, t.root)
				n++
			}
		}
	}
	return out
}

// agreed reports whether a turn of the evidence is already that of another
// word of the claim.
func (c *comparison) agreed(t, u turn) bool {
	return !t.same(u) && slices.ContainsFunc(c.claim.turns, func(o turn) bool { return o.axis == u.axis && o.same(u) })
}

// ordering words compare what stands on their two sides.
var ordering = text.Set(`before after above below over under prior precede precedes preceded follow follows followed exceed exceeds
	exceeded succeeded bought sold buys sells buy sell`)

// converse reports whether what stands on the two sides of a direction is
// exchanged as well: "A is heavier than B" and "B is lighter than A".
func (c *comparison) converse(t turn, at place) bool {
	s := c.e.sentences[at.sentence]
	if !compares(c.claim, t.tok) || !compares(s, at.index) {
		return false
	}
	l1, r1 := sides(c.claim, t.tok)
	l2, r2 := sides(s, at.index)
	crossed, straight := 0, 0
	for _, x := range l1 {
		crossed += count(r2, x)
		straight += count(l2, x)
	}
	for _, x := range r1 {
		crossed += count(l2, x)
		straight += count(r2, x)
	}
	return crossed > straight && crossed >= 2 || crossed > 0 && straight == 0 && len(l1) > 0 && len(r1) > 0
}

func compares(s *sentence, i int) bool {
	return ordering[s.toks[i].text] || textAt(s.toks, i+1) == "than" || textAt(s.toks, i+2) == "than" || textAt(s.toks, i+3) == "than"
}

func count(list []string, x string) int {
	if slices.Contains(list, x) {
		return 1
	}
	return 0
}

// sides returns the roots before and after a token.
func sides(s *sentence, at int) (left, right []string) {
	for i, t := range s.toks {
		if t.kind != word || !t.content || i == at {
			continue
		}
		if i < at {
			left = append(left, t.root)
		} else {
			right = append(right, t.root)
		}
	}
	return left, right
}

// inOrder reports whether a sentence has who, what and whom of a claim close
// together and in the claim's order.
func (c *comparison) inOrder(t triple) bool {
	for _, k := range c.e.holders[t.what] {
		s := c.e.sentences[k]
		want := []string{t.agent, t.what, t.patient}
		at, from := 0, 0
		for i, u := range s.toks {
			if u.kind != word || u.root != want[at] || at > 0 && i-from > 5 {
				if at > 0 && i-from > 5 {
					at = 0
				}
				continue
			}
			from = i
			if at++; at == len(want) {
				return !(c.passiveIn(s, i))
			}
		}
	}
	return false
}

// passiveIn reports "by" within the three tokens before a token.
func (c *comparison) passiveIn(s *sentence, i int) bool {
	return textAt(s.toks, i-1) == "by" || textAt(s.toks, i-2) == "by" || textAt(s.toks, i-3) == "by"
}

// checkRoles finds two parties that have changed places.
func (c *comparison) checkRoles() bool {
	for _, t := range c.claim.triples {
		if c.inOrder(t) {
			continue
		}
		var at place
		found, straight := false, false
		for _, a := range c.near(.6) {
			for j, u := range c.sentence(a).triples {
				if u.what != t.what {
					continue
				}
				straight = straight || u.agent == t.agent || u.patient == t.patient
				if u.agent == t.patient && u.patient == t.agent && a.Share >= aboutSame {
					at, found = place{a.Sentence, j}, true
				}
			}
		}
		if found && !straight {
			u := c.e.sentences[at.sentence].triples[at.index]
			c.add(state.ConflictDirection, t.first, t.end, at.sentence, u.first, u.end, true)
			return true
		}
	}
	return false
}
