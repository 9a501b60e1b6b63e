package facts

import (
	"strings"

	"example.com/assay/memory/text"
)

// Words that say nothing about what a sentence is about: those that search
// leaves out, and those that one of the checks looks at by itself.
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

// opensClause are words that begin a clause with a predicate of its own.
var opensClause = text.Set(`but while whereas although though because which who whom whose if unless when where
	since until so and or nor that after before`)

// irregular forms and the verbs they belong to.
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

// synonym gives words that name the same thing one root. A line is a group.
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
