package facts

import (
	"strings"

	"example.com/assay/memory/text"
)

// A negation is a word that denies the words after it. A double negation, as in "did not fail to
// notify", is one negation that denies nothing.
type negation struct {
	tok   int      // its first word
	end   int      // the token after its last head
	heads []string // roots of the denied words, the nearest first
	odd   bool
}

var negators = text.Set(`not no never neither nor without none nobody nothing cannot hardly barely rarely scarcely
	unlikely unable yet lack lacks lacked lacking absence non`)

// failing verbs deny the infinitive after them.
var failing = text.Set(`fail fails failed failing failure refuse refuses refused refusing decline declines declined neglect neglects neglected`)

// negative words contain a denial. Evidence with one of them next to a word that the claim denies
// may mean the same.
var negative = rootSet(`refuse reject deny prohibit ban forbid absent exclude exempt prevent stop cease avoid
	disqualify impossible free zero little few instead rather except unless until waive void oppose only
	remove revoke cancel suspend lose lost defeat false wrong contrary contradict abandon dismiss unaware inability missing
	withdraw remain minus omit skip ignore despite different unlike`)

// rootSet returns the set of the roots of words.
func rootSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[rootOf(w)] = true
	}
	return set
}

func isNegator(toks []token, i int) bool {
	t := toks[i]
	if t.kind != word || t.roles&asNegator == 0 {
		return false
	}
	switch next := textAt(toks, i+1); {
	case strings.HasSuffix(t.text, "n't"):
		return true
	case failing[t.text] || t.text == "yet":
		return next == "to"
	case !negators[t.text]:
		return false
	case t.text == "no" && next == "." && i+2 < len(toks) && toks[i+2].kind == number:
		return false // No. 5
	case t.text == "not" && (next == "only" || next == "just" || next == "merely" || next == "until" || next == "least"):
		return false
	case t.text == "not" && textAt(toks, i-1) == "or" && textAt(toks, i-2) == "whether":
		return false
	case t.text == "non":
		return next == "-"
	case t.text == "no" || t.text == "not":
		return !boundFollows(toks, i+1)
	case t.text == "cannot":
		return !boundFollows(toks, i+2) // cannot have more than 64
	}
	return true
}

// boundFollows reports whether "more than 5", "later than 3 May" or "exceed 5" follows: then the
// negator belongs to the number.
func boundFollows(toks []token, i int) bool {
	if textAt(toks, i) == "be" {
		i++
	}
	at := i + 1
	switch textAt(toks, i) {
	case "more", "less", "fewer", "later", "earlier", "greater", "higher", "lower", "longer", "older", "younger":
		if textAt(toks, at) != "than" {
			return false
		}
		at++
	case "exceed", "exceeding", "over", "above", "below", "under":
	default:
		return false
	}
	for ; at < len(toks) && at < i+4; at++ {
		if toks[at].kind == number || isCardinal(toks[at].text) || monthAt(toks, at) > 0 {
			return true
		}
	}
	return false
}

// negations returns the denials of a sentence.
func negations(toks []token) (out []negation, negated []bool) {
	negated = make([]bool, len(toks))
	until := false
	for _, t := range toks {
		until = until || t.text == "until"
	}
	for i := 0; i < len(toks); i++ {
		if !isNegator(toks, i) || until && toks[i].text == "not" { // "not … until" tells when, not whether
			continue
		}
		n := negation{tok: i, odd: true}
		var heads []int
		clause, moved := toks[i].clause, false
		j := i + 1
		most := 3
		if textAt(toks, i+1) == "of" && toks[i].text != "none" {
			most = 1 // "lack of sleep", "absence of doubt"
		}
		for ; j < len(toks) && len(heads) < most; j++ {
			t := toks[j]
			if isNegator(toks, j) {
				if len(heads) > 0 {
					break
				}
				n.odd = !n.odd
				clause = t.clause
				continue
			}
			if t.clause != clause {
				// "Neither the short nor the long", "not, however, apply"
				if len(heads) > 0 || moved || t.kind != sign {
					break
				}
				clause, moved = t.clause, true
				continue
			}
			if toks[i].text == "without" && len(heads) > 0 && (t.text == "the" || t.text == "a" || t.text == "an") {
				break // "Without the damper the mast …"
			}
			if t.kind == word && t.content {
				heads = append(heads, j)
			}
		}
		for _, h := range heads {
			n.heads = append(n.heads, toks[h].root)
			negated[h] = n.odd
		}
		n.end = j
		out = append(out, n)
		i = j - 1
		if j < len(toks) && isNegator(toks, j) {
			i = j - 1
		}
	}
	return out, negated
}

// withoutPrefix returns the word that "unlawful" or "invalid" denies.
func withoutPrefix(w string) (base string, ok bool) {
	for _, prefix := range []string{"un", "in", "im", "il", "ir", "non", "dis"} {
		if base, ok = strings.CutPrefix(w, prefix); ok && len(base) >= 4 {
			return base, true
		}
	}
	return "", false
}
