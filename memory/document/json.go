package document

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/memory/text"
)

// parseJSON reads a file of records: a list of objects, or one object. Objects without a
// field for their text are the rows of a table, and one alone is labels and values.
func parseJSON(ctx context.Context, d *Document, raw []byte, o LoadOptions) error {
	if i := bytes.IndexByte(raw, 0); i >= 0 {
		return checkText(d.Path, raw)
	}
	raw = bytes.TrimPrefix(raw, []byte(bom))
	out := recordText{d: d, watch: &watch{ended: ctx.Err}, lineOf: map[string]int{}}
	dec := json.NewDecoder(stoppable(ctx, bytes.NewReader(raw)))
	list := bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("["))
	if list {
		if _, err := dec.Token(); err != nil {
			return err
		}
	}
	line, counted := 1, 0
	for !list || dec.More() {
		var row json.RawMessage
		err := dec.Decode(&row)
		end := int(dec.InputOffset())
		if err != nil {
			if errors.Is(err, io.EOF) && !list {
				break
			}
			// After a syntax error the next record cannot be found.
			at := len(raw) - len(bytes.TrimLeft(raw[end:], " \t\r\n,"))
			if err := out.lose(&InputError{Path: d.Path, Line: lineOf(raw, at), Msg: fmt.Sprintf("it is not JSON from here on: %v", err), Hint: "write a list of objects"}); err != nil {
				return err
			}
			break
		}
		begin := end - len(row)
		line, counted = line+bytes.Count(raw[counted:begin], []byte("\n")), begin
		if err := out.object(row, line, o); err != nil {
			return err
		}
	}
	if !out.known && out.fault == nil {
		return &InputError{Path: d.Path, Msg: "it has no records", Hint: "write a list of objects"}
	}
	return out.finish()
}

// object adds the record of one JSON object. The first one determines the field names.
func (r *recordText) object(row []byte, line int, o LoadOptions) error {
	obj, err := jsonObject(row, r.d.Path, line, o.MaxRecordBytes)
	if err != nil {
		return r.lose(err)
	}
	if !r.known {
		names, err := keys(row)
		if err != nil {
			return fmt.Errorf("reading the fields of %s:%d: %w", r.d.Path, line, err)
		}
		if r.fields, err = pickFields(r.d.Path, line, names, o); err != nil {
			return err
		}
		r.known = true
	}
	if r.fields.text == "" {
		return r.row(row, line)
	}
	rec, err := jsonRecord(obj, r.fields, r.d.Path, line)
	if err == nil {
		err = r.add(rec)
	}
	if err != nil {
		return r.lose(err)
	}
	return nil
}

// A jsonTable is objects without a field for their text.
type jsonTable struct {
	names   []string
	columns map[string]int
	rows    []gridRow
	pairs   int
}

// Bounds for nested objects.
const (
	deepestJSON = 6
	mostPairs   = 4096 // of an object
)

func (r *recordText) row(raw []byte, line int) error {
	if r.rows == nil {
		r.rows = &jsonTable{columns: map[string]int{}}
	}
	row := gridRow{line: line}
	r.rows.pairs = 0
	r.rows.add(&row, "", raw, 0)
	slices.SortStableFunc(row.cells, func(a, b gridCell) int { return a.column - b.column })
	r.rows.rows = append(r.rows.rows, row)
	return nil
}

// add adds a value to a row; values of objects and lists under their names and positions.
func (t *jsonTable) add(row *gridRow, name string, raw []byte, depth int) {
	if t.pairs++; t.pairs > mostPairs {
		return
	}
	within := func(key string) string {
		if name == "" {
			return key
		}
		return name + " " + key
	}
	var list []json.RawMessage
	value := ""
	switch values := jsonValues(raw); {
	case values != nil:
		value = text.OneLine(strings.Join(values, ", "))
	case depth < deepestJSON && raw[0] == '{':
		var object map[string]json.RawMessage
		if names, err := keys(raw); err == nil && json.Unmarshal(raw, &object) == nil {
			for _, key := range names {
				t.add(row, within(key), object[key], depth+1)
			}
		}
		return
	case depth < deepestJSON && json.Unmarshal(raw, &list) == nil:
		for i, element := range list {
			t.add(row, within(strconv.Itoa(i+1)), element, depth+1)
		}
		return
	}
	if value == "" {
		return
	}
	column, known := t.columns[name]
	if !known {
		column = len(t.names)
		t.columns[name] = column
		t.names = append(t.names, name)
	}
	row.cells = append(row.cells, gridCell{text: value, column: column, width: 1})
}

func (t *jsonTable) grid() *grid {
	g := &grid{records: true}
	if len(t.rows) == 1 {
		for _, c := range t.rows[0].cells {
			g.rows = append(g.rows, gridRow{cells: []gridCell{{text: t.names[c.column], head: true}, {text: c.text, column: 1}}})
		}
		return g
	}
	names := gridRow{head: true}
	for i, name := range t.names {
		names.cells = append(names.cells, gridCell{text: name, column: i})
	}
	g.rows = append([]gridRow{names}, t.rows...)
	return g
}
