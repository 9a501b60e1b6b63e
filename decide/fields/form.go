package fields

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/values"
)

// A Form is the written form of a field's values.
type Form struct {
	Type   string // string, number, integer or boolean
	Format string // date, currency, email, phone, percent, period, or another; or empty
	Enum   []string
	Steps  []string // further steps of Write, by their names in Normalisers

	// Decimal is the decimal separator of the value's text, see [Decimal]. With 0 each number is
	// read by itself.
	Decimal byte
}

func (f Form) numeric() bool { return f.Type == "number" || f.Type == "integer" }

// monthFirst reports whether 3/4 is the fourth of March.
func (f Form) monthFirst() bool { return slices.Contains(f.Steps, "month_first") }

// Find returns the values of this form in a text. A form without a typical shape, such as a name,
// has none.
func (f Form) Find(s string) []values.Found {
	switch {
	case f.Format == "percent":
		return values.Percents(s)
	case (f.numeric() || f.Format == "currency") && f.Decimal == ',':
		return numbers(s, f.Decimal)
	case f.numeric() || f.Format == "currency":
		return values.Numbers(s)
	case f.Format == "date":
		return values.Dates(s, &values.DateOptions{MonthFirst: f.monthFirst()})
	case f.Format == "period":
		return values.Durations(s)
	case f.Format == "email":
		return values.Mails(s)
	case f.Format == "phone":
		return values.Phones(s)
	}
	return nil
}

// Normalisers returns the names of a Form's steps.
func Normalisers() []string {
	return []string{"upper", "lower", "title", "alphanumeric", "underscore", "legal_form", "month_first"}
}

// legalForms are normalised legal forms of companies, by their letters.
var legalForms = map[string]string{
	"inc": "Inc.", "incorporated": "Inc.", "corp": "Corp.", "ltd": "Ltd.", "limited": "Ltd.", "co": "Co.", "llc": "LLC", "lp": "LP", "llp": "LLP", "plc": "PLC",
}

// inLegalForm normalises the legal form in a company's name, without commas.
func inLegalForm(s string) string {
	words := strings.Fields(strings.ReplaceAll(s, ",", " "))
	for i, w := range words {
		if form, ok := legalForms[strings.ToLower(strings.ReplaceAll(w, ".", ""))]; ok && i > 0 {
			words[i] = form
		}
	}
	return strings.Join(words, " ")
}

// Write returns a value in normalised form: dates as ISO, numbers with a point, white space
// collapsed, then the named steps in order. Steps names the changes. A value of another form stays
// as it is.
func (f Form) Write(value string) (out string, steps []string) {
	out = text.OneLine(value)
	step := func(name, changed string, ok bool) {
		if ok && changed != out {
			out, steps = changed, append(steps, name)
		}
	}
	switch {
	case f.numeric():
		n, ok := number(out, f.Decimal)
		step("number", n, ok)
	case f.Type == "boolean":
		b, ok := truth[strings.ToLower(out)]
		step("boolean", strconv.FormatBool(b), ok)
	case f.Format == "date":
		d, ok := values.Date(out, &values.DateOptions{MonthFirst: f.monthFirst()})
		step("date", d, ok)
	case f.Format == "period":
		d, ok := values.Duration(out)
		step("period", d, ok)
	case f.Format == "email":
		step("lower", strings.ToLower(out), true)
	case f.Format == "phone":
		p, ok := values.Phone(out)
		step("phone", p, ok)
	case f.Format == "percent" || f.Format == "currency":
		n, ok := number(out, f.Decimal)
		step("number", n, ok)
	case len(f.Enum) > 0:
		for _, e := range f.Enum {
			step("enum", e, strings.EqualFold(e, out))
		}
	}
	for _, name := range f.Steps {
		switch name {
		case "upper":
			step(name, strings.ToUpper(out), true)
		case "lower":
			step(name, strings.ToLower(out), true)
		case "title":
			step(name, title(out), true)
		case "alphanumeric":
			step(name, Alphanumeric(out), true)
		case "underscore":
			step(name, strings.NewReplacer(" ", "_", ":", "_").Replace(out), true)
		case "legal_form":
			step(name, inLegalForm(out), true)
		}
	}
	return out, steps
}

var truth = map[string]bool{"true": true, "yes": true, "y": true, "x": true, "1": true, "false": false, "no": false, "n": false, "0": false}

func title(s string) string {
	words := strings.Fields(s)
	for i, w := range words {
		r := []rune(strings.ToLower(w))
		r[0] = unicode.ToUpper(r[0])
		words[i] = string(r)
	}
	return strings.Join(words, " ")
}

// Alphanumeric returns the letters and digits of s, in upper case.
func Alphanumeric(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, s)
}
