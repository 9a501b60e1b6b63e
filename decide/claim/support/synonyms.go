package support

import (
	"strings"
	"sync"

	"example.com/assay/memory/text"
)

// groups are words that encyclopedias, news and abstracts use for one another. If the evidence has
// a word of a term's group, the term counts as similar, not as found: the words are close, but not
// always equivalent.
const groups = `
	die died death dead deceased killed demise passed
	born birth native
	marry married marriage wed wife husband spouse
	film movie picture
	song single track
	album record lp
	release released launch launched issue issued publish published debut debuted
	begin began begun start started commence commenced opening
	end ended finish finished conclude concluded close closed cease ceased
	win won winner winning victory beat beaten defeat defeated champion triumph
	lose lost loss defeat defeated
	appoint appointed appointment named elected selected chosen picked
	company firm corporation business enterprise
	car vehicle automobile
	buy bought purchase purchased acquire acquired acquisition
	sell sold sale
	build built construct constructed construction erected
	create created founded founder founding establish established formed formation set
	leave left depart departed quit resign resigned
	return returned back
	move moved relocate relocated transfer transferred
	say said state stated tell told note noted remark remarked comment commented announce announced claim claimed
	write wrote written author authored writer penned
	direct directed director helmed
	play played player performed perform performance starred star portrayed role cast actor actress
	study research investigation analysis trial
	scientist researcher investigator
	doctor physician
	child children kid kids son daughter infant infants newborn baby babies
	mother father parent parents mom dad
	brother sister sibling siblings
	school college university academy
	student pupil students
	teacher professor lecturer
	job post position role office
	work worked working employed employment served
	help helped assist assisted aid aided support supported
	show showed shown demonstrate demonstrated reveal revealed indicate indicated
	big large great huge major
	small little minor tiny
	quick fast rapid rapidly quickly
	near close nearby
	almost nearly approximately about roughly
	area region district zone
	town city village municipality
	country nation state
	war battle conflict fighting
	attack attacked assault raid strike
	police officers authorities
	arrest arrested detained custody charged
	prison jail imprisoned incarcerated
	law act legislation statute bill
	court judge tribunal
	vote voted ballot election elected poll
	party organization organisation group association
	leader head chief chairman president director
	member members membership
	team club side squad
	match game fixture
	coach manager trainer
	season year
	award prize honor honour medal
	receive received got obtained awarded given earned
	give gave given donate donated provide provided
	increase increased rise rose grow grew growth higher elevated
	decrease decreased reduce reduced fall fell decline declined lower drop dropped
	cause caused lead led result resulted induce induced
	prevent prevented stop stopped block blocked inhibit inhibited
	illness disease sickness disorder
	cancer tumor tumour carcinoma neoplasm malignancy
	drug medication medicine treatment therapy
	mouse mice murine
	patient patients
	risk likelihood probability odds
	heart cardiac cardiovascular coronary
	brain cerebral neural
	kidney renal
	liver hepatic
	lung pulmonary respiratory
	blood plasma serum
	gene genes genetic
	death mortality
	survival survive survived
	woman women female females
	man men male males
	old older elderly aged age
	young younger youth juvenile
	money fund funds funding financed
	cost price fee worth
	house home residence lived resided
	road street highway route
	ship vessel boat
	plane aircraft airplane jet
	train railway rail railroad
	station stop
	book novel volume
	newspaper paper journal magazine
	television tv broadcast aired
	internet online web website
	show series program programme episode
	music musical band
	painting artwork art
	review reviewed critic critics
	criticize criticized criticise criticised
	agree agreed agreement accord deal contract signed
	plan planned scheme project
	require required need needed must
	allow allowed permit permitted enable enabled
	use used utilize utilized using
	make made produce produced production manufacture manufactured
	change changed alter altered modify modified
	call called named known titled dubbed
	include included including contain contained comprise comprised consist
	join joined signed
	quit retire retired retirement
	replace replaced successor succeeded
	previous former earlier prior
	final last
	initial first original originally
	many several numerous multiple various
	suggest suggested propose proposed
	important significant key crucial
	damage damaged destroy destroyed destruction
	injured injury wounded hurt
	protest protested demonstration rally
	religious religion church faith
	kill killed murder murdered
	store shop
	worker employee staff
	boss chief
	located situated based
	population inhabitants residents people
	british uk britain
	american us usa
	english england
`

// synonyms returns the stems of the other words in a stem's groups.
var synonyms = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(groups) {
		var stems []string
		for _, w := range strings.Fields(line) {
			if s := text.Stem(w); len(stems) == 0 || stems[len(stems)-1] != s {
				stems = append(stems, s)
			}
		}
		for _, s := range stems {
			for _, other := range stems {
				if other != s {
					out[s] = append(out[s], other)
				}
			}
		}
	}
	return out
})

// light words frame a statement: words that join sentences, name a speaker, or fit nearly anything.
var light = text.Set(`however although though unlike therefore thus hence moreover furthermore also well besides
	additionally meanwhile instead otherwise nevertheless nonetheless indeed still already even yet else
	according say says said saying state states stated stating note notes noted noting report reports reported
	announce announces announced confirm confirms confirmed describe describes described describing claim claims
	claimed comment commented commenting tell tells told argue argues argued arguing explain explained add added
	mention mentioned write wrote known called considered regarded named titled
	along alongside within among amongst across around toward towards upon via per despite since without
	including include includes included involving involve involved such various several many much few
	next later earlier prior previously former formerly subsequently eventually finally originally initially
	currently recently soon afterwards thereafter ago
	become becomes became becoming make makes made making take takes took taken taking give gives gave given
	giving get gets got come comes came go goes went gone put set keep kept begin began begun start started use
	used using seem seemed appear appeared
	particular particularly especially specifically generally usually often frequently mainly mostly largely
	officially formally simply merely actually really overall respectively
	able unable least approximately nearly almost enough sufficiently highly
	one ones others another thing things part parts way ways number numbers kind type types form example case
	back away together alone apart behind ahead
	good great best better new own like based related similar different following
	whose whom where when while`)
