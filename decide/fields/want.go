package fields

import (
	"regexp"
	"slices"
	"strings"

	"example.com/assay/skills"
)

// A kind is the shape of a value.
type kind int

const (
	aText kind = iota
	aDate
	aNumber
	aPercent
	aBoolean
	anEnum
	aMail
	aPhone
	aCode
	anIBAN
	aCurrency
	aPeriod
	aParty
	anAddress
	aCity
	aTime
)

// A want is a field with the properties of its values.
type want struct {
	spec     skills.FieldSpec
	path     string // path of its value
	kind     kind
	listed   bool
	meanings []meaning // meaning of its name, and of each anchor
	place    string    // place of a value without a label
	whole    bool      // a counted number
	money    bool      // an amount
	pattern  *regexp.Regexp
}

func newWant(s skills.FieldSpec) *want {
	w := &want{spec: s, path: s.Path, listed: strings.HasSuffix(s.Path, "[]")}
	name := lastName(s.Path)
	w.meanings = []meaning{meaningOf(name, s.Description)}
	for _, a := range s.Anchors {
		w.meanings = append(w.meanings, meaningOf(a, ""))
	}
	if s.Pattern != "" {
		w.pattern, _ = regexp.Compile(s.Pattern)
	}
	m := w.meanings[0]
	for _, t := range m.terms[:min(len(m.terms), max(1, len(termsOf(apartAtCase(name)))))] {
		for _, c := range t {
			if p := labels().place[c.name]; p != "" && w.place == "" {
				w.place = p
			}
		}
	}
	if i := strings.IndexByte("ht", (w.place + " ")[0]); i >= 0 && m.has("contact", "signatory") { // a person on one side
		w.place = "contact " + w.place
	}
	if w.kind = kindOf(s, m); w.kind == aParty { // the schema may describe a party's activity
		for c, i := range m.at {
			if i >= m.own && !slices.ContainsFunc(m.terms[i], func(c concept) bool { return c.class == '&' }) {
				delete(m.at, c)
			}
		}
	}
	w.whole = s.Type == "integer"
	w.money = w.kind == aNumber && !w.whole && m.has("total", "net", "vat", "gross", "amount", "fee", "deposit", "discount", "deduction", "paid", "payable", "outstanding", "rent", "salary", "standing charge", "unit price", "shipping")
	return w
}

func kindOf(s skills.FieldSpec, m meaning) kind {
	own := meaningOf(lastName(s.Path), "")
	is := func(class byte) bool {
		return slices.ContainsFunc(own.terms, func(t term) bool {
			return slices.ContainsFunc(t, func(c concept) bool { return c.class == class })
		})
	}
	switch {
	case len(s.Enum) > 0:
		return anEnum
	case s.Type == "boolean":
		return aBoolean
	case s.Format == "date":
		return aDate
	case s.Format == "email" || s.Type == "string" && own.has("email"):
		return aMail
	case s.Format == "phone" || s.Type == "string" && own.has("phone"):
		return aPhone
	case s.Format == "time", s.Type == "string" && own.has("time") && !own.has("period", "date", "hours"):
		return aTime
	case s.Format == "period":
		return aPeriod
	case s.Format == "percent" || s.Type != "string" && m.has("percent") && !own.has("hours", "amount", "salary"):
		return aPercent
	case s.Type == "number" || s.Type == "integer" || s.Format == "currency":
		return aNumber
	case s.Format != "" && s.Format != "text":
		return aText
	case own.has("currency"):
		return aCurrency
	case own.has("iban") && strings.Contains(strings.ToLower(s.Path), "iban"):
		return anIBAN
	case own.has("tax id", "number", "iban", "bic", "postcode", "plate", "article") && !own.has("address"), is('@'):
		return aCode
	case own.has("period", "notice", "probation"):
		return aPeriod
	case own.has("city"):
		return aCity
	case own.has("date", "birth") && !is('&'):
		return aDate
	case own.has("address"):
		return anAddress
	case is('&') || strings.HasSuffix(s.Path, "_by"):
		return aParty
	}
	return aText
}

// likeness returns the likeness of the best meaning.
func (w *want) likeness(label []term, running bool, around []term) float64 {
	best := 0.0
	for i, m := range w.meanings {
		l := m.likeness(label, running, around)
		if i == 0 && len(w.meanings) > 1 { // a label from the schema outweighs the name
			l *= .95
		}
		best = max(best, l)
	}
	return best
}

// literal returns the bonus of a label that is the field's name, word for word: it distinguishes
// fields with nearly the same meaning.
func (w *want) literal(label string) float64 {
	said, _ := wordsOf(label)
	name, _ := wordsOf(apartAtCase(lastName(w.path)))
	n := 0
	for _, s := range said {
		if slices.Contains(name, s) {
			n++
		}
	}
	return .03 * float64(2*n) / float64(max(1, len(said)+len(name)))
}

// anchored reports whether the schema names a label.
func (w *want) anchored(label []term) bool {
	return slices.ContainsFunc(w.meanings[1:], func(m meaning) bool { return m.likeness(label, false, nil) > .9 })
}
