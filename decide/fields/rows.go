package fields

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"example.com/assay/memory/text/pattern"
	"example.com/assay/memory/text/values"
	"example.com/assay/skills"
)

// items finds the elements of lists of objects: in rows of a table whose columns are named
// like the fields, in lines that end in amounts, in entries of a curriculum, or in a value
// that is a list.
func (x *extractor) items(specs []skills.FieldSpec) {
	byList := map[string][]*want{}
	var order []string
	for _, s := range specs {
		if list, name, ok := strings.Cut(s.Path, "[]."); ok {
			if byList[list] == nil {
				order = append(order, list)
			}
			s.Path = name
			byList[list] = append(byList[list], newWant(s))
		}
	}
	for _, list := range order {
		x.list, x.n = list, 0
		about := meaningOf(lastName(list), "")
		wants := byList[list]
		if x.jobs(about, wants); x.n == 0 {
			x.table(about, wants)
		}
		if x.n == 0 {
			x.spelled(about, wants)
		}
		if x.n == 0 && slices.ContainsFunc(wants, func(w *want) bool { return w.kind == aNumber }) {
			x.lineItems(wants)
		}
	}
}

// put notes a value of the element that is being made.
func (x *extractor) element(w *want, start, end int, value string, p float64) {
	x.putAs(x.list+"["+strconv.Itoa(x.n)+"]."+w.path, x.paper.oneLine(option{start: start, end: end, value: value}), start, end, p)
}

// jobs takes the entries of a curriculum.
func (x *extractor) jobs(about meaning, wants []*want) {
	study := about.has("education", "degree")
	if !study && !about.has("work", "position", "employer") {
		return
	}
	for _, e := range x.paper.entries() {
		if e.study != study || e.open && about.has("previous") {
			continue
		}
		any := false
		for _, w := range wants {
			if s, ok := e.of(w.meanings[0]); ok {
				x.element(w, s.start, s.end, "", .8)
				any = true
			}
		}
		if any {
			x.n++
		}
	}
}

// summing reports whether a text names a sum and nothing else.
func summing(s string) bool {
	sum := false
	for _, t := range termsOf(s) {
		switch {
		case slices.ContainsFunc(t, func(c concept) bool {
			return slices.Contains([]string{"total", "net", "vat", "outstanding", "discount", "gross", "paid"}, c.name)
		}):
			sum = true
		case !t.general() && !strings.HasPrefix(t[0].name, "~") || !t.general() && !sum:
			return false
		}
	}
	return sum
}

// table reads the rows of the table whose columns fit the fields best.
func (x *extractor) table(about meaning, wants []*want) {
	p := x.paper
	var best []skills.TextBlock
	var columns []int
	top := 0.0
	for from := 0; from < len(p.blocks); {
		to := from + 1
		for to < len(p.blocks) && p.blocks[from].Kind == "row" && p.blocks[to].Kind == "row" && sameColumns(p.blocks[from], p.blocks[to]) {
			to++
		}
		if rows := p.blocks[from:to]; rows[0].Kind == "row" && len(rows[0].Cells) > 1 && rows[0].Cells[len(rows[0].Cells)-1].Header != "" {
			if cols, fit := p.columns(rows, wants); fit > 0 {
				if fit += about.likeness(termsOf(rows[0].Under+" "+rows[0].Label), false, nil) / 2; fit > top {
					best, columns, top = rows, cols, fit
				}
			}
		}
		from = to
	}
	for _, r := range best {
		first := ""
		for _, c := range r.Cells {
			if s := p.text[c.Start:c.End]; first == "" && strings.ContainsFunc(s, unicode.IsLetter) {
				first = s
			}
		}
		if summing(first) {
			if x.n > 0 {
				break
			}
			continue
		}
		any := false
		for i, w := range wants {
			if columns[i] < 0 || columns[i] >= len(r.Cells) {
				continue
			}
			c := r.Cells[columns[i]]
			if found := p.cell(w, c.Start, c.End); len(found) > 0 {
				x.element(w, found[0].Start, found[0].End, found[0].Value, .85)
				any = true
			}
		}
		if any {
			x.n++
		}
	}
}

func sameColumns(a, b skills.TextBlock) bool {
	return slices.EqualFunc(a.Cells, b.Cells, func(a, b skills.TextCell) bool { return a.Header == b.Header })
}

// cell are the values of a cell that a field can have.
func (p *paper) cell(w *want, start, end int) []values.Found {
	if w.kind == aCode || w.kind == aParty { // as it stands
		w = &want{spec: w.spec, kind: aText}
	}
	return p.find(w, region{start: start, end: end})
}

// columns are those of a table for each field, −1 for none, and how well they fit: by their
// names, and else by what is left of their kind.
func (p *paper) columns(rows []skills.TextBlock, wants []*want) ([]int, float64) {
	out, taken, fit := make([]int, len(wants)), map[int]bool{}, 0.0
	holds := func(w *want, col int) bool {
		with, all := 0, 0
		for _, r := range rows {
			if c := r.Cells[col]; strings.TrimSpace(p.text[c.Start:c.End]) != "" {
				all++
				if len(p.cell(w, c.Start, c.End)) > 0 {
					with++
				}
			}
		}
		return all > 0 && with*2 > all
	}
	for i := range out {
		out[i] = -1
	}
	for range wants { // the pair that fits best, then the next
		top, at, col := .45, -1, -1
		for i, w := range wants {
			for c, cell := range rows[0].Cells {
				if out[i] < 0 && !taken[c] && holds(w, c) {
					if l := w.likeness(termsOf(cell.Header), false, nil); l > top {
						top, at, col = l, i, c
					}
				}
			}
		}
		if at < 0 {
			break
		}
		out[at], taken[col], fit = col, true, fit+top
	}
	if fit == 0 {
		return out, 0
	}
	for i, w := range wants {
		for k := range rows[0].Cells {
			c := k
			if w.kind == aNumber && !w.meanings[0].has("quantity") { // amounts stand to the right
				c = len(rows[0].Cells) - 1 - k
			}
			if out[i] < 0 && !taken[c] && holds(w, c) && (w.kind == aNumber || w.meanings[0].has("item", "name")) && (w.kind != aNumber || w.meanings[0].has("total", "amount", "line total", "unit price", "quantity", "unit")) {
				out[i], taken[c] = c, true
				fit += .3
			}
		}
	}
	if matched := len(slices.DeleteFunc(slices.Clone(out), func(c int) bool { return c < 0 })); matched < min(2, len(wants)) {
		return out, 0
	}
	return out, fit
}

var (
	timesLine = pattern.New(`^[-*•]?\s*(\d+(?:[.,]\d+)?)\s*[x×]\s+(.+?)(?:\s+[-–—@]\s*|:\s+|\s{2,})(?:[\p{Lu}$€£]{0,3}\s?)(\d[\d.,]*)\s*(?:€|EUR|[\p{Lu}]{3})?\s*(each|per|je|pro|chacun|cada|cad\.?)?.*$`)
	tailOf    = pattern.New(`(?:\s+(?:[€$£]\s?|[A-Z]{3} )?-?\d[\d.,]*(?:\s?(?:[€$£%]|[\p{L}²³]{1,3}))?)+$`)
	headQty   = pattern.New(`^(\d{1,4})\s+\pL`)
)

// lineItems reads lines that end in amounts, above the first sum, and such as "2 x lamp -
// EUR 5.50 each".
func (x *extractor) lineItems(wants []*want) {
	p := x.paper
	for _, r := range x.rows {
		l := span{r.start, r.end}
		s := r.text
		if len(s) > longestLabel {
			continue
		}
		name, quantity, unit := l, span{}, span{}
		var total span
		if m := timesLine.FindStringSubmatchIndex(s); m != nil {
			quantity, name = span{l.start + m[2], l.start + m[3]}, span{l.start + m[4], l.start + m[5]}
			if total = (span{l.start + m[6], l.start + m[7]}); m[8] >= 0 {
				unit, total = total, span{}
			}
		} else {
			m := tailOf.FindStringIndex(s)
			if m != nil { // of columns that gaps set apart, the first is the name
				if parts := p.segments(l.start, l.end); len(parts) > 1 && parts[0].end > l.start+m[0] {
					m[0] = parts[0].end - l.start
				}
			}
			if m == nil || m[0] == 0 || len(p.in(aDate, l.start, l.end)) > 0 || !cents.MatchString(strings.ReplaceAll(s[m[0]:], ",", ".")) {
				continue
			}
			if summing(s[:m[0]]) || speaks(r.upper, "TOTAL", "SUB", "GRAND", "TAX") {
				if x.n > 0 {
					break
				}
				continue
			}
			tail := p.in(aNumber, l.start+m[0], l.end)
			if len(tail) == 0 {
				continue
			}
			name.end = l.start + m[0]
			if q := headQty.FindStringSubmatchIndex(s); q != nil {
				quantity, name.start = span{l.start + q[2], l.start + q[3]}, l.start+q[3]
			} else if !strings.Contains(tail[0].Value, ".") && len(tail) > 1 {
				quantity, tail = span{tail[0].Start, tail[0].End}, tail[1:]
			}
			if total = (span{tail[len(tail)-1].Start, tail[len(tail)-1].End}); len(tail) > 1 {
				unit = span{tail[0].Start, tail[0].End}
			}
		}
		if name.start, name.end = p.trim(name.start, name.end); !strings.ContainsFunc(p.text[name.start:name.end], unicode.IsLetter) {
			continue
		}
		any := false
		for _, w := range wants {
			at := name
			switch m := w.meanings[0]; {
			case w.kind == aNumber && m.has("quantity", "count"):
				at = quantity
			case w.kind == aNumber && m.has("unit price", "unit"):
				at = unit
			case w.kind == aNumber:
				at = total
			case !m.has("item", "name"):
				continue
			}
			if at.end > at.start {
				value := ""
				if w.kind == aNumber {
					value, _ = number(p.text[at.start:at.end], p.decimal)
				}
				x.element(w, at.start, at.end, value, .65)
				any = true
			}
		}
		if any {
			x.n++
		}
	}
}

var withUnit = pattern.New(`^\s?[\pL%µ]{1,6}\b`)

// spelled reads a list that a labelled value spells out: "ramipril 5 mg, naproxen 250 mg".
func (x *extractor) spelled(about meaning, wants []*want) {
	p := x.paper
	for _, r := range p.regions {
		if r.running || about.likeness(r.label, false, nil) < .6 {
			continue
		}
		for _, part := range p.parts(r.start, r.end) {
			name, amount := part, span{}
			if found := p.in(aNumber, part.start, part.end); len(found) > 0 && found[0].Start > part.start {
				name.end = found[0].Start
				amount = span{found[0].Start, found[0].End}
			}
			name.start, name.end = p.trim(name.start, name.end)
			first := true
			for _, w := range wants {
				at := amount
				switch {
				case w.kind != aNumber && first:
					at, first = name, false
				case w.kind != aNumber && amount.end > 0:
					at.end += len(withUnit.FindString(p.text[amount.end:part.end]))
				}
				if at.end > at.start {
					x.element(w, at.start, at.end, "", .6)
				}
			}
			x.n++
		}
		return
	}
}
