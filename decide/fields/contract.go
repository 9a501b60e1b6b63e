package fields

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"example.com/assay/memory/text/pattern"
	"example.com/assay/memory/text/values"
)

// A mention is a value of a contract at its place, with its score.
type mention struct {
	start, end int
	value      string
	score      float64
	n          int // number of places
}

func (m *mention) add(is bool, w float64) {
	if is {
		m.score += w
	}
}

// mostMentions bounds the values of a kind that are considered: those at the beginning and at the
// end of a text.
const mostMentions = 400

// outer returns a long list without its middle.
func outer[T any](list []T) []T {
	if len(list) <= mostMentions {
		return list
	}
	return slices.Concat(list[:mostMentions/2], list[len(list)-mostMentions/2:])
}

// before and after return the text around bytes in lower case, with white space as spaces.
func (p *page) before(at, n int) string { return plain(p.text[max(0, at-n):at]) }

func (p *page) after(at, n int) string { return plain(p.text[at:min(len(p.text), at+n)]) }

var spaces = strings.NewReplacer("\n", " ", "\t", " ", "\r", " ", "“", `"`, "”", `"`, "’", "'")

func plain(s string) string { return strings.ToLower(spaces.Replace(s)) }

// best returns the mention with the highest score, the first of equals, and its probability against
// the others and against having no value.
func best(list []mention, none float64) (m mention, p float64, ok bool) {
	if len(list) == 0 {
		return mention{}, 0, false
	}
	total := math.Exp(none)
	m = list[0]
	for _, c := range list {
		total += math.Exp(c.score)
		if c.score > m.score {
			m = c
		}
	}
	return m, math.Exp(m.score) / total, m.score >= none
}

func mentioned(m mention) string { return m.value }

// gather merges the mentions with one key: the best one stays, with the number of places.
func gather(list []mention, key func(mention) string) []mention {
	at := map[string]int{}
	var out []mention
	for _, m := range list {
		i, ok := at[key(m)]
		if !ok {
			at[key(m)] = len(out)
			m.n = 1
			out = append(out, m)
			continue
		}
		n := out[i].n + 1
		if m.score > out[i].score {
			out[i] = m
		}
		out[i].n = n
	}
	return out
}

var (
	dateTrigger  = pattern.New(`(?:effective|made|entered|dated|executed|as of|day of)(?:\W+\w+){0,3}\W*$`)
	dateOther    = pattern.New(`agreement and plan|prior|original|merger|amended|expire|until|employ|terminat|period end|fiscal`)
	dateBlank    = pattern.New(`_{3,}|\[ *\]|day of *,`)
	nearSigned   = pattern.New(`by:|signature|/s/|name:|title:`)
	effective    = pattern.New(`effective\s+date`)
	labelledDate = pattern.New(`dated?:?\s*$`)
)

// effectiveDate returns the date from which a contract is in force.
func (p *page) effectiveDate(monthFirst bool) (mention, float64, bool) {
	var list []mention
	for i, d := range outer(values.Dates(p.text, &values.DateOptions{MonthFirst: monthFirst})) {
		m := mention{start: d.Start, end: d.End, value: d.Value}
		left, right := p.before(d.Start, 90), p.after(d.End, 60)
		m.add(dateTrigger.MatchString(left), 2)
		m.add(effective.MatchString(right) || effective.MatchString(left), 1)
		m.add(i == 0, .8)
		m.add(d.Start < 800, .8)
		m.add(d.Start < 2000, .6)
		m.add(d.Start > len(p.text)*4/5, -.4)
		m.add(dateOther.MatchString(left[max(0, len(left)-70):]), -1.6)
		m.add(labelledDate.MatchString(left), .4)
		m.add(nearSigned.MatchString(left), .2)
		if row := p.rowAt(d.Start); row >= 0 {
			m.add(p.rows[row].end-p.rows[row].start == d.End-d.Start, .6)
		}
		list = append(list, m)
	}
	list = gather(list, mentioned)
	for i := range list {
		list[i].score += .4 * float64(min(list[i].n-1, 2))
	}
	none := 0.3
	head := p.after(0, 1500)
	if !slices.ContainsFunc(list, func(m mention) bool { return m.start < 2000 }) {
		none += .7
	}
	if dateBlank.MatchString(head) {
		none += .8
	}
	return best(list, none)
}

var (
	governs    = pattern.New(`govern|constru|interpret|enforce`)
	lawsOf     = pattern.New(`laws?,? (?:and jurisdiction )?of (?:the )?(?:(?:state|commonwealth|province|country) of )?(?:the )?$|laws? of .{0,40}(?:state|commonwealth) of $`)
	stateOf    = pattern.New(`(?:state|commonwealth|province) of (?:the )?$`)
	lawAfter   = pattern.New(`^(?:'s)? (?:state )?laws?\b`)
	courts     = pattern.New(`court|venue|jurisdiction`)
	conflicts  = pattern.New(`conflict|choice of law|principles`)
	organised  = pattern.New(`(?:organized|incorporated|existing|organised|formed)[^.]{0,40}$`)
	entity     = pattern.New(`^ ?(?:corporation|limited|company|partnership|general|statutory|\d{5})`)
	governText = pattern.New(`governed|governing law`)
	places     = pattern.New(`\b(?:` + strings.Join(placeNames, "|") + `)\b`)
)

var placeNames = strings.Split("West Virginia|Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|Hawaii|Idaho|Illinois|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri|Montana|Nebraska|Nevada|New Hampshire|New Jersey|New Mexico|New\\s+York|North\\s+Carolina|North Dakota|Ohio|Oklahoma|Oregon|Pennsylvania|Rhode Island|South\\s+Carolina|South Dakota|Tennessee|Texas|Utah|Vermont|Virginia|Washington|Wisconsin|Wyoming|Puerto Rico|Ontario|Quebec|British Columbia|Alberta|England|Scotland|Ireland|Israel|France|Germany|Switzerland|Netherlands|Japan|China|Hong Kong|Singapore|India|Malaysia|Canada|Mexico|Brazil|Bermuda|Luxembourg|Cayman Islands|Australia|Sweden|Denmark|Norway|Italy|Spain", "|")

// governingLaw returns the place whose law governs a contract.
func (p *page) governingLaw() (mention, float64, bool) {
	var list []mention
	for _, at := range outer(places.FindAllStringIndex(p.text, -1)) {
		m := mention{start: at[0], end: at[1], value: strings.Join(strings.Fields(p.text[at[0]:at[1]]), " ")}
		left, right := p.before(at[0], 160), p.after(at[1], 80)
		law := lawsOf.MatchString(left) || lawAfter.MatchString(right)
		m.add(law && governs.MatchString(left+right), 2)
		m.add(law, 1)
		m.add(stateOf.MatchString(left), 1.2)
		m.add(at[0] > len(p.text)/2, .9)
		m.add(courts.MatchString(left[max(0, len(left)-60):]), .6)
		m.add(conflicts.MatchString(right), .6)
		m.add(at[0] < len(p.text)/10, -.5)
		m.add(organised.MatchString(left), -1)
		m.add(entity.MatchString(right), -1)
		list = append(list, m)
	}
	list = gather(list, mentioned)
	for i := range list {
		switch {
		case list[i].n >= 4:
			list[i].score += .9
		case list[i].n == 1:
			list[i].score -= .4
		}
	}
	none := 1.0
	if !governText.MatchString(plain(p.text)) {
		none = 1.5
	}
	return best(list, none)
}

var (
	termLead   = pattern.New(`(?:agreement|obligations?|restrictions?|undertakings?|covenants?|provisions)\b[^.;]{0,140}(?:expire|terminat|remain|continue|effect|surviv|end|cease|bind|lapse)[^.;]{0,100}$`)
	termTail   = pattern.New(`^[^.;]{0,12}(?:from|after|following|of|anniversary of)? ?(?:the |its )?(?:date hereof|date of this|effective date|execution|date first|date of the|date on which|disclosure date)`)
	termTail2  = pattern.New(`^[^.;]{0,40}(?:date hereof|date of this|effective date|execution|date first|hereof)`)
	termPeriod = pattern.New(`(?:period of|term of|for a period|earlier of|later of|until the|for)(?: \(?[a-z]+\)?)? ?$`)
	termCue    = pattern.New(`term of (?:this|the)|this agreement (?:shall|will)|expire|confidential`)
	termOther  = pattern.New(`solicit|hire|standstill|notice|employ|compet|acquire|retain|severance|salary|vest|payment|prior|purchase|beneficial|business days|written notice|cure|third party|invoice|trading`)
	termTitle  = pattern.New(`term(?:ination| and termination)?[.:]? ?[^.]{0,120}$`)
)

// term returns the duration of a contract.
func (p *page) term() (mention, float64, bool) {
	var list []mention
	for _, d := range outer(values.Durations(p.text)) {
		m := mention{start: d.Start, end: d.End, value: d.Value}
		left, right := p.before(d.Start, 300), p.after(d.End, 90)
		sentence := left
		if at := strings.LastIndexAny(left, ".;"); at >= 0 {
			sentence = left[at:]
		}
		near := sentence[max(0, len(sentence)-160):]
		lead, tail := termLead.MatchString(left), termTail.MatchString(right) || termTail2.MatchString(right)
		m.add(lead, 1.4)
		m.add(tail, 1.0)
		m.add(lead && tail, .6)
		m.add(termPeriod.MatchString(left), .4)
		m.add(termCue.MatchString(near+right), .5)
		m.add(termTitle.MatchString(left), .4)
		m.add(termOther.MatchString(near), -1.6)
		m.add(termOther.MatchString(right), -.7)
		m.add(strings.Contains(m.value, "day"), -2.5)
		m.add(strings.Contains(m.value, "week"), -2)
		m.add(strings.Contains(m.value, "year"), .3)
		list = append(list, m)
	}
	return best(gather(list, mentioned), 1.9)
}

// sortMentions sorts mentions by score; equal ones by position.
func sortMentions(list []mention) {
	slices.SortStableFunc(list, func(a, b mention) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.start, b.start))
	})
}
