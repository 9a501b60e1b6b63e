package document

import (
	"context"
	"encoding/xml"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/memory/text"
)

// parseXLSX extracts the text of a workbook: a sheet is a section, a row a block. Formulas have
// their last values, numbers are written as the sheet shows them, and dates as 2026-01-31. Charts,
// comments and pictures are left out.
func parseXLSX(ctx context.Context, d *Document, raw []byte, o LoadOptions) error {
	const book = "xl/workbook.xml"
	pack, err := openZip(d.Path, raw, o.MaxFileBytes, book)
	if err != nil {
		return err
	}
	byID, byType, err := pack.relations(ctx, book)
	if err != nil {
		return err
	}
	x := xlsxReader{pack: pack, out: newOffice(ctx)}
	type sheet struct{ name, part string }
	var sheets []sheet
	if err := pack.elements(ctx, book, func(e xml.StartElement) {
		switch e.Name.Local {
		case "workbookPr":
			x.from1904 = attribute(e, "date1904") == "1" || attribute(e, "date1904") == "true"
		case "sheet":
			sheets = append(sheets, sheet{attribute(e, "name"), byID[attribute(e, "id")]})
		}
	}); err != nil {
		return err
	}
	if err := pack.read(ctx, byType["sharedStrings"], x.readStrings); err != nil {
		return err
	}
	if err := pack.read(ctx, byType["styles"], x.readStyles); err != nil {
		return err
	}
	for _, s := range sheets {
		x.out.heading(1, s.name)
		x.rows, x.carried = nil, 0
		err := pack.read(ctx, s.part, x.readSheet)
		if x.full {
			return pack.tooLong()
		}
		if err != nil {
			return err
		}
		x.write()
	}
	x.out.finish(d)
	d.Title, d.Metadata, err = pack.properties(ctx, "docProps/core.xml")
	return err
}

type xlsxReader struct {
	pack     *zipPack
	out      officeWriter
	shared   []string
	styles   []xlsxStyle // of cells, by number
	from1904 bool        // days are counted from 1904
	rows     []xlsxRow   // of the open sheet
	carried  int         // cells that merging added to them
	size     int64       // of the texts of all cells
	full     bool        // cells that share long texts came to too much
}

// An xlsxRow is a row that is not empty.
type xlsxRow struct {
	number int // from 1
	cells  []gridCell
}

type richText struct {
	Text string     `xml:"t"`
	Runs []richText `xml:"r"`
}

func (r richText) String() string {
	for _, run := range r.Runs {
		r.Text += run.Text
	}
	return r.Text
}

// readStrings reads the texts that cells share, without the readings of Asian
// characters.
func (x *xlsxReader) readStrings(part io.Reader) error {
	return decoded(part, func(t xml.Token, decode func(any) error) (err error) {
		if e, ok := t.(xml.StartElement); ok && e.Name.Local == "si" {
			var s richText
			err = decode(&s)
			x.shared = append(x.shared, text.OneLine(s.String()))
		}
		return err
	})
}

func (x *xlsxReader) readStyles(part io.Reader) error {
	var sheet struct {
		Formats []struct {
			ID   string `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Fonts []struct {
			Bold *valued `xml:"b"`
		} `xml:"fonts>font"`
		Cells []struct {
			Format string `xml:"numFmtId,attr"`
			Font   string `xml:"fontId,attr"`
		} `xml:"cellXfs>xf"`
	}
	err := decoded(part, func(t xml.Token, decode func(any) error) error {
		if _, ok := t.(xml.StartElement); ok {
			return decode(&sheet)
		}
		return nil
	})
	codes := maps.Clone(builtinFormats)
	for _, f := range sheet.Formats {
		codes[f.ID] = f.Code
	}
	for _, c := range sheet.Cells {
		x.styles = append(x.styles, xlsxStyle{readFormat(codes[c.Format]), itemAt(sheet.Fonts, c.Font).Bold.on()})
	}
	return err
}

type xlsxStyle struct {
	format numberFormat
	bold   bool
}

// widestSheet is the number of separate columns; a sheet has at most 16,384.
const widestSheet = 16_384

func (x *xlsxReader) readSheet(part io.Reader) error {
	last := 0
	return decoded(part, func(t xml.Token, decode func(any) error) error {
		x.out.w.page.step()
		e, ok := t.(xml.StartElement)
		if !ok || e.Name.Local != "row" {
			if ok && e.Name.Local == "mergeCell" {
				x.merge(attribute(e, "ref"))
			}
			return nil
		}
		var read struct {
			Number string `xml:"r,attr"`
			Cells  []struct {
				Place  string   `xml:"r,attr"`
				Kind   string   `xml:"t,attr"`
				Style  string   `xml:"s,attr"`
				Value  string   `xml:"v"`
				Inline richText `xml:"is"`
			} `xml:"c"`
		}
		if err := decode(&read); err != nil {
			return err
		}
		row, next := xlsxRow{number: last + 1}, 0
		if n, err := strconv.Atoi(read.Number); err == nil && n > last {
			row.number = n
		}
		last = row.number
		for _, c := range read.Cells {
			column := columnOf(c.Place)
			if column < 0 {
				column = next
			}
			next = column + 1
			if cell := x.cell(c.Kind, c.Style, text.OneLine(c.Value+c.Inline.String())); cell.text != "" && column < widestSheet {
				cell.column, cell.width = column, 1
				row.cells = append(row.cells, cell)
				if x.size += int64(len(cell.text)); x.size > x.pack.limit {
					x.full = true
					return io.ErrShortBuffer
				}
			}
		}
		if len(row.cells) > 0 {
			x.rows = append(x.rows, row)
		}
		return nil
	})
}

// merge merges the cells of a range: its text is that of each of its rows.
func (x *xlsxReader) merge(ref string) {
	from, to, ok := strings.Cut(ref, ":")
	top, bottom := rowOf(from), rowOf(to)
	left, right := columnOf(from), columnOf(to)
	if !ok || top < 1 || left < 0 || right < left || bottom < top {
		return
	}
	find := func(number int) int {
		i, _ := slices.BinarySearchFunc(x.rows, number, func(r xlsxRow, n int) int { return r.number - n })
		return i
	}
	first := find(top)
	if first == len(x.rows) || x.rows[first].number != top {
		return
	}
	at := slices.IndexFunc(x.rows[first].cells, func(c gridCell) bool { return c.column == left })
	if at < 0 {
		return
	}
	cell := &x.rows[first].cells[at]
	cell.width = right - left + 1
	below := *cell
	below.carried = true
	for i := first + 1; i < len(x.rows) && x.rows[i].number <= bottom && i-first < mostSpannedRow; i++ {
		r := &x.rows[i]
		if x.carried++; x.carried > 4*len(x.rows)+mostSpannedRow {
			return // more than a sheet of people has
		}
		j, found := slices.BinarySearchFunc(r.cells, left, func(c gridCell, column int) int { return c.column - column })
		if !found {
			r.cells = slices.Insert(r.cells, j, below)
		}
	}
}

func rowOf(place string) int {
	n, _ := strconv.Atoi(strings.TrimLeft(place, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	return n
}

// columnOf returns the column of "BC12", from 0; −1 without one.
func columnOf(place string) int {
	n := 0
	for _, r := range place {
		if r < 'A' || r > 'Z' || n > widestSheet {
			break
		}
		n = 26*n + int(r-'A') + 1
	}
	return n - 1
}

func (x *xlsxReader) cell(kind, style, value string) gridCell {
	how := itemAt(x.styles, style)
	cell := gridCell{text: value, strong: how.bold}
	switch kind {
	case "s":
		cell.text = itemAt(x.shared, value)
	case "b":
		cell.text = map[string]string{"1": "TRUE", "0": "FALSE"}[value]
	case "", "n":
		if number, err := strconv.ParseFloat(value, 64); err == nil {
			cell.text = how.format.show(number, x.from1904)
		}
	}
	return cell
}

// write writes the tables of a sheet, which are separated by empty rows and columns. A table
// without header has that of the one above.
func (x *xlsxReader) write() {
	caption := ""
	var names []string
	left := widestSheet // where the sheet begins
	for _, r := range x.rows {
		left = min(left, r.cells[0].column)
	}
	for i := 0; i < len(x.rows); {
		j := i + 1
		for j < len(x.rows) && x.rows[j].number == x.rows[j-1].number+1 {
			j++
		}
		parts := apart(x.rows[i:j])
		for _, rows := range parts {
			g, from := grid{label: caption, headers: names}, left
			if len(parts) > 1 {
				g.headers, from = nil, widestSheet
				for _, r := range rows {
					from = min(from, r.cells[0].column)
				}
			}
			for _, r := range rows {
				for k := range r.cells {
					r.cells[k].column -= from
				}
				g.rows = append(g.rows, gridRow{cells: r.cells})
			}
			if x.out.w.grid(&g); len(g.headers) > 0 {
				names = g.headers
			}
		}
		caption = ""
		if n, first := (gridRow{cells: x.rows[i].cells}).filled(); j == i+1 && n == 1 && !endsSentence(first.text) {
			caption = text.Clip(first.text, longestCaption)
		}
		i = j
	}
	x.rows = nil
}

// apart splits rows at columns that are empty in all of them, if both sides have several rows and
// columns.
func apart(rows []xlsxRow) [][]xlsxRow {
	first, last := widestSheet, 0
	for _, r := range rows {
		first = min(first, r.cells[0].column)
		end := r.cells[len(r.cells)-1]
		last = max(last, min(end.column+end.width, widestSheet))
	}
	used := make([]bool, max(0, last-first))
	for _, r := range rows {
		for _, c := range r.cells {
			for i := c.column; i < min(c.column+c.width, last); i++ {
				used[i-first] = true
			}
		}
	}
	var out [][]xlsxRow
	for from := 0; from < len(used); {
		to := from
		for to < len(used) && used[to] {
			to++
		}
		part := rows
		if from > 0 || to < len(used) {
			part = nil
			for _, r := range rows {
				cut := xlsxRow{number: r.number}
				for _, c := range r.cells {
					if c.column >= first+from && c.column < first+to {
						cut.cells = append(cut.cells, c)
					}
				}
				if len(cut.cells) > 0 {
					part = append(part, cut)
				}
			}
		}
		if to-from < 2 || len(part) < 2 {
			return [][]xlsxRow{rows}
		}
		out = append(out, part)
		for from = to; from < len(used) && !used[from]; from++ {
		}
	}
	return out
}
