package fields

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text/pattern"
	"example.com/assay/memory/text/values"
	"example.com/assay/skills"
)

// items finds the elements of lists of objects: in rows of a table whose columns are named like the
// fields, in lines that end in amounts, in entries of a curriculum, or in a value that is a list.
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

// element adds a value to the element that is being made.
func (x *extractor) element(w *want, start, end int, value string, p float64) {
	x.putAs(x.list+"["+strconv.Itoa(x.n)+"]."+w.path, x.paper.oneLine(option{start: start, end: end, value: value}), start, end, p)
}

// jobs adds the entries of a curriculum.
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

// summing reports whether a text names only a sum.
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
		rows := p.tableAt(p.blocks[from:])
		to := from + len(rows)
		rows = p.counted(rows)
		if rows[0].Kind == "row" && len(rows[0].Cells) > 1 && (len(rows) > 1 || rows[0].Cells[len(rows[0].Cells)-1].Header != "") {
			if cols, fit := p.columns(rows, wants); fit > 0 {
				if fit += about.likeness(termsOf(rows[0].Under+" "+rows[0].Label), false, nil) / 2; fit > top {
					best, columns, top = rows, cols, fit
				}
			}
		}
		from = to
	}
	counts := func(r skills.TextBlock) bool { // it has a number that is not a running balance
		return slices.ContainsFunc(wants, func(w *want) bool {
			i := slices.Index(wants, w)
			return w.kind == aNumber && !w.meanings[0].has("outstanding") && columns[i] >= 0 && columns[i] < len(r.Cells) && len(p.cell(w, r.Cells[columns[i]].Start, r.Cells[columns[i]].End)) > 0
		})
	}
	if counted := slices.DeleteFunc(slices.Clone(best), func(r skills.TextBlock) bool { return !counts(r) }); 2*len(counted) > len(best) {
		best = counted
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
				if c, ok := p.markedColumn(w, r); ok {
					x.element(w, c.Start, c.End, c.Header, .85)
				}
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

// tableAt returns the rows of one table at the beginning of blocks, or only the first block. Rows
// whose cells are all named may lack some, which are then empty; below numbered rows, a row without
// a number belongs to something else.
func (p *paper) tableAt(blocks []skills.TextBlock) []skills.TextBlock {
	names, n := headersOf(blocks[0]), 1
	for ; n < len(blocks) && blocks[0].Kind == "row" && blocks[n].Kind == "row"; n++ {
		own := headersOf(blocks[n])
		if slices.Equal(names, own) {
			continue
		}
		joined, ok := joinedHeaders(names, own)
		if !ok {
			break
		}
		_, first := p.numberIn(blocks[0].Cells[0])
		if _, number := p.numberIn(blocks[n].Cells[0]); first != number {
			break
		}
		names = joined
	}
	rows := slices.Clone(blocks[:n])
	for i, r := range rows {
		if len(r.Cells) == len(names) || n == 1 {
			continue
		}
		rows[i].Cells = make([]skills.TextCell, len(names))
		for j, name := range names {
			rows[i].Cells[j] = skills.TextCell{Header: name, Start: r.Start, End: r.Start}
			if at := slices.IndexFunc(r.Cells, func(c skills.TextCell) bool { return c.Header == name }); at >= 0 {
				rows[i].Cells[j] = r.Cells[at]
			}
		}
	}
	return rows
}

// counted splits a column with both quantity and article, "Qty Article" above "2 Lamp", into two.
func (p *paper) counted(rows []skills.TextBlock) []skills.TextBlock {
	if rows[0].Kind != "row" || len(rows[0].Cells) == 0 {
		return rows
	}
	quantity, name, ok := strings.Cut(strings.TrimSpace(rows[0].Cells[0].Header), " ")
	if !ok || !meaningOf(quantity, "").has("quantity") || meaningOf(name, "").has("quantity") {
		return rows
	}
	out := slices.Clone(rows)
	for i, r := range rows {
		c := r.Cells[0]
		many := headQty.FindStringSubmatchIndex(p.text[c.Start:c.End])
		if many == nil {
			return rows
		}
		at := c.Start + many[3]
		start, _ := p.trim(at, c.End)
		out[i].Cells = append([]skills.TextCell{{Header: quantity, Start: c.Start + many[2], End: at}, {Header: name, Start: start, End: c.End}}, r.Cells[1:]...)
	}
	return out
}

// markedColumn returns the marked cell of a row whose columns are the choices of a field: named as
// its schema names them, or numbers, "1 | 2 | 3 | 4 | 5". Its header is the choice.
func (p *paper) markedColumn(w *want, r skills.TextBlock) (out skills.TextCell, ok bool) {
	choices := 0
	for _, c := range r.Cells {
		choice := c.Header
		if at := slices.IndexFunc(w.spec.Enum, func(e string) bool { return strings.EqualFold(e, c.Header) }); at >= 0 {
			choice = w.spec.Enum[at]
		} else if _, err := strconv.Atoi(c.Header); err != nil || w.kind != aNumber {
			continue
		}
		choices++
		if mark := strings.TrimSpace(p.text[c.Start:c.End]); mark != "" && utf8.RuneCountInString(mark) < 4 {
			if ok {
				return out, false // two marks
			}
			out, ok = c, true
			out.Header = choice
		}
	}
	return out, ok && choices > 1
}

func headersOf(b skills.TextBlock) (out []string) {
	for _, c := range b.Cells {
		out = append(out, c.Header)
	}
	return out
}

// joinedHeaders merges the column names of two rows of one table, in order. They begin with the
// same name.
func joinedHeaders(a, b []string) ([]string, bool) {
	if len(a) == 0 || len(b) == 0 || a[0] != b[0] || slices.Contains(a, "") || slices.Contains(b, "") {
		return nil, false
	}
	out, at := slices.Clone(a), 0
	for _, name := range b {
		if i := slices.Index(out, name); i >= 0 {
			if i < at {
				return nil, false
			}
			at = i + 1
			continue
		}
		out = slices.Insert(out, at, name)
		at++
	}
	return out, true
}

// cell returns the possible values of a field in a cell.
func (p *paper) cell(w *want, start, end int) []values.Found {
	if w.kind == aCode || w.kind == aParty { // the whole cell
		w = &want{spec: w.spec, kind: aText}
	}
	return p.find(w, region{start: start, end: end})
}

// columns returns the column of a table for each field, −1 for none, and how well they fit: by
// their names, and else by the remaining columns of their kind.
func (p *paper) columns(rows []skills.TextBlock, wants []*want) ([]int, float64) {
	out, taken, fit := make([]int, len(wants)), map[int]bool{}, 0.0
	holds := func(w *want, col int) bool {
		with, all := 0, 0
		for _, r := range rows {
			if c := r.Cells[col]; strings.TrimSpace(p.text[c.Start:c.End]) != "" {
				all++
				if len(p.cell(w, c.Start, c.End)) > 0 && (w.kind != aText || !w.meanings[0].has("item", "name") || strings.ContainsFunc(p.text[c.Start:c.End], unicode.IsLetter)) {
					with++
				}
			}
		}
		return all > 0 && with*2 > all
	}
	for i := range out {
		out[i] = -1
	}
	for range wants { // the best pair, then the next
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
	bare := !slices.ContainsFunc(rows[0].Cells, func(c skills.TextCell) bool { return c.Header != "" })
	if fit == 0 && !bare {
		return out, 0
	}
	if n := len(rows[0].Cells) - 1; bare && p.carries(rows, n) {
		taken[n] = true
	}
	if bare {
		for c := range rows[0].Cells {
			taken[c] = taken[c] || p.counts(rows, c)
		}
	}
	for i, c := range p.product(rows, wants, taken) {
		if out[i] < 0 && c >= 0 && !taken[c] {
			out[i], taken[c] = c, true
			fit += .4
		}
	}
	for i, w := range wants {
		for k := range rows[0].Cells {
			c := k
			if w.kind == aCode && out[i] < 0 && bare && !taken[c] && !slices.ContainsFunc(rows, func(r skills.TextBlock) bool {
				codes := p.in(aCode, r.Cells[c].Start, r.Cells[c].End)
				return len(codes) != 1 || codes[0].Start != r.Cells[c].Start || codes[0].End != r.Cells[c].End || len(p.in(aNumber, codes[0].Start, codes[0].End)) > 0
			}) {
				out[i], taken[c] = c, true
			}
			if bare && w.kind == aText { // take the widest
				c = p.widest(rows, taken)
			}
			if w.kind == aNumber && !w.meanings[0].has("quantity") { // amounts are on the right
				c = len(rows[0].Cells) - 1 - k
			}
			if out[i] < 0 && !taken[c] && holds(w, c) && (w.kind == aNumber || w.meanings[0].has("item", "name")) && (w.kind != aNumber || w.meanings[0].has("total", "amount", "line total", "unit price", "quantity", "unit")) {
				out[i], taken[c] = c, true
				fit += .3
			}
		}
	}
	p.settle(rows, wants, out)
	keyed := !bare && !taken[0] && rows[0].Cells[0].Header == "" // what the rows are about
	matched := 0
	for i, w := range wants {
		if keyed && w.kind == aText && out[i] < 0 && holds(w, 0) {
			out[i], fit, keyed = 0, fit+.3, false
		}
		if _, marked := p.markedColumn(w, rows[0]); out[i] >= 0 || marked {
			matched++
		}
	}
	if matched < min(2, len(wants)) {
		return out, 0
	}
	return out, fit
}

// numberIn returns the number in a cell.
func (p *paper) numberIn(c skills.TextCell) (float64, bool) {
	found := p.in(aNumber, c.Start, c.End)
	if len(found) != 1 {
		return 0, false
	}
	v, err := strconv.ParseFloat(found[0].Value, 64)
	return v, err == nil
}

// counts reports whether a column only numbers the rows: 1, 2, 3 or 10, 20, 30.
func (p *paper) counts(rows []skills.TextBlock, col int) bool {
	step := 0.0
	for i, r := range rows {
		v, ok := p.numberIn(r.Cells[col])
		if i == 0 {
			step = v
		}
		if !ok || v != step*float64(i+1) || v == 0 {
			return false
		}
	}
	return len(rows) > 1
}

// product assigns fields to three columns of which one is the product of the others: quantity, unit
// price and price.
func (p *paper) product(rows []skills.TextBlock, wants []*want, taken map[int]bool) []int {
	out := make([]int, len(wants))
	for i := range out {
		out[i] = -1
	}
	n := len(rows[0].Cells)
	for t := n - 1; t >= 2; t-- {
		for u := t - 1; u >= 1; u-- {
			for q := u - 1; q >= 0; q-- {
				held, whole := 0, true
				for _, r := range rows {
					a, ok1 := p.numberIn(r.Cells[q])
					b, ok2 := p.numberIn(r.Cells[u])
					c, ok3 := p.numberIn(r.Cells[t])
					if ok1 && ok2 && ok3 && (math.Abs(a*b-c) > .011 || a == 1 && b == 1) {
						held = -len(rows)
					}
					if ok1 && ok2 && ok3 {
						held++
						whole = whole && b == math.Trunc(b)
					}
				}
				if held < 1 || 2*held < len(rows) {
					continue
				}
				if many := q; whole && slices.ContainsFunc(rows, func(r skills.TextBlock) bool { v, _ := p.numberIn(r.Cells[many]); return v != math.Trunc(v) }) {
					q, u = u, q
				}
				for i, w := range wants {
					switch m := w.meanings[0]; {
					case w.kind != aNumber:
					case m.has("quantity", "count"):
						out[i] = q
					case m.has("unit price"):
						out[i] = u
					case m.has("total", "amount", "line total"):
						out[i] = t
					}
				}
				return out
			}
		}
	}
	return out
}

// settle exchanges the columns of unit price and price if the products say so.
func (p *paper) settle(rows []skills.TextBlock, wants []*want, out []int) {
	unit, total := -1, -1
	for i, c := range p.product(rows, wants, nil) {
		switch {
		case c < 0 || out[i] < 0:
		case wants[i].meanings[0].has("unit price"):
			unit = i
		case !wants[i].meanings[0].has("quantity", "count"):
			total = i
		}
	}
	if unit >= 0 && total >= 0 && out[unit] > out[total] {
		out[unit], out[total] = out[total], out[unit]
	}
}

// widest returns the column with the most letters that no field has.
func (p *paper) widest(rows []skills.TextBlock, taken map[int]bool) int {
	best, most := -1, 0
	for c := range rows[0].Cells {
		letters := 0
		for _, r := range rows {
			for _, l := range p.text[r.Cells[c].Start:r.Cells[c].End] {
				if unicode.IsLetter(l) {
					letters++
				}
			}
		}
		if letters > most && !taken[c] {
			best, most = c, letters
		}
	}
	return max(best, 0)
}

// carries reports whether a column is a running balance: the cell above plus or minus the amount to
// the left.
func (p *paper) carries(rows []skills.TextBlock, col int) bool {
	cents := func(r skills.TextBlock, c int) (float64, bool) {
		v, ok := p.numberIn(r.Cells[c])
		return math.Round(100 * v), ok
	}
	for i := 1; i < len(rows); i++ {
		before, ok1 := cents(rows[i-1], col)
		by, ok2 := cents(rows[i], col-1)
		after, ok3 := cents(rows[i], col)
		if !ok1 || !ok2 || !ok3 || math.Abs(after-before) != math.Abs(by) {
			return false
		}
	}
	return len(rows) > 2
}

var (
	headQty = pattern.New(`^[-*•]?\s*(\d{1,4}(?:[.,]\d+)?)\s*[x×]?\s+\pL`)
	between = pattern.New(`^[^\pL\d]*(?:\pL{1,6}\.?)?[^\pL\d]*$`)
)

// lineItems reads lines that end in amounts, above the first sum, such as "2 x lamp - EUR 5.50
// each".
func (x *extractor) lineItems(wants []*want) {
	p := x.paper
	for _, r := range x.rows {
		tail := p.in(aNumber, r.start, r.end)
		if n := len(tail); len(r.text) > longestLabel || n == 0 || len(p.in(aDate, r.start, r.end)) > 0 || !strings.Contains(tail[n-1].Value, ".") || !between.MatchString(p.text[tail[n-1].End:r.end]) {
			continue
		}
		name, quantity := span{r.start, r.end}, span{}
		if q := headQty.FindStringSubmatchIndex(r.text); q != nil {
			quantity, name.start, tail = span{r.start + q[2], r.start + q[3]}, r.start+q[1]-1, tail[1:]
		}
		for i := len(tail) - 1; i > 0; i-- {
			if !between.MatchString(p.text[tail[i-1].End:tail[i].Start]) {
				tail = tail[i:]
				break
			}
		}
		if len(tail) == 0 {
			continue
		}
		name.end = name.start + len(strings.TrimRight(p.text[name.start:tail[0].Start], " \t-–—@:.$€£"))
		name.end -= len(codeBehind.FindString(p.text[name.start:name.end]))
		if name.start, name.end = p.trim(name.start, name.end); !strings.ContainsFunc(p.text[name.start:name.end], unicode.IsLetter) {
			continue
		}
		if summing(p.text[name.start:name.end]) || speaks(r.upper, "TOTAL", "SUB", "GRAND", "TAX") {
			if x.n > 0 {
				break
			}
			continue
		}
		first, last := tail[0], tail[len(tail)-1]
		if quantity.end == 0 && len(tail) > 1 && !strings.Contains(first.Value, ".") {
			quantity, first = span{first.Start, first.End}, tail[1]
		}
		unit, total := span{}, span{last.Start, last.End}
		if first != last {
			unit = span{first.Start, first.End}
		} else if meaningOf(p.text[last.End:r.end], "").has("unit price") { // each
			unit, total = total, span{}
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

var codeBehind = pattern.New(`\s+(?:[A-Z]{3}|[-–—@:])$`)

var withUnit = pattern.New(`^\s?[\pL%µ]{1,6}\b`)

// spelled reads a list in a labelled value: "ramipril 5 mg, naproxen 250 mg".
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
