package document

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// parseJSON reads a file of records: a list of objects, or one object.
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
	line, counted, known := 1, 0, false
	for !list || dec.More() {
		var row json.RawMessage
		err := dec.Decode(&row)
		if ctx.Err() != nil {
			return ctx.Err()
		}
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
		if err := out.object(row, line, &known, o); err != nil {
			return err
		}
	}
	if !known && out.fault == nil {
		return &InputError{Path: d.Path, Msg: "it has no records", Hint: "write a list of objects"}
	}
	return out.finish()
}

// object adds the record of one JSON object. The first one settles the names of the
// fields.
func (r *recordText) object(row []byte, line int, known *bool, o LoadOptions) error {
	obj, err := jsonObject(row, r.d.Path, line, o.MaxRecordBytes)
	if err != nil {
		return r.lose(err)
	}
	if !*known {
		names, err := keys(row)
		if err != nil {
			return fmt.Errorf("reading the fields of %s:%d: %w", r.d.Path, line, err)
		}
		if r.fields, err = pickFields(r.d.Path, line, names, o); err != nil {
			return err
		}
		*known = true
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
