package extract

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"example.com/assay/memory/text/values"
)

var english = message.NewPrinter(language.English)

// normalisers are the names that x-normalise knows.
func normalisers() []string {
	return []string{"upper", "lower", "title", "alphanumeric", "underscore", "legal_form", "month_first"}
}

// legalForms are forms of companies as they are written in one way, by their
// letters.
var legalForms = map[string]string{
	"inc": "Inc.", "incorporated": "Inc.", "corp": "Corp.", "ltd": "Ltd.", "limited": "Ltd.", "co": "Co.", "llc": "LLC", "lp": "LP", "llp": "LLP", "plc": "PLC",
}

// legalForm writes the forms of a company in one way, without commas.
func legalForm(s string) string {
	words := strings.Fields(strings.ReplaceAll(s, ",", " "))
	for i, w := range words {
		if form, ok := legalForms[strings.ToLower(strings.ReplaceAll(w, ".", ""))]; ok && i > 0 {
			words[i] = form
		}
	}
	return strings.Join(words, " ")
}

// normalise writes a value in the one way of its field: dates as ISO, numbers
// with a point, white space collapsed, then what x-normalise names, in order.
// Steps say what changed. A value that is not of its type stays as it is, for the
// rules to find.
func (f Field) normalise(value string) (out string, steps []string) {
	out = strings.Join(strings.Fields(value), " ")
	step := func(name, changed string, ok bool) {
		if ok && changed != out {
			out, steps = changed, append(steps, name)
		}
	}
	switch {
	case f.Numeric():
		n, ok := values.Number(out)
		step("number", n, ok)
	case f.Type == "boolean":
		b, ok := truth[strings.ToLower(out)]
		step("boolean", strconv.FormatBool(b), ok)
	case f.Format == "date":
		d, ok := values.Date(out, &values.DateOptions{MonthFirst: slices.Contains(f.Normalise, "month_first")})
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
		n, ok := values.Number(out)
		step("number", n, ok)
	case len(f.Enum) > 0:
		for _, e := range f.Enum {
			step("enum", e, strings.EqualFold(e, out))
		}
	}
	for _, name := range f.Normalise {
		switch name {
		case "upper":
			step(name, strings.ToUpper(out), true)
		case "lower":
			step(name, strings.ToLower(out), true)
		case "title":
			step(name, title(out), true)
		case "alphanumeric":
			step(name, alphanumeric(out), true)
		case "underscore":
			step(name, strings.NewReplacer(" ", "_", ":", "_").Replace(out), true)
		case "legal_form":
			step(name, legalForm(out), true)
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

// alphanumeric is s without what is neither a letter nor a digit, in upper case.
func alphanumeric(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, s)
}

var (
	phoneForm   = regexp.MustCompile(`^\+?[0-9]{7,15}$`)
	decimalForm = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)
	timeForm    = regexp.MustCompile(`^[0-9]+ (?:year|month|week|day)s?$`)
)

// formats are those that the standard does not know, or knows otherwise, on
// values that are normalised.
func formats() []*jsonschema.Format {
	must := func(name string, form *regexp.Regexp) *jsonschema.Format {
		return &jsonschema.Format{Name: name, Validate: func(v any) error {
			if s, ok := v.(string); ok && !form.MatchString(s) {
				return fmt.Errorf("%q is no %s", s, name)
			}
			return nil
		}}
	}
	return []*jsonschema.Format{
		must("currency", decimalForm), must("percent", decimalForm), must("phone", phoneForm), must("period", timeForm),
	}
}
