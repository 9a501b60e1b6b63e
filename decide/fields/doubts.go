package fields

import (
	"slices"
	"strings"

	"example.com/assay/memory/text/pattern"
	"example.com/assay/skills"
)

// A Doubt says why a value does not look like its kind.
type Doubt struct {
	Field string
	Why   string
}

var fourDigits = pattern.New(`\d{4}`)

// Doubts looks for signs that were measured to go with wrong values: an amount to be paid on a row
// that only mentions payment or change, a name with a long number or with words of a form's
// heading, an address without a street, a number or a postal code. Most doubted amounts are still
// right, so a doubt flags a value and does not overrule it.
func Doubts(text string, specs []skills.FieldSpec, found []skills.ExtractedField) []Doubt {
	p := newPage(text, nil)
	var out []Doubt
	for _, v := range found {
		at := slices.IndexFunc(specs, func(s skills.FieldSpec) bool {
			name, _, _ := strings.Cut(s.Path, "[]")
			return s.Path == v.Path || name+"[" == v.Path[:min(len(v.Path), len(name)+1)]
		})
		if at < 0 {
			continue
		}
		if why := p.doubt(specs[at], v); why != "" {
			out = append(out, Doubt{v.Path, why})
		}
	}
	return out
}

func (p *page) doubt(s skills.FieldSpec, v skills.ExtractedField) string {
	upper := strings.ToUpper(v.Value)
	switch {
	case s.Format == "company" && (fourDigits.MatchString(upper) || stopWord.MatchString(upper) || torn(v.Value)):
		return "a name rarely has a long number, words of a form's head, or an end like this"
	case s.Format == "address" && (!zipPattern.MatchString(upper) || !streetWord.MatchString(upper)):
		return "an address usually has a street and a postal code"
	case isTotal(s):
		for _, r := range p.rows {
			if r.n == v.Row && len(classesOf(r.upper)) > 0 {
				classes := classesOf(r.upper)
				if !slices.Contains(classes, "TOTAL") && !slices.Contains(classes, "GRAND") && (slices.Contains(classes, "PAY") || slices.Contains(classes, "CHG")) {
					return "its row speaks of what was handed over or given back"
				}
			}
		}
	}
	return ""
}
