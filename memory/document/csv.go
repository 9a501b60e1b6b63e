package document

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"example.com/assay/memory/text"
)

// parseCSV reads a file of rows: records, where its first row names a column for their
// text, else a table.
func parseCSV(ctx context.Context, d *Document, raw []byte, o LoadOptions) error {
	raw = bytes.TrimPrefix(raw, []byte(bom))
	if o.comma == 0 {
		o.comma = separator(raw)
	}
	rows := csvRows{ctx: ctx, path: d.Path, raw: raw, comma: o.comma, limit: o.MaxRecordBytes}
	rows.restart(0, 1)
	header, _, err := rows.next(0)
	if err != nil {
		return rows.fault(err)
	}
	columns := make([]string, len(header))
	twice := ""
	seen := make(map[string]bool, len(header))
	for i, name := range header {
		if columns[i] = strings.TrimSpace(name); columns[i] != "" && seen[columns[i]] {
			twice = columns[i]
		}
		seen[columns[i]] = true
	}
	out := recordText{d: d, watch: &watch{ended: ctx.Err}, lineOf: map[string]int{}}
	if out.fields, err = pickFields(d.Path, 1, columns, o); err != nil {
		return err
	}
	if out.fields.text == "" {
		rows.restart(0, 1)
		return rows.table(&out)
	}
	if twice != "" {
		return &InputError{Path: d.Path, Line: 1, Field: twice, Msg: "two columns have this name", Hint: "rename one"}
	}
	at := func(name string, row []string) string {
		if name == "" {
			return ""
		}
		return row[slices.Index(columns, name)]
	}
	if err := rows.each(&out, len(columns), func(row []string, line int) error {
		f := out.fields
		rec := record{line: line, text: at(f.text, row), title: strings.TrimSpace(at(f.title, row)),
			id: strings.TrimSpace(at(f.id, row)), doc: strings.TrimSpace(at(f.doc, row)), meta: metadata{}}
		for i, name := range columns {
			if !f.uses(name) {
				rec.meta.set(name, row[i])
			}
		}
		return out.add(rec)
	}); err != nil {
		return err
	}
	return out.finish()
}

// table reads rows without a column for their text. The first of several cells names the
// columns, unless it has values of the form of those below it.
func (c *csvRows) table(out *recordText) error {
	g := grid{}
	first, below := -1, false // the row of names, and whether one below it was seen
	if err := c.each(out, -1, func(fields []string, line int) error {
		r := gridRow{line: line}
		for i, field := range fields {
			r.cells = append(r.cells, gridCell{text: text.OneLine(field), column: i, width: 1})
		}
		switch n, _ := r.filled(); {
		case n > 1 && first < 0:
			first = len(g.rows)
			r.head = true
		case n > 1 && !below:
			below = true
			for i, c := range g.rows[first].cells {
				if shapeOf(c.text) == shapeValue && i < len(r.cells) && formOf(c.text) == formOf(r.cells[i].text) {
					g.rows[first].head = false
				}
			}
		}
		g.rows = append(g.rows, r)
		return nil
	}); err != nil {
		return err
	}
	out.grid = &g
	return out.finish()
}

// each calls fn for every further row, and notes in out those that cannot be read.
func (c *csvRows) each(out *recordText, columns int, fn func(row []string, line int) error) error {
	for {
		row, line, err := c.next(columns)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			err = c.fault(err)
		default:
			if err = csvCheck(row, c.path, line, c.limit); err == nil {
				err = fn(row, line)
			}
		}
		if err != nil {
			if err := out.lose(err); err != nil {
				return err
			}
		}
	}
}

// formOf returns a value with one sign for each run of digits and of letters.
func formOf(s string) string {
	var b strings.Builder
	last := rune(0)
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			r = '9'
		case unicode.IsLetter(r):
			r = 'a'
		}
		if r != last || r != '9' && r != 'a' {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

func csvCheck(row []string, path string, line, limit int) error {
	size := 0
	for _, field := range row {
		if size += len(field); size > limit {
			return tooLong(path, line, limit)
		}
		if i := strings.IndexByte(field, 0); i >= 0 {
			return &InputError{Path: path, Line: line, Msg: "it contains a zero byte", Hint: "write the file again"}
		}
		if i := invalidUTF8([]byte(field)); i >= 0 {
			return &InputError{Path: path, Line: line, Msg: fmt.Sprintf("byte 0x%02X is not UTF-8", field[i]), Hint: "convert the file to UTF-8"}
		}
	}
	return nil
}

// A csvRows reads rows, and continues after one that cannot be read.
type csvRows struct {
	ctx      context.Context
	path     string
	raw      []byte
	comma    rune
	limit    int // of a record, in bytes
	r        *csv.Reader
	from     int // where r began in raw
	line     int // of from, from 1
	columns  int
	restarts int
}

// mostRestarts bounds how often a quote that is never closed costs reading the rest
// of the file again.
const mostRestarts = 100

func (c *csvRows) restart(from, line int) {
	c.from, c.line = from, line
	c.r = csv.NewReader(stoppable(c.ctx, bytes.NewReader(c.raw[from:])))
	c.r.Comma, c.r.ReuseRecord, c.r.FieldsPerRecord = c.comma, true, c.columns
}

// next returns the next row, which is valid until the next call, and its line. Zero
// columns allow any number. After a fault that swallowed lines, it continues at the
// second of them.
func (c *csvRows) next(columns int) ([]string, int, error) {
	c.columns, c.r.FieldsPerRecord = columns, columns
	if fault := c.skipLong(); fault != nil {
		return nil, 0, fault
	}
	row, err := c.r.Read()
	if fault, ok := errors.AsType[*csv.ParseError](err); ok {
		start, end := fault.StartLine, fault.Line
		fault.StartLine, fault.Line = start+c.line-1, end+c.line-1
		if end > start && !errors.Is(err, csv.ErrFieldCount) {
			fault.Line = fault.StartLine
			if c.restarts++; c.restarts <= mostRestarts {
				at, line := c.from, c.line
				for ; start > 0; start-- {
					at += bytes.IndexByte(c.raw[at:], '\n') + 1
					line++
				}
				c.restart(at, line)
			}
		}
		return nil, 0, err
	}
	if err != nil {
		return nil, 0, err
	}
	line, _ := c.r.FieldPos(0)
	return row, line + c.line - 1, nil
}

// skipLong skips a line that alone exceeds the limit of a record: the row reader would keep several
// copies of it.
func (c *csvRows) skipLong() error {
	at := c.from + int(c.r.InputOffset())
	length := bytes.IndexByte(c.raw[at:], '\n')
	if length < 0 {
		length = len(c.raw) - at
	}
	if length <= c.limit {
		return nil
	}
	line := c.line + bytes.Count(c.raw[c.from:at], []byte("\n"))
	c.restart(min(at+length+1, len(c.raw)), line+1)
	c.r.FieldsPerRecord = c.columns
	return tooLong(c.path, line, c.limit)
}

func tooLong(path string, line, limit int) error {
	return &InputError{Path: path, Line: line, Msg: fmt.Sprintf("the record is longer than %d bytes", limit), Hint: "close its quote, or split it"}
}

// fault returns the row reader's error as one that names the line.
func (c *csvRows) fault(err error) error {
	if _, ok := errors.AsType[*InputError](err); ok {
		return err
	}
	path, columns := c.path, c.columns
	if errors.Is(err, io.EOF) {
		return &InputError{Path: path, Line: 1, Msg: "it has no row", Hint: "write a row of names and rows of values"}
	}
	pe, ok := errors.AsType[*csv.ParseError](err)
	if !ok {
		return fmt.Errorf("reading %q: %w", path, err)
	}
	if errors.Is(err, csv.ErrFieldCount) {
		return &InputError{Path: path, Line: pe.Line, Msg: "the row has another number of fields than the header",
			Hint: fmt.Sprintf("want %d fields; put fields that hold the separator in double quotes", columns)}
	}
	return &InputError{Path: path, Line: pe.Line, Msg: fmt.Sprintf("%v (column %d)", pe.Err, pe.Column),
		Hint: `put the field in double quotes and write a quote inside it as ""`}
}

// separator returns which of , ; tab and | splits the most of the first lines into as many fields
// as the first of them; of equals, the one with the most fields. It is the comma if none does.
func separator(raw []byte) rune {
	raw = raw[:min(len(raw), 64<<10)]
	best, bestLines, most := ',', 0, 0
	for _, c := range []rune{',', ';', '\t', '|'} {
		first, same, n, quoted := -1, 0, 0, false
		lines := 0
		for _, b := range string(raw) + "\n" {
			switch {
			case b == '"':
				quoted = !quoted
			case b == c && !quoted:
				n++
			case b == '\n' && !quoted:
				if lines++; first < 1 {
					first = n
				}
				if n > 0 && n == first {
					same++
				}
				n = 0
			}
			if lines == 20 {
				break
			}
		}
		if first > 0 && (same > bestLines || same == bestLines && first > most) {
			best, bestLines, most = c, same, first
		}
	}
	return best
}
