package extract

import (
	"regexp"
	"slices"
	"strings"

	"example.com/assay/decide/fields"
	"example.com/assay/memory/text/values"
	"example.com/assay/skills"
)

// A ground finds the places of values in a document.
type ground struct {
	doc     FieldDocument
	lines   []int // offsets of line starts
	decimal byte  // its decimal separator
	numbers []values.Found
	dates   [2][]values.Found // day first, month first
	read    [3]bool
}

func newGround(doc FieldDocument) *ground {
	g := &ground{doc: doc, lines: []int{0}, decimal: fields.Decimal(doc.Text)}
	for i := range len(doc.Text) {
		if doc.Text[i] == '\n' {
			g.lines = append(g.lines, i+1)
		}
	}
	return g
}

// value turns a model's value into a value with its place. A quote counts if the document contains
// it and it states the value; otherwise the document is searched for the value. If both fail, the
// value has no place.
func (g *ground) value(f Field, path string, found skills.ExtractedField) FieldValue {
	value, steps := f.form().Write(found.Value)
	out := FieldValue{Field: path, Value: value, Normalised: steps, Confidence: max(0, min(1, found.Confidence))}
	out.Verbatim = strings.Join(strings.Fields(found.Quote), " ")
	if start, end, ok := g.quote(f, value, found.Quote, found.Row); ok {
		out.Place = g.place(start, end)
	} else if start, end, ok := g.search(f, value, found.Value); ok {
		out.Place = g.place(start, end)
	}
	if out.Place != nil {
		out.Verbatim = strings.Join(strings.Fields(out.Place.Text), " ")
		if _, steps := g.form(f).Write(out.Verbatim); len(steps) > 0 {
			out.Normalised = steps
		}
	}
	if out.Verbatim == "" {
		out.Verbatim = strings.Join(strings.Fields(found.Value), " ")
	}
	return out
}

// form returns how the document writes the values of a field.
func (g *ground) form(f Field) fields.Form {
	form := f.form()
	form.Decimal = g.decimal
	return form
}

func (g *ground) place(start, end int) *Place {
	return &Place{Start: start, End: end, Text: g.doc.Text[start:end], Page: g.doc.PageAt(start), Boxes: g.doc.BoxesIn(start, end)}
}

// quote finds a quote that states a value, first on its line, then anywhere.
func (g *ground) quote(f Field, value, quote string, row int) (start, end int, ok bool) {
	if strings.TrimSpace(quote) == "" {
		return 0, 0, false
	}
	var from []int
	if row > 0 && row <= len(g.lines) {
		from = append(from, g.lines[row-1])
	}
	for _, at := range append(from, 0) {
		start, end, ok = findText(g.doc.Text[at:], quote)
		if !ok {
			continue
		}
		start, end = start+at, end+at
		if s, e, says := g.within(f, value, g.doc.Text[start:end]); says {
			return start + s, start + e, true
		}
		return 0, 0, false
	}
	return 0, 0, false
}

// within returns the bytes of a quote that state the value.
func (g *ground) within(f Field, value, quote string) (start, end int, ok bool) {
	if f.Type == "boolean" {
		return 0, len(quote), true // the evidence for a yes states it in its own words
	}
	form := g.form(f)
	if got, _ := form.Write(quote); got == value {
		return 0, len(quote), true
	}
	for _, v := range form.Find(quote) {
		if got, _ := form.Write(quote[v.Start:v.End]); got == value {
			return v.Start, v.End, true
		}
	}
	if f.Numeric() || f.Format == "date" || f.Format == "period" {
		return 0, 0, false
	}
	if fields.Currency(quote) == value || sameWords(quote, value) {
		return 0, len(quote), true
	}
	if start, end, ok := findText(quote, value); ok {
		return start, end, true
	}
	key := fields.Alphanumeric(value)
	return 0, len(quote), key != "" && (strings.Contains(fields.Alphanumeric(quote), key) || len(f.Enum) > 0)
}

// sameWords reports whether a value is its quote in another order: "Lee, Ann" is Ann Lee.
func sameWords(quote, value string) bool {
	a, b := strings.Fields(strings.ReplaceAll(quote, ",", " ")), strings.Fields(value)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// search looks for a value in the whole document.
func (g *ground) search(f Field, value, raw string) (start, end int, ok bool) {
	if f.Type == "boolean" || value == "" {
		return 0, 0, false
	}
	if start, end, ok = findText(g.doc.Text, raw); ok && !f.Numeric() {
		return start, end, true
	}
	var list []values.Found
	switch {
	case f.Numeric() && f.Format != "percent":
		list = g.once(0, &g.numbers, f)
	case f.Format == "date" && slices.Contains(f.Normalise, "month_first"):
		list = g.once(1, &g.dates[1], f)
	case f.Format == "date":
		list = g.once(2, &g.dates[0], f)
	default:
		list = g.form(f).Find(g.doc.Text)
	}
	for _, v := range list {
		if got, _ := g.form(f).Write(g.doc.Text[v.Start:v.End]); got == value {
			return v.Start, v.End, true
		}
	}
	if f.Numeric() || f.Format == "date" {
		return 0, 0, false
	}
	return findText(g.doc.Text, value)
}

func (g *ground) once(i int, list *[]values.Found, f Field) []values.Found {
	if !g.read[i] {
		g.read[i] = true
		*list = g.form(f).Find(g.doc.Text)
	}
	return *list
}

const longestQuote = 4000 // bytes of a quote that is searched for with other white space

// findText finds a quote exactly, else with any white space between its words, in any case, and
// with any quotation marks.
func findText(text, quote string) (start, end int, ok bool) {
	if quote = strings.TrimSpace(quote); quote == "" {
		return 0, 0, false
	}
	if start, end, ok = skills.Find(text, quote); ok {
		return start, end, true
	}
	words := strings.Fields(quote)
	if len(quote) > longestQuote {
		return 0, 0, false
	}
	for i, w := range words {
		w = regexp.QuoteMeta(w)
		words[i] = typographic.Replace(w)
	}
	again, err := regexp.Compile(`(?i)` + strings.Join(words, `\s+`))
	if err != nil { // quoted words compile, unless there are too many
		return 0, 0, false
	}
	if m := again.FindStringIndex(text); m != nil {
		return m[0], m[1], true
	}
	return 0, 0, false
}

var typographic = strings.NewReplacer("'", "['‘’]", "’", "['‘’]", "‘", "['‘’]", `"`, `["“”]`, "“", `["“”]`, "”", `["“”]`)
