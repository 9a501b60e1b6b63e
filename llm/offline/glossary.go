package offline

import (
	"strings"
	"sync"

	"example.com/assay/memory/text"
)

// glossary is general legal and compliance vocabulary, one family of terms per line, written for
// this project. Terms of a family are interchangeable in a search; they are not definitions. A line
// that begins with "*" names a doctrine, rule or right: a concept that can decide a question. The
// first term is the family's usual name. Only alternative queries use the synonyms; answers never
// do.
const glossary = `
* battery; harmful or offensive contact; unlawful touching; physical contact tort
* assault; apprehension of imminent contact; threat of immediate harm
* false imprisonment; confinement without lawful authority; restraint of liberty; detention of a person
* infliction of emotional distress; outrageous conduct; severe mental suffering; outrage
* trespass to land; unlawful entry onto property; invasion of possession
* trespass to chattels; interference with personal property; intermeddling with goods
* conversion; wrongful exercise of dominion over goods; serious interference with property; trover
* transferred intent; intent shifts to unintended victim; accidental injury of a different person
* self-defense; self-defence; reasonable force against an attacker; defensive force privilege
* defense of others; defence of others; protecting a third person; force to protect another
* defense of property; defence of property; protection of possessions by force
* deadly force; force likely to kill; lethal force
* consent; permission; agreement of the person affected; volenti
* necessity; emergency privilege; choice of evils
* negligence; failure to use reasonable care; careless conduct; fault
* duty of care; obligation to take reasonable care; standard of conduct
* breach of duty; departure from the standard of care; unreasonable conduct
* proximate cause; legal cause; scope of liability; foreseeable consequence
* actual cause; but-for causation; factual causation; cause in fact
* contributory negligence; plaintiff's own fault; comparative fault
* assumption of risk; voluntary exposure to danger; accepted hazard
* res ipsa loquitur; inference of negligence from the accident itself
* strict liability; liability without fault; absolute liability
* products liability; defective product; manufacturer responsibility
* vicarious liability; respondeat superior; employer responsible for employee acts
* nuisance; interference with use and enjoyment of land
* defamation; false statement harming reputation; libel; slander
* invasion of privacy; intrusion upon seclusion; disclosure of private facts
* misrepresentation; false statement of fact; deceit; fraud
* duress; coercion; compelled by threats
* undue influence; abuse of a position of trust; overpowered will
* unconscionability; grossly unfair terms; oppressive bargain
* consideration; bargained-for exchange; something of value given
* offer; proposal to contract; manifestation of willingness to bargain
* acceptance; assent to the terms; agreement to an offer
* revocation; withdrawal of an offer; retraction
* counteroffer; counter-offer; reply with different terms; rejection and new offer
* statute of frauds; writing requirement; signed memorandum
* parol evidence; prior oral agreement; extrinsic terms; integrated writing
* promissory estoppel; detrimental reliance on a promise
* unjust enrichment; restitution; quasi-contract; quantum meruit
* breach of contract; failure to perform a promise; nonperformance
* material breach; substantial failure of performance; total breach
* anticipatory repudiation; refusal before performance is due
* impossibility; impracticability; performance made unworkable; frustration of purpose
* condition precedent; event that must occur before performance
* third-party beneficiary; rights of a nonparty under a contract
* assignment; transfer of contractual rights; delegation
* specific performance; order to perform; equitable relief
* liquidated damages; agreed sum on breach; penalty clause
* warranty; guarantee of quality; merchantability
* adverse possession; title by long hostile occupation; open and notorious possession
* easement; right to use another's land; servitude
* covenant running with the land; restrictive covenant; promise binding successors
* mortgage; security interest in land; foreclosure
* lease; landlord and tenant agreement; tenancy
* eviction; removal of a tenant; recovery of possession
* joint tenancy; right of survivorship; co-ownership; joint tenants
* recording act; priority of deeds; bona fide purchaser
* eminent domain; taking of property for public use; just compensation
* search and seizure; unreasonable search; fourth amendment protection
* search warrant; judicial authorization to search; warrant requirement
* probable cause; reasonable grounds to believe; sufficient factual basis
* reasonable suspicion; articulable facts; brief investigative stop
* exclusionary rule; suppression of unlawfully obtained evidence; fruit of the poisonous tree
* search incident to arrest; search of an arrested person
* exigent circumstances; emergency exception; urgent need to act
* plain view; openly visible evidence
* traffic stop; roadside detention of a driver; vehicle stop
* automobile exception; vehicle search without a warrant
* miranda warnings; custodial interrogation rights; warning before questioning; miranda
* right to counsel; assistance of a lawyer; appointed attorney
* self-incrimination; privilege to remain silent; compelled testimony
* confession; admission of guilt; incriminating statement
* jury trial; trial by jury; right to a jury
* speedy trial; trial without undue delay
* double jeopardy; second prosecution for the same offense
* confrontation clause; right to cross-examine witnesses
* due process; fair procedure; notice and an opportunity to be heard
* equal protection; unequal treatment by government; discriminatory classification
* strict scrutiny; compelling government interest; narrowly tailored
* rational basis; legitimate government interest
* freedom of speech; expression; first amendment protection; free speech
* establishment clause; government support of religion
* free exercise; religious practice
* commerce clause; regulation of interstate commerce
* preemption; federal law displaces state law; supremacy
* standing; injury in fact; right to sue
* subject-matter jurisdiction; power of the court over the case; federal question; diversity of citizenship
* personal jurisdiction; power over the defendant; minimum contacts
* venue; proper place of trial; forum
* summary judgment; no genuine dispute of material fact; judgment without trial
* class action; representative suit; collective proceeding
* res judicata; claim preclusion; final judgment bars a second suit
* collateral estoppel; issue preclusion; issue already decided
* statute of limitations; time bar; limitation period; time to sue
* injunction; court order to stop; restraining order
* hearsay; out-of-court statement; statement offered for its truth
* excited utterance; statement under the stress of a startling event
* business record; record of a regularly conducted activity
* character evidence; propensity; prior bad acts
* impeachment; attack on a witness's credibility; prior inconsistent statement
* expert testimony; opinion of a specialist witness; scientific evidence
* attorney-client privilege; confidential communication with a lawyer; legal professional privilege
* burden of proof; duty to prove; preponderance; reasonable doubt
* murder; unlawful killing with malice; homicide
* manslaughter; killing without malice; heat of passion
* robbery; taking by force or fear
* burglary; breaking and entering; unlawful entry with criminal intent
* larceny; theft; stealing property; taking and carrying away
* embezzlement; misappropriation by a person entrusted
* conspiracy; agreement to commit a crime
* attempt; substantial step toward a crime
* accomplice; aiding and abetting; accessory
* entrapment; inducement by police
* insanity; mental disease defense; incapacity to know wrong
* intoxication; drunkenness; influence of drugs or alcohol
* mens rea; guilty mind; criminal intent
* agency; acting on behalf of a principal; authority of an agent
* fiduciary duty; duty of loyalty; duty to act in another's interest
* piercing the corporate veil; disregard of the corporate form; shareholder liability; alter ego
* will; testament; testamentary instrument
* trust; property held for a beneficiary; trustee
* personal data; personal information; data relating to an identifiable person
* data controller; person deciding the purposes of processing
* data processor; person processing data on behalf of another
* data subject; individual; natural person concerned
* data breach; personal data incident; security incident
* lawful basis; legal ground for processing
* right of access; subject access request; copy of the data
* right to erasure; right to be forgotten; deletion of data
* data transfer; transfer to another country; cross-border disclosure
* impact assessment; risk assessment before processing
* money laundering; proceeds of crime; concealment of illicit funds
* customer due diligence; know your customer; identification and verification of clients
* beneficial owner; natural person with ultimate control; controller of the client
* suspicious transaction; suspicious activity report; report to the financial intelligence unit
* sanctions; restrictive measures; asset freeze; listed person
* insider dealing; insider trading; use of inside information
* market abuse; market manipulation; misleading conduct
* conflict of interest; competing interests; divided loyalty
* capital requirement; own funds; minimum capital; regulatory capital
* outsourcing; delegation to a service provider; third-party arrangement
* client money; client assets; segregated funds
* record keeping; retention of records; documentation
* whistleblowing; protected disclosure; reporting of wrongdoing
* confidentiality; non-disclosure; secrecy obligation
* termination; ending of the agreement; cancellation
* indemnity; hold harmless; compensation for loss
* force majeure; events beyond control; supervening event
* governing law; applicable law; choice of law
* arbitration; private dispute resolution; arbitral tribunal
* discrimination; unequal treatment; disparate treatment
* harassment; hostile environment; unwelcome conduct
* wrongful dismissal; unfair termination of employment; discharge
* licence; license; authorisation; permit
* copyright; authorship right; protected work
* trademark; mark; brand identifier
* patent; invention right; patentable subject matter
* trade secret; confidential business information
liable; responsible; held accountable
recover; obtain damages; succeed in the claim
sue; bring an action; claim; file suit
plaintiff; claimant; injured party
defendant; respondent; party sued; accused
damages; compensation; monetary relief
court; tribunal; judge
police; law enforcement; officer
arrest; taken into custody; detention
crime; offense; criminal act; offence
evidence; proof; admissible material
admissible; may be received; allowed in evidence
statute; legislation; act; enactment
regulation; rule; regulatory provision
regulator; supervisory authority; competent authority
obligation; duty; requirement
prohibited; forbidden; not permitted; unlawful
permitted; allowed; authorised; lawful
exception; exemption; carve-out; exclusion
deadline; time limit; period; within days
notify; notification; inform; give notice
report; disclose; submit; file
penalty; fine; sanction; punishment
approve; approval; consent of the authority; authorization
employee; worker; staff member
employer; company; business
customer; client; consumer
bystander; third person; unintended victim
injury; harm; damage; hurt
force; violence; physical power
landlord; lessor
tenant; lessee; occupier
promise; undertaking; assurance
owner; proprietor; holder; possessor
buyer; purchaser; vendee
seller; vendor; merchant
contract; agreement; bargain
property; land; premises; real estate
vehicle; car; automobile
house; home; dwelling; residence
child; minor; infant; juvenile
director; officer; board member
shareholder; member; stockholder
knowledge; awareness; knowing; scienter
intent; purpose; intentional; deliberate
reasonable; prudent; ordinary; objectively justified
written; in writing; signed document
elements; requirements; components; must prove
define; definition; meaning; means
`

// A family is a group of terms that are interchangeable in a search.
type family struct {
	concept bool
	terms   []string   // as written, the usual name first
	stems   [][]string // of each term
}

// A mention is a use of a family's term in a text.
type mention struct {
	family   *family
	term     int // index into the family's terms
	from, to int // the words from..to−1 of the text
}

type glossaryIndex struct {
	families []family
	byFirst  map[string][]entry // by a term's first stem
}

type entry struct{ family, term int }

// terminology is the parsed glossary, built on first use.
var terminology = sync.OnceValue(func() *glossaryIndex {
	g := &glossaryIndex{byFirst: map[string][]entry{}}
	for line := range strings.Lines(strings.TrimSpace(glossary)) {
		line, concept := strings.CutPrefix(strings.TrimSpace(line), "* ")
		f := family{concept: concept}
		for t := range strings.SplitSeq(line, ";") {
			t = strings.TrimSpace(t)
			f.terms = append(f.terms, t)
			f.stems = append(f.stems, text.Terms(t, nil))
		}
		g.families = append(g.families, f)
		for t, stems := range f.stems {
			g.byFirst[stems[0]] = append(g.byFirst[stems[0]], entry{len(g.families) - 1, t})
		}
	}
	return g
})

// mentions returns the glossary's terms in words, left to right, the longest at each position,
// without overlap.
func (g *glossaryIndex) mentions(words []word) []mention {
	var found []mention
	for i := 0; i < len(words); {
		best := mention{to: i}
		for _, e := range g.byFirst[words[i].Stem] {
			stems := g.families[e.family].stems[e.term]
			if i+len(stems) > best.to && matchesAt(words, i, stems) {
				best = mention{&g.families[e.family], e.term, i, i + len(stems)}
			}
		}
		if best.family == nil {
			i++
			continue
		}
		found = append(found, best)
		i = best.to
	}
	return found
}

func matchesAt(words []word, at int, stems []string) bool {
	if at+len(stems) > len(words) {
		return false
	}
	for i, s := range stems {
		if words[at+i].Stem != s {
			return false
		}
	}
	return true
}

// concepts returns the names of the distinct concepts in words, in order, as
// the text spells them, without repeats of a family.
func (g *glossaryIndex) concepts(words []word) []string {
	seen := map[*family]bool{}
	var names []string
	for _, m := range g.mentions(words) {
		if !m.family.concept || seen[m.family] || m.everyday(words) {
			continue
		}
		seen[m.family] = true
		names = append(names, m.spelled(words))
	}
	return names
}

// spelled returns a mention as in the text, in lower case, with the hyphens of the glossary.
func (m mention) spelled(words []word) string {
	list := make([]string, m.to-m.from)
	for i := range list {
		list[i] = words[m.from+i].Text
	}
	name := strings.Join(list, " ")
	if term := m.family.terms[m.term]; strings.ReplaceAll(term, "-", " ") == name {
		return term
	}
	return name
}

// everyday reports whether a one-word mention is more likely an ordinary word
// than the concept: "he will", "offers a ride".
func (m mention) everyday(words []word) bool {
	if m.to-m.from > 1 {
		return false
	}
	w := words[m.from].Text
	if term := m.family.terms[m.term]; w != term && w != term+"s" {
		return true // "stands", "converted": a form of the word, not its name
	}
	switch w {
	case "attempts", "trusts", "offers", "permits", "consents", "marks":
		return true
	case "will", "offer", "standing", "mark", "fault", "discharge", "outrage", "release", "attempt", "trust", "consent", "permit":
		if m.from == 0 {
			return true
		}
		switch words[m.from-1].Text {
		case "a", "an", "the", "of", "on", "is", "have", "has":
			return false
		}
		return len(words) > 3 // a single word is the topic
	}
	return false
}
