package facts

import (
	"slices"
	"strings"
	"sync"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/wordnet"
)

// A meaning is what is known of a word: stems that say the same, and stems that
// say the opposite.
type meaning struct {
	own      []string        // stems of its base forms
	same     []string        // those of synonyms and derivations, its own first
	opposite []string        // those of direct opposites
	contrary map[string]bool // the base forms of direct opposites
}

var (
	meaningsMu sync.Mutex
	meanings   = map[string]meaning{}
)

// mostMeanings bounds what is remembered.
const mostMeanings = 1 << 14

// meaningOf looks a lower-case word up.
func meaningOf(w string) meaning {
	meaningsMu.Lock()
	defer meaningsMu.Unlock()
	if m, ok := meanings[w]; ok {
		return m
	}
	if len(meanings) >= mostMeanings {
		clear(meanings)
	}
	m := lookUp(w)
	meanings[w] = m
	return m
}

func lookUp(w string) meaning {
	bases := wordnet.Bases(w)
	contrary := map[string]bool{}
	own, same, opposite := []string{text.Stem(w)}, []string{}, []string{}
	for _, b := range bases {
		own = append(own, text.Stem(b))
		same = appendStems(same, wordnet.Synonyms(b))
		same = appendStems(same, wordnet.Derived(b))
		for _, a := range wordnet.Antonyms(b) {
			opposite, contrary[a] = append(opposite, text.Stem(a)), true
		}
	}
	for _, a := range wordnet.Antonyms(w) {
		opposite, contrary[a] = append(opposite, text.Stem(a)), true
	}
	for _, b := range append(bases, w) {
		for _, o := range oppositesOf[b] {
			opposite, contrary[o] = append(opposite, text.Stem(o)), true
		}
	}
	own, opposite = distinct(own), distinct(opposite)
	opposite = slices.DeleteFunc(opposite, func(s string) bool { return slices.Contains(own, s) })
	same = slices.DeleteFunc(distinct(append(slices.Clone(own), same...)), func(s string) bool { return slices.Contains(opposite, s) })
	return meaning{own: own, same: same, opposite: opposite, contrary: contrary}
}

func appendStems(to, words []string) []string {
	for _, w := range words {
		to = append(to, text.Stem(w))
	}
	return to
}

// distinct keeps the first of equal strings.
func distinct(list []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// oppositesOf are opposites that WordNet does not list as such: words of an axis
// that are not its own two poles. Both sides of a line are opposites.
var oppositesOf = readOpposites(`
	increase rise rose risen grow grew grown gain climb | decrease reduce fall fell fallen decline drop shrink lose lost
	higher above over exceed | lower below under
	before prior previous earlier former | after following later subsequent latter
	more most greater | less least fewer
	win won victory beat | lose lost loss defeat
	join joined enter sign | leave left quit depart exit
	begin began begun start open launch | end finish close stop cease
	buy bought acquire purchase | sell sold sale
	support favor endorse back | oppose against reject
	accept approve allow grant permit | reject deny refuse ban prohibit forbid dismiss
	north northern northeast northwest | south southern southeast southwest
	east eastern northeast southeast | west western northwest southwest
	largest biggest greatest | smallest
	first initial | last final
	best | worst
	oldest older elder eldest | youngest younger
	early earliest | late latest
	son boy | daughter girl
	father dad | mother mom
	brother | sister
	husband | wife
	man men boy gentleman | woman women girl lady
	uncle | aunt
	nephew | niece
	king prince | queen princess
	actor | actress
	male | female
	grandfather | grandmother
	grandson | granddaughter
	widower | widow
	lend lent loan | borrow
	import | export
	attack | defend
	appoint hire | dismiss fire resign
	promote | demote relegate
	inside within | outside
	major majority | minor minority
	public | private
	maximum | minimum
	add include | remove exclude delete
	create build | destroy demolish
	enable | disable
	success succeed | fail failure
	guilty convict | innocent acquit
	alive living | dead deceased
	up upper upward | down lower downward
	left | right
	majority | minority
	mutable | immutable
	required mandatory compulsory | optional voluntary
`)

func readOpposites(list string) map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(list) {
		left, right, ok := strings.Cut(line, "|")
		if !ok {
			continue
		}
		for _, l := range strings.Fields(left) {
			for _, r := range strings.Fields(right) {
				out[l], out[r] = append(out[l], r), append(out[r], l)
			}
		}
	}
	return out
}

// opposes reports whether a word is a form of a direct opposite: what shares only
// its stem, as limit does with limited, is another word.
func (m meaning) opposes(w string) bool {
	if m.contrary[w] {
		return true
	}
	for _, b := range wordnet.Bases(w) {
		if m.contrary[b] {
			return true
		}
	}
	return false
}
