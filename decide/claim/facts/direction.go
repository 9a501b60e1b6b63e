package facts

import (
	"slices"
	"strings"
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
