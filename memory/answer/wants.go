package answer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/memory/text/values"
)

// wants are the kinds of value that a question asks for, in addition to the forms of sentences: an
// amount, a day, a name. They add to scores and exclude no candidate.
type wants struct{ phone, money, count, span, time, often, place, person bool }

// What questions begin with, in the languages that people ask in most. Question words are a
// closed class of each language.
var (
	wantsPhone   = pattern.New(`(?i)\b(?:tele)?phone\b|telefonnummer|téléphone|teléfono|telefono|telefone|telefoonnummer|電話|电话`)
	wantsMoney   = pattern.New(`(?i)\b(?:how much (?:is|are|was|were|does|do|did|will|would|money|can|must|may|should)|prices?|costs?|fees?|fares?|charges?|rent|salary|earns?|paid|pay|budget|deposit|fine|allowance|what does .{1,40} cost)\b|(?:was|wie ?viel) kostet|kosten|preis|gebühr|miete|wie teuer|combien coûte|(?:^|\s)prix\b|tarif|loyer|cuánto (?:cuesta|vale|se paga|hay que pagar)|precio|alquiler|quanto cost|prezzo|quanto custa|preço|hoeveel kost|wat kost|prijs|いくら|円|料金|費用|多少钱|费用|价格`)
	wantsCount   = pattern.New(`(?i)\bhow (?:many|much|big|large|high|far|heavy|tall|deep|wide|old|strong|fast)\b|\b(?:number|amount|share|percentage|size|weight|limit|maximum|minimum|temperature|age) of\b|\bwhat (?:age|size|temperature|weight|number|percentage)\b|wie ?viele?\b|wie (?:hoch|groß|schwer|alt|weit|breit|tief)|combien|cuánt[oa]s?\b|quant[oiae]\b|quantos|hoeveel|hoe (?:groot|hoog|oud|zwaar)|何(?:人|個|枚|回|冊|歳|度)|いくつ|多少|几`)
	wantsSpan    = pattern.New(`(?i)\bhow (?:long|soon|quickly|early|late|much time|many (?:years|months|weeks|days|hours|minutes))\b|\bwithin (?:how|what|which)\b|\b(?:notice|deadline|period|duration)\b|wie (?:lange|schnell|bald|früh)|innerhalb|frist|combien de temps|pendant combien|délai|cuánto tiempo|plazo|quanto tempo|entro quanto|termine|prazo|hoe (?:lang|snel)|termijn|何(?:日|時間|か月|ヶ月|年|週間)|どのくらい|多长时间|多久|几天|几个`)
	wantsTime    = pattern.New(`(?i)\bwhen (?:is|are|was|were|do|does|did|can|could|must|will|should|may|has|have)\b|\b(?:and|since|until|by) when\b|\b(?:what|which) (?:day|time|date|year|month|hours?|evening|morning|week)\b|\b(?:until|by|from|since) when\b|\bwhat time\b|\bhow (?:early|late|soon)\b|\bdeadline\b|\blast day\b|\bwann\b|bis wann|uhrzeit|\bquand\b|quelle heure|quel jour|cuándo|a qué hora|qué día|\bquando\b|a che ora|quale giorno|a que horas|wanneer|hoe laat|いつ|何時|何曜日|什么时候|何时|几点|星期几`)
	wantsOften   = pattern.New(`(?i)\bhow (?:often|frequently|regularly)\b|wie oft|wie häufig|combien de fois|cuántas veces|con qué frecuencia|quante volte|quantas vezes|hoe vaak|何回|多久一次`)
	wantsPlace   = pattern.New(`(?i)\bwhere\b|\b(?:what|which) (?:place|room|address|floor|building|gate|shelf|city|town|country|desk|street|door)\b|(?:^|\s)wo(?:hin|her|rin)?\b|(?:^|\s)où\b|dónde|adónde|\bdove\b|\bonde\b|\bwaar(?:heen|in)?\b|どこ|哪里|哪儿|在哪`)
	beginsPerson = pattern.New(`(?i)^\W*(?:and |so |to |by |for |with )?(?:who|whom|whose|wer|wem|wen|quiénes?|chi|quem)\b`)
	beginsTime   = pattern.New(`(?i)^\W*(?:and |so |by |until |since |from )?(?:when|wann|ab wann|bis wann|quand|cuándo|wanneer)(?:$|\P{L})`)
	beginsPlace  = pattern.New(`(?i)^\W*(?:and |so )?(?:where|wo|wohin|woher|où|dónde|dove|onde|waar)(?:$|\P{L})`)
	wantsPerson  = pattern.New(`(?i)\bwho(?:m|se)?\b|(?:^|\s)we[rmn]\b|(?:^|\s)(?:à |de |avec )?qui\b|quiénes?|\bchi\b|(?:^|\s)quem\b|だれ|誰|谁`)
)

func wantsOf(asks string) wants {
	switch { // a question for who, when or where asks for nothing else
	case beginsPerson.MatchString(asks):
		return wants{person: true}
	case beginsTime.MatchString(asks):
		return wants{time: true}
	case beginsPlace.MatchString(asks):
		return wants{place: true}
	}
	return wants{
		phone: wantsPhone.MatchString(asks), money: wantsMoney.MatchString(asks), count: wantsCount.MatchString(asks), span: wantsSpan.MatchString(asks), time: wantsTime.MatchString(asks),
		often: wantsOften.MatchString(asks), place: wantsPlace.MatchString(asks), person: wantsPerson.MatchString(asks),
	}
}

var (
	hasPhone = pattern.New(`\d(?:[ ()/.-]{0,2}\d){3,}`)
	hasPrice = pattern.New(`\d[.,]\d\d(?:\D|$)`)
	hasNone  = pattern.New(`(?i)\b(?:nothing|none|no (?:fees?|charges?|limit|maximum|minimum)|unlimited|any number|as (?:many|much|long|often)|free|nichts|kein\w*|rien|aucune?|nada|ningun[oa]?|niente|nessun[oa]?|niets|geen)\b`)
	hasPlace = pattern.New(`(?i)\b(?:in|at|on|under|into|to|from|within|near|inside|outside|between|behind|opposite|above|below|beside|upstairs|downstairs|room|floor|street|building|gate|desk|cellar|hall)\b|(?:^|\s)(?:in|im|am|an|auf|bei|beim|unter|neben|hinter|vor|à|au|aux|en|dans|sur|chez|sous|près|al|nel|nella|sul|presso|no|na|em|op|bij|te|naar)\s|[にで在于]`)
)

// A holder reports whether a text in a language has a value of one kind.
type holder func(s string, l text.Language) bool

func holds(found ...func(string, text.Language) []values.Found) holder {
	return func(s string, l text.Language) bool {
		return slices.ContainsFunc(found, func(f func(string, text.Language) []values.Found) bool { return len(f(s, l)) > 0 })
	}
}

func matching(re *pattern.Pattern) holder {
	return func(s string, _ text.Language) bool { return re.MatchString(s) }
}

func percents(s string, _ text.Language) []values.Found { return values.Percents(s) }

var (
	phones  = matching(hasPhone)
	money   = holds(values.Money, percents)
	counts  = holds(values.Numerals)
	spans   = holds(values.Periods)
	times   = holds(values.Times, values.Days)
	oftens  = holds(values.Frequencies)
	places  = matching(hasPlace)
	nothing = matching(hasNone)
	priced  = matching(hasPrice)
)

// fits reports how well a candidate has a value of a kind asked for, at most 1.
func (w wants) fits(p *pool, s *sentence) float64 {
	best, asked := 0.0, false
	try := func(wanted bool, has holder, rest float64) {
		if !wanted {
			return
		}
		asked = true
		switch {
		case has(s.text, p.lang):
			best = max(best, 1)
		case rest > 0 && counts(s.text, p.lang):
			best = max(best, rest)
		}
	}
	try(w.phone, phones, 0)
	try(w.money, either(money, priced, nothing), .5)
	try(w.span, spans, .2)
	try(w.time, times, .2)
	try(w.often, oftens, .1)
	try(w.count && !w.money && !w.span && !w.phone, counts, 0)
	try(w.place, places, 0)
	if w.person {
		asked = true
		best = max(best, s.person(p))
	}
	if !asked {
		return 0
	}
	return best - .5 // a candidate without such a value loses
}

func either(list ...holder) holder {
	return func(s string, l text.Language) bool {
		return slices.ContainsFunc(list, func(h holder) bool { return h(s, l) })
	}
}

// amounts reports whether a text has a number that may be an amount of money.
func amounts(s string, l text.Language) bool {
	times := slices.Concat(values.Periods(s, l), values.Times(s, l), values.Days(s, l))
	return slices.ContainsFunc(values.Bare(s, l), func(v values.Found) bool { return !v.In(times) })
}

// lacking reports whether a text in a language has no value of the kind asked for, among the kinds
// recognised by how they are written.
func (w wants) lacking(s string, l text.Language) bool {
	if nothing(s, l) {
		return false
	}
	switch {
	case w.phone:
		return !phones(s, l)
	case w.time || w.place || w.person:
		return false
	case w.money:
		return !either(money, priced)(s, l) && !amounts(s, l)
	case w.span || w.often || w.count:
		return !either(counts, spans, oftens, times)(s, l)
	}
	return false
}

// person reports how well a candidate names a person: a name within it or an office in capital
// letters; for a row or field, a value written like a name.
func (s *sentence) person(p *pool) float64 {
	if s.part != nil && len(s.part.Cells) > 0 {
		for _, c := range s.part.Cells {
			v := p.sources[s.source].Text[c.Start:c.End] + c.Text
			if r, _ := utf8.DecodeRuneInString(v); unicode.IsUpper(r) && !strings.ContainsFunc(v, unicode.IsDigit) {
				return .9
			}
		}
		return 0
	}
	for i, w := range strings.Fields(s.text) {
		w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
		if w == "" || !unicode.IsUpper([]rune(w)[0]) || w == "I" {
			continue
		}
		if i > 0 || len(w) > 1 && strings.ToUpper(w) == w {
			return 1
		}
	}
	return .4
}
