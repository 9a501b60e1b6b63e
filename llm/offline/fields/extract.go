package fields

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

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
		x.labelled(s, path, monthFirst)
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

var totalName = regexp.MustCompile(`(?i)^(?:grand[ _-]?)?total(?:[ _-]?(?:amount|due|price|payable))?$|^amount[ _-](?:due|payable)$|^(?:balance|total)[ _-]due$`)

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

// recognised are the values of a text that have the form of a field's.
func recognised(s skills.FieldSpec, text string, monthFirst bool) []values.Found {
	switch {
	case s.Format == "date":
		return values.Dates(text, &values.DateOptions{MonthFirst: monthFirst})
	case s.Format == "email":
		return values.Mails(text)
	case s.Format == "phone":
		return values.Phones(text)
	case s.Format == "percent":
		return values.Percents(text)
	case s.Format == "currency" || s.Type == "number" || s.Type == "integer":
		return withoutRates(s, text, values.Numbers(text))
	case len(s.Enum) > 0:
		var out []values.Found
		for _, e := range s.Enum {
			if word, err := regexp.Compile(`(?i)` + bounded(regexp.QuoteMeta(e))); err == nil && e != "" {
				for _, m := range word.FindAllStringIndex(text, -1) {
					out = append(out, values.Found{Start: m[0], End: m[1], Value: e})
				}
			}
		}
		slices.SortStableFunc(out, func(a, b values.Found) int { return cmp.Compare(a.Start, b.Start) })
		return out
	case s.Pattern != "":
		if form, err := regexp.Compile(strings.TrimSuffix(strings.TrimPrefix(s.Pattern, "^"), "$")); err == nil {
			var out []values.Found
			for _, m := range form.FindAllStringIndex(text, -1) {
				if m[1] > m[0] {
					out = append(out, values.Found{Start: m[0], End: m[1], Value: text[m[0]:m[1]]})
				}
			}
			return out
		}
	}
	return nil
}

var percentSign = regexp.MustCompile(`^ ?%`)

// withoutRates leaves out percentages that are no value of a number's field: any for
// an amount, and those with another number behind them on the line, as in
// "TAX 6% 3.63".
func withoutRates(s skills.FieldSpec, text string, found []values.Found) []values.Found {
	var out []values.Found
	for i, v := range found {
		rate := percentSign.MatchString(text[v.End:min(len(text), v.End+2)])
		if rate && (s.Format == "currency" || i+1 < len(found) && !strings.Contains(text[v.End:found[i+1].Start], "\n")) {
			continue
		}
		out = append(out, v)
	}
	return out
}

// bounded is a pattern that does not begin or end within a word.
func bounded(quoted string) string { return `(?:^|\b)` + quoted + `(?:\b|$)` }

var clock = regexp.MustCompile(`\b\d{1,2}:\d{2}\b`)

// labelled finds a value by its label: on its row, to the left; else above it. Values
// of a known form need no label when there is only one.
func (x *extractor) labelled(s skills.FieldSpec, path string, monthFirst bool) {
	labels := x.anchors(s)
	found := recognised(s, x.text, monthFirst)
	if len(found) == 0 && (s.Type != "string" || s.Format != "" && s.Format != "text" || len(s.Enum) > 0 || s.Pattern != "") {
		return
	}
	if len(found) == 0 {
		x.behind(s, path, labels)
		return
	}
	best, top, distinct := found[0], math.Inf(-1), map[string]bool{}
	dated, signs := -1, 0.0
	for i, v := range found {
		distinct[v.Value] = true
		row := x.rowAt(v.Start)
		if row < 0 {
			continue
		}
		score := 3*x.nearness(labels, v.Start, v.End, row) - float64(min(i, 50))/100
		if s.Format == "date" {
			if row != dated { // dates come in the order of the rows
				dated, signs = row, x.dateSigns(row)
			}
			score += signs
		}
		if score > top {
			best, top = v, score
		}
	}
	p, number := .3, len(s.Enum) == 0 && s.Format != "percent" && (s.Type == "number" || s.Type == "integer" || s.Format == "currency")
	switch {
	case top >= 2:
		p = .9
	case top >= .5:
		p = .75
	case number: // without its label it is any number
		return
	case len(distinct) == 1:
		p = .8
	case s.Format == "date" || s.Format == "email":
		p = .6
	}
	if p < .5 && !x.Wide {
		return
	}
	if len(s.Enum) > 0 {
		x.putAs(path, best.Value, best.Start, best.End, p)
		return
	}
	x.put(s, path, best.Start, best.End, p)
}

// dateSigns counts what speaks for the dates of a row: a time of day there or on
// the next row, and the word.
func (x *extractor) dateSigns(row int) float64 {
	n := 0.0
	if clock.MatchString(x.rows[row].text) || row+1 < len(x.rows) && clock.MatchString(x.rows[row+1].text) {
		n++
	}
	if strings.Contains(x.rows[row].upper, "DATE") || strings.Contains(x.rows[row].upper, "TARIKH") {
		n++
	}
	return n
}

// anchors are the words that stand near a field's value, in upper case: those that
// the schema names, and the field's name.
func (x *extractor) anchors(s skills.FieldSpec) []string {
	var out []string
	for _, a := range s.Anchors {
		if a = strings.ToUpper(strings.Join(strings.Fields(a), " ")); a != "" {
			out = append(out, a)
		}
	}
	name := strings.ToUpper(strings.NewReplacer("_", " ", "-", " ").Replace(lastName(s.Path)))
	if !slices.Contains(out, name) && name != "" {
		out = append(out, name)
	}
	return out
}

// nearReach is how far from a value, on its row, a label may stand.
const nearReach = 300 // bytes

// nearness is 1 for a label on the value's row to its left, .8 for one straight
// above it, .3 for one to its right, else 0.
func (x *extractor) nearness(labels []string, start, end, row int) float64 {
	r := x.rows[row]
	from, to := max(0, start-r.start), min(len(r.upper), max(0, end-r.start))
	left, right := r.upper[max(0, from-nearReach):from], r.upper[to:min(len(r.upper), to+nearReach)]
	best := 0.0
	for _, l := range labels {
		switch {
		case hasWord(left, l):
			return 1
		case row > 0 && hasWord(x.rows[row-1].upper, l) && x.over(row-1, l, start, row):
			best = max(best, .8)
		case hasWord(right, l):
			best = max(best, .3)
		}
	}
	return best
}

// over reports whether a label on the row above stands over a value; without boxes
// it is enough that nothing stands before the value.
func (x *extractor) over(above int, label string, start, row int) bool {
	r, a := x.rows[row], x.rows[above]
	if !x.laidOut {
		return start == r.start
	}
	at := a.start + strings.Index(a.upper, label)
	lx1, lx2 := x.across(a, at)
	vx1, vx2 := x.across(r, start)
	return lx1 < vx2 && vx1 < lx2
}

// across is from where to where the box of a byte goes.
func (x *extractor) across(r row, at int) (x1, x2 float64) {
	for _, b := range r.boxes {
		if b.Start <= at && at < b.End {
			return float64(b.X1), float64(b.X2)
		}
	}
	return r.x1, r.x2
}

// hasWord reports whether s holds a label that is not a part of a longer word.
func hasWord(s, label string) bool {
	for from := 0; ; {
		at := strings.Index(s[from:], label)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(label)
		if (at == 0 || !wordByte(s[at-1])) && (end == len(s) || !wordByte(s[end])) {
			return true
		}
		from = at + 1
	}
}

func wordByte(c byte) bool {
	return c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

var labelEnd = regexp.MustCompile(`^\s*(?:NO\.?|NUMBER|#)?\s*[:.#=-]?\s*`)

// behind finds a text without a known form: what stands behind its label, or below
// it when nothing does.
func (x *extractor) behind(s skills.FieldSpec, path string, labels []string) {
	for _, l := range labels {
		for i, r := range x.rows {
			at := strings.Index(r.upper, l)
			if at < 0 || !hasWord(r.upper, l) {
				continue
			}
			rest := r.upper[at+len(l):]
			skip := len(labelEnd.FindString(rest))
			start, end := r.start+at+len(l)+skip, r.end
			if start >= end && i+1 < len(x.rows) {
				start, end = x.rows[i+1].start, x.rows[i+1].end
			}
			if start < end {
				p := .5
				if strings.ContainsAny(rest[:skip], ":=#") {
					p = .75
				}
				x.put(s, path, start, end, p)
				return
			}
		}
	}
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

var quantityName = regexp.MustCompile(`(?i)qty|quant|count|number|units`)
var unitName = regexp.MustCompile(`(?i)unit|each|rate|price`)

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
