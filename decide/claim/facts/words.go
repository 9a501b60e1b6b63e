package facts

import (
	"slices"
	"strings"
	"sync"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/wordnet"
)

// Words that are not part of a sentence's topic: the stop words of search, and words that a check
// handles separately.
var function = functionWords()

func functionWords() map[string]bool {
	set := text.Set(`must ought cannot can't won't don't doesn't didn't isn't aren't wasn't weren't
		hasn't haven't hadn't shouldn't wouldn't couldn't mustn't needn't never none nobody
		nothing neither without within every many several always sometimes often usually
		possibly perhaps probably reportedly allegedly also thus therefore however either
		yes per one ones another since although though whereas unless until towards among
		upon via etc least whose whom according anymore any`)
	for w := range text.DocStops {
		set[w] = true
	}
	return set
}

// opensClause are words that begin a clause with its own predicate.
var opensClause = text.Set(`but while whereas although though because which who whom whose if unless when where
	since until so and or nor that after before`)

// irregular maps irregular forms to their verbs.
var irregular = pairs(`kept keep sold sell bought buy paid pay payment pay payable pay gave give given give
	took take taken take fell fall fallen fall rose rise risen rise won win lost lose led lead held hold
	began begin begun begin became become wrote write written write ran run sent send left leave made make
	found find met meet built build grew grow grown grow drew draw drawn draw chose choose chosen choose
	spoke speak spoken speak broke break broken break drove drive driven drive born birth bore bear told tell
	taught teach thought think brought bring caught catch fought fight sought seek felt feel dealt deal meant mean
	lent lend spent spend shot shoot struck strike stood stand sat sit laid lay lain lie swore swear
	wore wear worn wear threw throw thrown throw knew know known know showed show shown show saw see seen see
	ate eat eaten eat flew fly flown fly forgot forget forgotten forget froze freeze frozen freeze hid hide
	hidden hide rode ride ridden ride sang sing sung sing sank sink swam swim went go gone go came come
	did do done do had have has have dying die death die dead die children child men man women woman
	people person persons person feet foot arose arise awoke wake overcame overcome withdrew withdraw
	withdrawn withdraw undertook undertake forbade forbid understood understand lesser less data datum`)

func pairs(list string) map[string]string {
	m := map[string]string{}
	f := strings.Fields(list)
	for i := 0; i+1 < len(f); i += 2 {
		m[f[i]] = f[i+1]
	}
	return m
}

// synonym gives words for the same thing one root. Each line is a group.
var synonym = synonymGroups(`
	start begin commence launch
	terminate finish cease discontinue conclude end
	require obligate oblige mandate
	buy purchase acquire
	allow permit authorise authorize
	prohibit ban forbid
	show demonstrate
	publish release
	link associate correlate
	reject refuse deny decline
	approve pass adopt
	establish found
	receive obtain get
	help assist aid
	kill slay
	lawyer attorney solicitor
	car automobile
	physician doctor
	movie film
	annual yearly
	large big
	rent rental
	fee charge
	licence license
	halt stop
	fabricate manufacture
	vote ballot
	build construct
	occur happen
	locate situate
	job employment
	near close
	firm company business
	home house
`)

func synonymGroups(list string) map[string]string {
	m := map[string]string{}
	for line := range strings.Lines(list) {
		group := strings.Fields(line)
		for _, w := range group {
			m[text.Stem(w)] = cut(text.Stem(group[0]))
		}
	}
	return m
}

// A meaning holds the stems of a word's synonyms, hypernyms and opposites.
type meaning struct {
	own      []string        // stems of the word's base forms
	same     []string        // stems of synonyms and derivations, its own first
	kinds    []string        // stems of hypernyms
	opposite []string        // stems of direct opposites
	contrary map[string]bool // the base forms of direct opposites
}

var (
	meaningsMu sync.Mutex
	meanings   = map[string]meaning{}
)

// mostMeanings bounds the cache.
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
	own, same, kinds, opposite := []string{text.Stem(w)}, []string{}, []string{}, []string{}
	for _, b := range bases {
		own = append(own, text.Stem(b))
		same = appendStems(same, wordnet.Synonyms(b))
		same = appendStems(same, wordnet.Derived(b))
		kinds = appendStems(kinds, wordnet.Hypernyms(b))
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
	own, opposite = text.Distinct(own), text.Distinct(opposite)
	opposite = slices.DeleteFunc(opposite, func(s string) bool { return slices.Contains(own, s) })
	same = slices.DeleteFunc(text.Distinct(append(slices.Clone(own), same...)), func(s string) bool { return slices.Contains(opposite, s) })
	return meaning{own: own, same: same, kinds: kinds, opposite: opposite, contrary: contrary}
}

func appendStems(to, words []string) []string {
	for _, w := range words {
		to = append(to, text.Stem(w))
	}
	return to
}

// oppositesOf are opposites that WordNet does not list. Each word on one side of a line is an
// opposite of each word on the other side.
var oppositesOf = readOpposites(`
	increase rise rose risen grow grew grown gain climb | decrease reduce fall fell fallen decline drop shrink lose lost
	higher above over exceed | lower below under
	before prior previous earlier former | after following later subsequent latter
	more most greater | less least fewer reduction
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
	mutable | immutable
	improve improved improves | worsen worsened worsens deteriorate deteriorated
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

// opposes reports whether a word is a form of a direct opposite. A word that shares only the stem,
// as limit with limited, is another word.
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
