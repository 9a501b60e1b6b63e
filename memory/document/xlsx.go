package document

import (
	"context"
	"encoding/xml"
	"io"
	"math"
	"path"
	"strconv"
	"strings"
	"time"

	"example.com/assay/memory/text"
)

// parseXLSX extracts the text of a workbook: a sheet is a section, a row a block.
// Below a row of names it reads "cell; Name: cell; Name: cell", so that each row can
// be read alone. Formulas are their last values, dates are written as 2026-01-31.
// Charts, comments and pictures are left out.
func parseXLSX(ctx context.Context, d *Document, raw []byte, o LoadOptions) error {
	pack, err := openZip(d.Path, raw, o.MaxFileBytes)
	if err != nil {
		return err
	}
	const book = "xl/workbook.xml"
	if pack.files[book] == nil {
		return pack.missing(book)
	}
	byID, byType, err := pack.relations(ctx, book)
	if err != nil {
		return err
	}
	x := xlsxReader{pack: pack, out: newOffice(ctx)}
	type sheet struct{ name, part string }
	var sheets []sheet
	for _, p := range []struct {
		name string
		read func(io.Reader) error
	}{
		{book, func(part io.Reader) error {
			return eachElement(part, func(e xml.StartElement) error {
				switch e.Name.Local {
				case "workbookPr":
					x.from1904 = attribute(e, "date1904") == "1" || attribute(e, "date1904") == "true"
				case "sheet":
					sheets = append(sheets, sheet{attribute(e, "name"), byID[attribute(e, "id")]})
				}
				return nil
			})
		}},
		{byType["sharedStrings"], x.readStrings},
		{byType["styles"], x.readStyles},
	} {
		if err := pack.read(ctx, p.name, p.read); err != nil {
			return err
		}
	}
	for _, s := range sheets {
		x.out.heading(1, s.name)
		x.names, x.rows = nil, 0
		err := pack.read(ctx, s.part, x.readSheet)
		if x.full {
			return pack.tooLong()
		}
		if err != nil {
			return err
		}
	}
	x.out.finish(d)
	d.Title, err = pack.declaredTitle(ctx, path.Join("docProps", "core.xml"))
	return err
}

// An xlsxReader reads the sheets of a workbook.
type xlsxReader struct {
	pack     *zipPack
	out      officeWriter
	shared   []string
	styles   []xlsxStyle // of cells, by number
	from1904 bool        // days are counted from 1904
	names    []string    // of the open sheet's columns; nil before a row of names
	rows     int         // of the open sheet that were written
	full     bool        // cells that share long texts came to too much
}

// An xlsxStyle is how a number is shown.
type xlsxStyle int

const (
	asNumber xlsxStyle = iota
	asPercent
	asDate
)

// readStrings reads the texts that cells share, without the readings of Asian
// characters.
func (x *xlsxReader) readStrings(part io.Reader) error {
	var b strings.Builder
	inText, reading := false, false
	return tokens(part, func(t xml.Token) error {
		switch e := t.(type) {
		case xml.StartElement:
			inText = e.Name.Local == "t"
			reading = reading || e.Name.Local == "rPh"
		case xml.EndElement:
			switch inText = false; e.Name.Local {
			case "rPh":
				reading = false
			case "si":
				x.shared = append(x.shared, text.OneLine(b.String()))
				b.Reset()
			}
		case xml.CharData:
			if inText && !reading {
				b.Write(e)
			}
		}
		return nil
	})
}

func (x *xlsxReader) readStyles(part io.Reader) error {
	formats := map[string]xlsxStyle{"9": asPercent, "10": asPercent}
	for _, id := range []string{"14", "15", "16", "17", "18", "19", "20", "21", "22", "45", "46", "47"} {
		formats[id] = asDate
	}
	cells := false
	return tokens(part, func(t xml.Token) error {
		switch e := t.(type) {
		case xml.StartElement:
			switch e.Name.Local {
			case "numFmt":
				formats[attribute(e, "numFmtId")] = styleOf(attribute(e, "formatCode"))
			case "cellXfs":
				cells = true
			case "xf":
				if cells {
					x.styles = append(x.styles, formats[attribute(e, "numFmtId")])
				}
			}
		case xml.EndElement:
			if e.Name.Local == "cellXfs" {
				cells = false
			}
		}
		return nil
	})
}

// styleOf reads a format such as "dd/mm/yyyy"; text in quotes and brackets is none.
func styleOf(code string) xlsxStyle {
	quoted := false
	bracket := false
	for _, r := range strings.ToLower(code) {
		switch {
		case r == '"':
			quoted = !quoted
		case quoted:
		case r == '[':
			bracket = true
		case r == ']':
			bracket = false
		case bracket:
		case r == '%':
			return asPercent
		case r == 'y' || r == 'd' || r == 'h' || r == 'm' || r == 's':
			return asDate
		}
	}
	return asNumber
}

// An xlsxCell is a cell that is not empty.
type xlsxCell struct {
	column int
	text   string
	number bool
}

// widestSheet is the number of columns that are kept apart; a sheet has at most 16,384.
const widestSheet = 16_384

func (x *xlsxReader) readSheet(part io.Reader) error {
	var row []xlsxCell
	var value strings.Builder
	var kind, style string
	column, next := 0, 0
	inText := false
	return tokens(part, func(t xml.Token) error {
		x.out.w.page.step()
		switch e := t.(type) {
		case xml.StartElement:
			switch inText = false; e.Name.Local {
			case "row":
				row, next = row[:0], 0
			case "c":
				kind, style = attribute(e, "t"), attribute(e, "s")
				if column = columnOf(attribute(e, "r")); column < 0 {
					column = next
				}
				next = column + 1
				value.Reset()
			case "v", "t":
				inText = true
			}
		case xml.EndElement:
			switch inText = false; e.Name.Local {
			case "c":
				if cell := x.cell(kind, style, text.OneLine(value.String())); cell.text != "" && column < widestSheet {
					cell.column = column
					row = append(row, cell)
				}
			case "row":
				x.row(row)
			}
		case xml.CharData:
			if inText {
				value.Write(e)
			}
		}
		if int64(x.out.w.out.Len()) > x.pack.limit {
			x.full = true
			return io.ErrShortBuffer
		}
		return nil
	})
}

// columnOf reads the column of "BC12", from 0; -1 where there is none.
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

// cell is what a cell shows.
func (x *xlsxReader) cell(kind, style, value string) xlsxCell {
	switch kind {
	case "s":
		i, err := strconv.Atoi(value)
		if err != nil || i < 0 || i >= len(x.shared) {
			return xlsxCell{}
		}
		return xlsxCell{text: x.shared[i]}
	case "b":
		return xlsxCell{text: map[string]string{"1": "TRUE", "0": "FALSE"}[value]}
	case "", "n":
	default: // a text
		return xlsxCell{text: value}
	}
	number, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return xlsxCell{text: value}
	}
	how := asNumber
	if i, err := strconv.Atoi(style); err == nil && i >= 0 && i < len(x.styles) {
		how = x.styles[i]
	}
	switch {
	case how == asPercent:
		return xlsxCell{text: decimal(number*100) + "%", number: true}
	case how == asDate && number >= 0 && number < 2_958_466: // the year 10000
		return xlsxCell{text: x.date(number), number: true}
	}
	return xlsxCell{text: decimal(number), number: true}
}

// decimal writes a number with the 15 digits that a sheet keeps.
func decimal(v float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 15, 64), 64)
	if err != nil {
		rounded = v
	}
	if math.Abs(rounded) >= 1e21 || rounded != 0 && math.Abs(rounded) < 1e-9 {
		return strconv.FormatFloat(rounded, 'g', -1, 64)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// date writes a count of days. Before March 1900 Excel is a day off, because it
// takes 1900 for a leap year.
func (x *xlsxReader) date(days float64) string {
	seconds := math.Round(days * 86_400)
	from := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if x.from1904 {
		from = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	at := from.Add(time.Duration(math.Mod(seconds, 86_400))*time.Second).AddDate(0, 0, int(seconds/86_400))
	switch {
	case days < 1:
		return at.Format("15:04:05")
	case math.Mod(seconds, 86_400) == 0:
		return at.Format("2006-01-02")
	}
	return at.Format("2006-01-02 15:04:05")
}

// row writes a row. The first of several cells that are all words names the columns.
func (x *xlsxReader) row(cells []xlsxCell) {
	if len(cells) == 0 {
		return
	}
	names := x.names == nil && len(cells) > 1
	for _, c := range cells {
		names = names && !c.number
	}
	var b strings.Builder
	for i, c := range cells {
		if i > 0 {
			b.WriteString("; ")
		}
		if c.column > 0 && c.column < len(x.names) && x.names[c.column] != "" && !names && i > 0 {
			b.WriteString(x.names[c.column] + ": ")
		}
		b.WriteString(c.text)
	}
	if names {
		x.names = make([]string, min(cells[len(cells)-1].column+1, widestSheet))
		for _, c := range cells {
			if c.column < len(x.names) {
				x.names[c.column] = text.Clip(c.text, longestHeader)
			}
		}
	}
	x.rows++
	x.out.w.endBlock()
	x.out.w.text(b.String())
	x.out.w.endBlock()
}
