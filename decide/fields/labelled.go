package fields

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"

	"example.com/assay/memory/text/pattern"
	"example.com/assay/memory/text/values"
	"example.com/assay/skills"
)

// recognised are the values of a text that have the form of a field's.
func recognised(s skills.FieldSpec, text string) []values.Found {
	form := Form{Type: s.Type, Format: s.Format, Steps: s.Normalise}
	switch {
	case s.Format == "percent" || s.Format == "date" || s.Format == "email" || s.Format == "phone":
		return form.Find(text)
	case s.Format == "currency" || form.numeric():
		return withoutRates(s, text, form.Find(text))
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

var percentSign = pattern.New(`^ ?%`)

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

var clock = pattern.New(`\b\d{1,2}:\d{2}\b`)

// labelled finds a value by its label: on its row, to the left; else above it. Values
// of a known form need no label when there is only one.
func (x *extractor) labelled(s skills.FieldSpec, path string) {
	labels := x.anchors(s)
	found := recognised(s, x.text)
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

var labelEnd = pattern.New(`^\s*(?:NO\.?|NUMBER|#)?\s*[:.#=-]?\s*`)

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
