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
)

// parseCSV reads a table whose first row names the columns. A comma of 0 is
// found by the header.
func parseCSV(ctx context.Context, d *Document, raw []byte, comma rune, o LoadOptions) error {
	if err := checkText(d.Path, raw); err != nil {
		return err
	}
	raw = bytes.TrimPrefix(raw, []byte(bom))
	if comma == 0 {
		comma = separator(raw)
	}
	if line := longRecord(raw, o.MaxRecordBytes); line > 0 {
		return &InputError{Path: d.Path, Line: line, Msg: fmt.Sprintf("the record is longer than %d bytes", o.MaxRecordBytes), Hint: "close its quote, or split it"}
	}
	r := csv.NewReader(stoppable(ctx, bytes.NewReader(raw)))
	r.Comma, r.ReuseRecord = comma, true
	header, err := r.Read()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return csvFault(d.Path, err, 0)
	}
	columns := make([]string, len(header))
	seen := make(map[string]bool, len(header))
	for i, name := range header {
		columns[i] = strings.TrimSpace(name)
		if columns[i] != "" && seen[columns[i]] {
			return &InputError{Path: d.Path, Line: 1, Field: columns[i], Msg: "two columns have this name", Hint: "rename one"}
		}
		seen[columns[i]] = true
	}
	out := recordText{d: d, watch: &watch{ended: ctx.Err}, lineOf: map[string]int{}}
	if out.fields, err = pickFields(d.Path, 1, columns, o); err != nil {
		return err
	}
	at := func(name string, row []string) string {
		if name == "" {
			return ""
		}
		return row[slices.Index(columns, name)]
	}
	for {
		row, err := r.Read()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return csvFault(d.Path, err, len(columns))
		}
		line, _ := r.FieldPos(0)
		f := out.fields
		rec := record{line: line, text: at(f.text, row), title: strings.TrimSpace(at(f.title, row)),
			id: strings.TrimSpace(at(f.id, row)), doc: strings.TrimSpace(at(f.doc, row))}
		rec.meta = metadata{}
		for i, name := range columns {
			if !f.uses(name) {
				rec.meta.set(name, row[i])
			}
		}
		if err := out.add(rec); err != nil {
			return err
		}
	}
	return out.finish()
}

// csvFault turns the reader's error into one that names the line.
func csvFault(path string, err error, columns int) error {
	if errors.Is(err, io.EOF) {
		return &InputError{Path: path, Line: 1, Msg: "it has no header row", Hint: "name the columns in the first row"}
	}
	var pe *csv.ParseError
	if !errors.As(err, &pe) {
		return fmt.Errorf("reading %q: %w", path, err)
	}
	if errors.Is(err, csv.ErrFieldCount) {
		return &InputError{Path: path, Line: pe.Line, Msg: "the row has another number of fields than the header",
			Hint: fmt.Sprintf("want %d fields; put fields that hold the separator in double quotes", columns)}
	}
	return &InputError{Path: path, Line: pe.Line, Msg: fmt.Sprintf("%v (column %d)", pe.Err, pe.Column),
		Hint: `put the field in double quotes and write a quote inside it as ""`}
}

// separator returns which of , ; tab and | the header row holds most, the
// comma when none.
func separator(raw []byte) rune {
	head, _, _ := bytes.Cut(raw, []byte("\n"))
	best, most := ',', 0
	for _, c := range []rune{',', ';', '\t', '|'} {
		n, quoted := 0, false
		for _, b := range string(head) {
			if b == '"' {
				quoted = !quoted
			} else if b == c && !quoted {
				n++
			}
		}
		if n > most {
			best, most = c, n
		}
	}
	return best
}

// longRecord returns the line where a record of more than limit bytes begins,
// or 0. It looks before the reader does, which would hold all of the file
// that follows a quote left open.
func longRecord(raw []byte, limit int) int {
	start, startLine, quoted := 0, 1, false
	for i, line := 0, 1; i < len(raw); i++ {
		if i-start >= limit && (raw[i] != '\n' || quoted) {
			return startLine
		}
		switch raw[i] {
		case '"':
			quoted = !quoted
		case '\n':
			line++
			if !quoted {
				start, startLine = i+1, line
			}
		}
	}
	return 0
}
