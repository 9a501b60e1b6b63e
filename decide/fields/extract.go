package fields

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/memory/text/pattern"
	"example.com/assay/memory/text/values"
	"example.com/assay/skills"
)

// Options say how to extract. Nil and the zero value work.
type Options struct {
	// Weights of the trained rankers. Default: those that the program ships.
	Weights *Weights
	// Wide finds something also where the usual search would rather find nothing,
	// with a confidence that says so.
	Wide bool
}

// Extract finds the values of fields in a text, in the order of the fields. Boxes
// are the places of its pieces on the page; there may be none.
func Extract(text string, boxes []skills.LaidOut, specs []skills.FieldSpec, opts *Options) ([]skills.ExtractedField, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Weights == nil {
		w, err := Default()
		if err != nil {
			return nil, err
		}
		o.Weights = &w
	}
	for _, b := range boxes {
		if b.Start < 0 || b.End > len(text) || b.Start > b.End {
			return nil, fmt.Errorf("finding fields: a box is of the bytes %d to %d, and the text has %d", b.Start, b.End, len(text))
		}
	}
	x := &extractor{page: newPage(text, boxes), Options: o, out: []skills.ExtractedField{}}
	for _, s := range specs {
		if len(x.page.rows) > 0 && !strings.Contains(s.Path, "[].") {
			x.field(s)
		}
	}
	if len(x.page.rows) > 0 {
		x.items(specs)
	}
	return x.out, nil
}

type extractor struct {
	*page
	Options
	out []skills.ExtractedField
}

// put notes the bytes start..end as the value of a field.
func (x *extractor) put(s skills.FieldSpec, path string, start, end int, p float64) {
	x.putAs(path, strings.Join(strings.Fields(x.text[start:end]), " "), start, end, p)
}

func (x *extractor) putAs(path, value string, start, end int, p float64) {
	line := 0
	if row := x.rowAt(start); row >= 0 {
		line = x.rows[row].n
	}
	x.out = append(x.out, skills.ExtractedField{
		Path: path, Value: value, Quote: x.text[start:end], Row: line, Confidence: math.Round(max(0, min(1, p))*1e4) / 1e4,
	})
}

// proseFrom is the length of a text from which, without boxes, it is read as prose
// and not as a form.
const proseFrom = 3000

func (x *extractor) prose() bool { return !x.laidOut && len(x.text) >= proseFrom }

// field finds the value of one field.
func (x *extractor) field(s skills.FieldSpec) {
	path, listed := s.Path, strings.HasSuffix(s.Path, "[]")
	if listed {
		path = strings.TrimSuffix(path, "[]") + "[0]"
	}
	monthFirst := slices.Contains(s.Normalise, "month_first")
	switch {
	case s.Format == "party" && listed:
		for i, m := range x.parties() {
			x.put(s, fmt.Sprintf("%s[%d]", strings.TrimSuffix(s.Path, "[]"), i), m.start, m.end, 1/(1+math.Exp(1.5-m.score)))
		}
	case s.Format == "party":
		if list := x.parties(); len(list) > 0 {
			x.put(s, path, list[0].start, list[0].end, 1/(1+math.Exp(1.5-list[0].score)))
		}
	case s.Format == "jurisdiction":
		x.mention(s, path)(x.governingLaw())
	case s.Format == "period":
		x.mention(s, path)(x.term())
	case s.Format == "date" && x.prose():
		x.mention(s, path)(x.effectiveDate(monthFirst))
	case s.Format == "company":
		x.ranked(s, path, KindCompany)
	case s.Format == "address":
		x.ranked(s, path, KindAddress)
	case isTotal(s):
		x.ranked(s, path, KindTotal)
	default:
		x.labelled(s, path)
	}
}

// mention notes what a search of a contract found: also what it would rather not
// find, when the search is wide.
func (x *extractor) mention(s skills.FieldSpec, path string) func(mention, float64, bool) {
	return func(m mention, p float64, ok bool) {
		switch {
		case ok:
			x.put(s, path, m.start, m.end, p)
		case x.Wide && s.Required == "required" && m.end > 0:
			x.put(s, path, m.start, m.end, min(p, .3))
		}
	}
}

func (x *extractor) ranked(s skills.FieldSpec, path, kind string) {
	if found := Rank(x.candidates(kind), x.Weights.Rankers[kind]); len(found) > 0 {
		x.put(s, path, found[0].Start, found[0].End, x.Weights.confidence(kind, found[0].P))
	}
}

var totalName = pattern.New(`(?i)^(?:grand[ _-]?)?total(?:[ _-]?(?:amount|due|price|payable))?$|^amount[ _-](?:due|payable)$|^(?:balance|total)[ _-]due$`)

// isTotal reports whether a field is what is to be paid, by its name or labels.
func isTotal(s skills.FieldSpec) bool {
	if s.Type != "number" && s.Format != "currency" || strings.HasSuffix(s.Path, "[]") {
		return false
	}
	return slices.ContainsFunc(append([]string{lastName(s.Path)}, s.Anchors...), totalName.MatchString)
}

func lastName(path string) string {
	path = strings.TrimSuffix(path, "[]")
	return path[strings.LastIndexByte(path, '.')+1:]
}

// items finds the elements of lists of objects: rows with an amount, above the
// first total. The text of a row is its first text, its last number the amount.
func (x *extractor) items(specs []skills.FieldSpec) {
	byList := map[string][]skills.FieldSpec{}
	var order []string
	for _, s := range specs {
		if list, _, ok := strings.Cut(s.Path, "[]."); ok {
			if byList[list] == nil {
				order = append(order, list)
			}
			byList[list] = append(byList[list], s)
		}
	}
	for _, list := range order {
		n := 0
		for i, r := range x.rows {
			hasAmount := len(values.Amounts(r.text)) > 0
			if (n > 0 || hasAmount) && speaks(r.upper, "TOTAL", "SUB", "GRAND", "TAX") {
				if n > 0 {
					break
				}
				continue
			}
			if hasAmount && len(values.Dates(r.text, nil)) == 0 && x.item(list, n, i, byList[list]) {
				n++
			}
		}
	}
}

var quantityName = pattern.New(`(?i)qty|quant|count|number|units`)
var unitName = pattern.New(`(?i)unit|each|rate|price`)

// item notes the fields of a row as those of element n of a list.
func (x *extractor) item(list string, n, i int, specs []skills.FieldSpec) bool {
	r := x.rows[i]
	numbers, amounts := values.Numbers(r.text), values.Amounts(r.text)
	first := amounts[0].Start // of the numbers that end the row
	for k := len(numbers) - 1; k >= 0; k-- {
		if v := numbers[k]; v.End <= first && strings.Trim(r.text[v.End:first], " xX@*") == "" {
			first = v.Start
		}
	}
	first += r.start
	words := strings.TrimSpace(x.text[r.start:first])
	wordsStart, wordsEnd := r.start, r.start+len(words)
	if !hasLetter.MatchString(strings.ToUpper(words)) && i > 0 && len(values.Amounts(x.rows[i-1].text)) == 0 {
		wordsStart, wordsEnd = x.rows[i-1].start, x.rows[i-1].end
	}
	any := false
	for _, s := range specs {
		_, name, _ := strings.Cut(s.Path, "[].")
		path := list + "[" + strconv.Itoa(n) + "]." + name
		numeric := s.Type == "number" || s.Type == "integer" || s.Format == "currency"
		last := amounts[len(amounts)-1]
		switch {
		case numeric && quantityName.MatchString(name):
			for _, v := range numbers {
				if !strings.Contains(v.Value, ".") {
					x.put(s, path, r.start+v.Start, r.start+v.End, .5)
					break
				}
			}
		case numeric && unitName.MatchString(name) && len(amounts) > 1:
			x.put(s, path, r.start+amounts[0].Start, r.start+amounts[0].End, .55)
		case numeric:
			x.put(s, path, r.start+last.Start, r.start+last.End, .65)
			any = true
		case s.Type == "string" && wordsEnd > wordsStart:
			x.put(s, path, wordsStart, wordsEnd, .6)
			any = true
		}
	}
	return any
}
