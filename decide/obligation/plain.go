package obligation

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/memory/text/values"
)

// A Degree says how explicitly a sentence states a rule.
type Degree string

const (
	NoRule    Degree = ""
	Explicit  Degree = "explicit"  // an explicit norm: must, shall, required, prohibited
	Plain     Degree = "plain"     // plainly stated: present tense, an imperative, only, never, a limit
	Reference Degree = "reference" // it refers to another place for what must be done
)

// trait is a property of a word, or of a sentence, that matters for rules.
type trait int

const (
	must      trait = iota // has to, by a verb or an adjective
	forbid                 // is not allowed
	may                    // can, is allowed, is accepted
	not                    // denies
	only                   // alone
	never                  // not once, nobody, no … at all
	limit                  // at most, at least, until, within: with a value a limit
	every                  // the bound persons: each, all, whoever, one
	enough                 // is sufficient, valid, needed, free
	finite                 // is, has, becomes: present tense
	past                   // was, had
	first                  // I, we: a report about somebody
	exists                 // there is
	unit                   // days, euros
	addressed              // you, please
	// Of the sentence.
	value    // a number, a time, a sum
	mood     // begins with what to do
	fragment // has no recognisable verb
	generic  // is about a whole kind: a plural at its beginning
	answers  // is below a question
	manyTraits
)

// lexicon lists the words of a trait in English, German, French, Spanish, Italian, Portuguese and
// Dutch. It leaves out a word that means something else in another of these languages.
var lexicon = map[trait]string{
	must: `muss müssen muß musst müsst sollen verpflichtet pflicht obligatorisch erforderlich notwendig vorgeschrieben verpflichtend
		doit doivent devez obligatoire obligatoires tenu tenus tenues exigé exigée requis requise faut
		debe deben deberá deberán debes obligatorio obligatoria obligatorios obligatorias requiere requieren exige imprescindible
		deve devono dovete dovrà obbligatorio obbligatoria obbligatori obbligatorie obbligo devem deverá deverão obrigatório obrigatória obrigatórios
		moet moeten verplicht verplichte vereist dient`,
	forbid: `verboten untersagt unzulässig interdit interdite interdits interdites prohibido prohibida prohibidos prohibidas prohíbe
		vietato vietata vietati vietate divieto proibido proibida proibidos proibidas verboden forbidden prohibited banned`,
	may: `may can could allowed permitted accepted admitted welcome darf dürfen kann können erlaubt gestattet zulässig möglich zugelassen
		peut peuvent pouvez autorisé autorisée autorisés autorisées admis admise admises permis permise
		puede pueden permitido permitida permitidos permite autorizado autorizada admite admiten
		può possono consentito consentita consentiti ammesso ammessa ammessi ammesse pode podem autorizados mag mogen kan kunnen toegestaan`,
	not: `not cannot don't doesn't isn't aren't nor nicht kein keine keinen keiner keinem pas ne non no não niet geen`,
	only: `only solely exclusively alone nur ausschließlich allein lediglich seulement uniquement exclusivement solamente únicamente sólo solo exclusivamente
		soltanto esclusivamente só somente apenas alleen uitsluitend slechts`,
	never: `never nobody none noone niemals nie niemand keinesfalls jamais aucun aucune nunca jamás nadie ningún ninguna ninguno nessun nessuno nessuna
		ninguém nenhum nenhuma nooit niemand`,
	limit: `within least most maximum minimum max min until latest exceed beyond longer later earlier more less up before after by between above below over under
		binnen innerhalb höchstens mindestens spätestens maximal minimal bis ab frist zwischen länger
		maximum délai moins plus avant jusqu'à jusqu'au dans entre après máximo mínimo plazo hasta antes dentro desde menos más entre
		massimo minimo almeno fino prima entro oltre mínimo até prazo depois uiterlijk minstens hoogstens ten tot vóór tussen na`,
	every: `every each all any anyone everyone whoever both jede jeder jedes jeden jedem alle wer man beide sämtliche tout toute tous toutes chaque quiconque on
		todo toda todos todas cada quien quienes se ogni tutti tutte chiunque chi si quem qualquer elke ieder iedere iedereen men alle`,
	enough: `sufficient enough valid void due payable needed necessary free included excluded reserved liable responsible binding required insured covered personal
		genügt reicht gültig kostenlos ausgeschlossen enthalten fällig nötig inbegriffen suffit valable gratuit gratuits exclu exclus inclus payable remboursé remboursées
		basta suficiente válido válida gratuito gratis incluido excluido valido valida sufficiente incluso escluso necessario necessaria
		suficiente gratuita incluído excluído necessário necessária volstaat geldig gratis inbegrepen nodig`,
	finite: `is are has have goes go pays pay stays stay needs need takes take lies lie stands stand ist sind hat haben wird werden gilt gelten bleibt bleiben beträgt betragen
		est sont a ont ferme ouvre es está son están ha han tiene tienen è sono hanno viene vengono são tem têm é está fica ficam is zijn heeft hebben wordt worden blijft geldt`,
	past: `since ago was were had did went came became began voted said told wrote war waren wurde wurden hatte hatten était étaient fut furent avait avaient a-été
		seit depuis fue fueron era eran había fu furono erano foi foram eram waren werd had stond`,
	first:  `i my me we our us ich wir mir mein unser je j'ai nous notre yo mi nosotros io noi nostro eu nós nosso ik wij ons`,
	exists: `there gibt hay existe c'è há er`,
	unit: `second seconds minute minutes hour hours day days night nights week weeks month months year years times metre metres meter meters percent euro euros pound pounds dollar dollars cent cents degrees
		o'clock noon midnight monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays weekday weekdays yearly monthly weekly daily
		sekunden minuten stunde stunden tag tage tagen nacht woche wochen monat monate monaten jahr jahre jahren uhr prozent monatsmieten monatlich jährlich wöchentlich montag dienstag mittwoch donnerstag freitag samstag sonntag sonntags
		heure heures jour jours semaine semaines mois an ans pour-cent lundi mardi mercredi jeudi vendredi samedi dimanche
		minuto minutos hora horas día días semana semanas mes meses año años minuti ora ore giorno giorni settimana settimane mese mesi anno anni
		januar februar märz mai juni juli dezember janvier février mars avril juin juillet août septembre octobre novembre décembre
		enero febrero marzo abril mayo junio julio agosto septiembre noviembre diciembre gennaio febbraio aprile giugno luglio settembre ottobre dicembre janeiro fevereiro março maio junho julho setembro outubro dezembro
		dia dias mês ano anos minuut minuten uur dag dagen week weken maand maanden jaar jaren`,
	addressed: `you your please bitte veuillez merci por-favor si-prega gelieve graag`,
}

// traits maps each word to its traits.
var traits = sync.OnceValue(func() map[string][]trait {
	out := map[string][]trait{}
	for t := must; t < value; t++ {
		for _, w := range strings.Fields(lexicon[t]) {
			out[w] = append(out[w], t)
		}
	}
	return out
})

// unspaced are the forms of a trait in Chinese and Japanese, which have no spaces.
var unspaced = []struct {
	trait trait
	forms []string
}{
	{forbid, []string{"てはならない", "てはいけない", "てはなりません", "てはいけません", "禁止", "禁じ", "不得", "严禁", "嚴禁", "不可", "不许", "不許", "できません"}},
	{must, []string{"なければならない", "なければなりません", "必要がある", "必要です", "すること", "してください", "ください", "必须", "必須", "应当", "應當", "义务", "须", "須"}},
	{may, []string{"できる", "てもよい", "可以", "可能です"}},
	{only, []string{"のみ", "だけ", "に限る", "仅限", "僅限", "只能"}},
	{limit, []string{"以内", "以內", "までに", "以上", "以下", "之前", "不超过", "不超過"}},
	{finite, []string{"される", "とする", "である", "为", "為"}},
	{value, []string{"日", "時", "小时", "分钟", "円", "元", "月", "年", "時間", "天"}},
}

// weights say how much a trait supports a plainly stated rule; from leastPlain on, a sentence is
// one.
var weights = [manyTraits]float64{
	must: 2, forbid: 2, may: .7, not: .3, only: .9, never: 1.1, every: .6, enough: .5, finite: .4, past: -1.6, first: -.3, exists: -1.2,
	addressed: .2, value: .5, mood: 1.1, fragment: -.2, generic: .3, answers: .4,
}

const (
	leastPlain = .6
	limited    = .5 // a bound together with a value
	refused    = .5 // a denial together with a permission or a sufficiency
	fewWords   = 2  // a rule has more words
)

// base matches the beginning of a sentence that instructs its reader: a word that is not a name,
// and its object.
var (
	base = pattern.New(`^(?:(?i:please|always|then|first|kindly|bitte|in an emergency|if [^,.;]{1,80}),?\s+)*(?:(?:[Dd]o not|[Dd]on['’]t|[Nn]ever)\s+([a-z]+)|([A-Za-z][a-z]+)(?:\s+(?:up|off|out|down|back|away))?\s+(?:the|an?|your|yourself|any|all|each|every|no|it|them|this|these|both|twice|only|at least|us|away)\b|[A-ZÄÖÜ][a-zäöüß]+(?:en|n) Sie\b|[A-ZÉÈ][a-zéèêç]+ez\s|[A-Z][a-z]+(?:ar|er|ir|are|ere|ire)\s+(?:el|la|los|las|il|lo|gli|le|les|o|a|os|as)\s)`)
	// without matches a rule of a list or a sign that begins with a prohibited thing.
	without = pattern.New(`^(?i:no|kein|keine|keinen|pas de|aucun|aucune|nessun|nessuna|nada de|sin|geen)\s+\p{L}`)
	// plural matches a plural at the beginning.
	plural = pattern.New(`^(?:[A-Z][a-z]{2,}[^s\W]s|[\p{L}]+ (?:and|or|und|et|y|e|en) [\p{L}]+|(?i:les|los|las|gli|os|as|de|die|the) [\p{L}]+(?:s|en|n|i))\s+[\p{Ll}]`)
	// finiteT matches a third person of the present in German, French and Dutch.
	finiteT = pattern.New(`^(?:(?i:der|die|das|de|het|les|le|la|ein|eine|wer)\s+)?[\p{L}-]+\s+[\p{Ll}]{2,}(?:t|en|ent)\s`)
	// told matches a verb of the past before its object.
	told = pattern.New(`(?i)(?:^|\s)([\p{L}]+)\s+[a-z]{2,}ed\s+(?:the|an?|to|that|him|her|it|them|in|from|for|against|its|his|by)\b`)
	// leaders matches the dots of a table of contents.
	leaders = regexp.MustCompile(`\.{4,}|(?:\. ){4,}|…{2,}`)
	// finiteS matches a third person of the present after its subject.
	finiteS = pattern.New(`(?:^|[\s>])(?:(?:[Tt]he|[Ee]ach|[Ee]very|[Aa]n?|[Aa]ny|[Nn]o|[Ii]t|[Hh]e|[Ss]he|[Ww]hoever|[Ll]e|[Ll]a|[Dd]er|[Dd]ie|[Dd]as|[Ee]l)\s+)?[\p{L}.'’)]+\s+(?:also\s+|always\s+)?[a-z]{2,}[^s\W]s\s+(?:the|an?|any|every|each|no|to|only|in|at|on|by|with|within|for|from|after|before|it|all|up|its|their|[0-9])`)
	// marked matches a speaker's or an answer's mark before the text.
	marked = pattern.New(`^(?:\[[^\]\n]{0,40}\]\s*)?(?:[A-Z][\p{L}.]{0,24}(?:\s[A-Z][\p{L}.]{0,24})?:\s+)?`)
)

// be are words before a participle in -ed, which then is not a past tense.
var be = text.Set("is are be been being has have not also only get gets must shall may can will and or as when if unless once")

// plainTraits returns the traits of a sentence, and its number of words. The traits of its context
// are added by the caller.
func plainTraits(s string) (has [manyTraits]bool, words int) {
	bare := marked.ReplaceAllString(text.OneLine(s), "")
	bare, _ = unmarked(bare)
	bare = strings.Trim(bare, "*_ ")
	wide := false
	for _, r := range bare {
		wide = wide || unicode.Is(unicode.Han, r) || unicode.Is(unicode.Hiragana, r)
		has[value] = has[value] || unicode.IsDigit(r) && !wide || r == '%' || unicode.Is(unicode.Sc, r)
	}
	if wide {
		for _, u := range unspaced {
			for _, f := range u.forms {
				has[u.trait] = has[u.trait] || strings.Contains(bare, f)
			}
		}
		return has, utf8.RuneCountInString(bare)
	}
	tokens := text.Tokens(bare)
	for i, t := range tokens {
		denied := i > 0 && slices.Contains(traits()[tokens[i-1].Text], not)
		for _, of := range traits()[t.Text] {
			named := of == may && bare[t.Start] == 'M' && i > 0 // the month
			has[of] = has[of] || !named && (of != forbid || !denied)
		}
		if before, after, found := strings.Cut(t.Text, "'"); found { // n'est, l'anno, qu'au
			for _, of := range append(traits()[after], traits()[before]...) {
				has[of] = true
			}
			has[not] = has[not] || before == "n"
			has[only] = has[only] || before == "qu" && has[not]
		}
		has[value] = has[value] || values.Cardinals[t.Text] > 1 || values.Tens[t.Text] > 0 || values.Month(t.Text) > 0 && len(t.Text) > 3
		has[only] = has[only] || t.Text == "que" && slices.ContainsFunc(tokens[:i], func(o text.Token) bool { return o.Text == "ne" })
	}
	has[value] = has[value] || has[unit]
	for _, m := range told.FindAllStringSubmatch(bare, -1) {
		has[past] = has[past] || !be[strings.ToLower(m[1])]
	}
	has[never] = has[never] || without.MatchString(bare)
	if m := base.FindStringSubmatch(bare); m != nil {
		verb := strings.ToLower(m[1] + m[2])
		has[mood] = !text.DocStops.Has(verb) && len(traits()[verb]) == 0
	}
	has[finite] = has[finite] || finiteS.MatchString(bare) || finiteT.MatchString(bare)
	has[generic] = plural.MatchString(bare)
	has[fragment] = !has[finite] && !has[mood] && !has[must] && !has[may]
	return has, len(tokens)
}

// states reports whether a sentence prescribes something without an English word of duty, and
// whether another language's word of duty does so.
func states(s, label string) (rule, explicit bool) {
	has, words := plainTraits(s)
	if !prescribable(s, words) {
		return false, false
	}
	has[answers] = strings.HasSuffix(label, "?") || strings.HasSuffix(label, "？")
	sum := 0.0
	for t, w := range weights {
		if has[t] {
			sum += w
		}
	}
	if has[limit] && has[value] {
		sum += limited
	}
	if has[not] && (has[may] || has[enough]) {
		sum += refused
	}
	return sum >= leastPlain, sum >= leastPlain && (has[must] || has[forbid]) && !has[past]
}

// prescribable reports whether a sentence with this number of words can be a rule at all.
func prescribable(s string, words int) bool {
	end := strings.TrimRight(s, "*_ \t\r\n")
	return words > fewWords && !strings.HasSuffix(end, "?") && !strings.HasSuffix(end, "？") && !Leads(s) && !leaders.MatchString(s)
}

// leastListed is the minimum number of items in a list, half of them rules, that makes the others
// rules.
const leastListed = 3

// A Listing is a sentence of a passage, with its degree so far.
type Listing struct {
	Sentence, Label string // the label of its block
	Item            bool   // it is in a list
	Degree          Degree
}

// Listed makes plain rules of the other items in a list of which most items are rules. Items in the
// past tense do not change.
func Listed(all []Listing) {
	for from, to := 0, 0; from < len(all); from = to {
		rules := 0
		for to = from; to < len(all) && all[to].Label == all[from].Label && all[to].Item == all[from].Item; to++ {
			if all[to].Degree != NoRule {
				rules++
			}
		}
		if !all[from].Item || to-from < leastListed || 2*rules < to-from {
			continue
		}
		for i := from; i < to; i++ {
			if has, words := plainTraits(all[i].Sentence); all[i].Degree == NoRule && prescribable(all[i].Sentence, words) && !has[past] {
				all[i].Degree = Plain
			}
		}
	}
}

// Degree says how explicitly a sentence states a rule. Lead is the text before it that belongs to
// it, such as its list's lead-in; label is its block's label.
func (m *Model) Degree(sentence, lead, label string) Degree {
	r := m.Read(sentence)
	of := Reading{}
	if lead != "" {
		if of = m.Read(lead); !r.Obligation && !r.Defines {
			r = of
		}
	}
	explicit := r.Obligation && (inSoManyWords(sentence) || inSoManyWords(lead))
	if r.Defines || of.Defines || Leads(sentence) {
		return NoRule
	}
	rule, foreign := states(sentence, label)
	switch {
	case Defers(sentence) && (rule || r.Obligation):
		return Reference
	case explicit || foreign:
		return Explicit
	case rule || r.Obligation:
		return Plain
	}
	return NoRule
}

// Confidence is how certain a quoted rule is: high if explicit and whole, medium if plainly stated
// or cut, low if it refers elsewhere or lacks its exception.
func (d Degree) Confidence(x Excerpt) string {
	switch {
	case d == Reference || d == NoRule || x.Limited:
		return "low"
	case d == Plain || x.Cut:
		return "medium"
	}
	return "high"
}

// inSoManyWords reports whether a sentence says must, required, prohibited, or the like.
func inSoManyWords(s string) bool {
	if mayDeny.MatchString(strings.ToLower(s)) {
		s = strongDenied.ReplaceAllString(s, " ")
	}
	for _, c := range cues[:7] {
		if m := c.re.FindString(s); m != "" && !strings.Contains(strings.ToLower(m), "only") {
			return true
		}
	}
	return false
}

// reference matches a reference to another place.
var reference = pattern.New(`(?i)\b(?:see(?: also)?|refer(?:s|red)? to|in accordance with|pursuant to|as (?:set out|required|defined|described|provided|specified) (?:in|by|under)|comply with)\s+(?:the\s+)?(?:§+\s*|section|article|rule|part|chapter|policy|annex|appendix|paragraph|REQ-)[^,;.]*`)

// Defers reports whether a sentence refers to another place for what must be done: it says little
// apart from the reference.
func Defers(s string) bool {
	const least = 4 // content stems apart from the reference
	rest := reference.ReplaceAllString(s, " ")
	return rest != s && len(text.Terms(rest, text.DocStops)) < least
}
