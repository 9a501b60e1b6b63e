package document

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Default field names, tried in order.
var (
	textNames  = []string{"text", "contents", "content", "body", "passage"}
	titleNames = []string{"title"}
	idNames    = []string{"id", "_id", "passage_id"}
	docNames   = []string{"doc_id", "document_id", "doc"}
)

// textOption names LoadOptions.TextField in an InputError.
const textOption = "text_field"

// fields are the names that a file's records are read by; an empty one is
// not there.
type fields struct{ text, title, id, doc string }

// pickFields chooses the names of a file's fields from its header or first record, in the file's
// order. A file without a text field is a table.
func pickFields(path string, line int, have []string, o LoadOptions) (fields, error) {
	var f fields
	for _, want := range []struct {
		field  *string
		named  string
		auto   []string
		option string
	}{
		{&f.text, o.TextField, textNames, textOption},
		{&f.title, o.TitleField, titleNames, "title_field"},
		{&f.id, o.IDField, idNames, "id_field"},
		{&f.doc, o.DocField, docNames, "doc_field"},
	} {
		if want.named != "" {
			if !slices.Contains(have, want.named) {
				return f, &InputError{Path: path, Line: line, Field: want.named,
					Msg: "there is no such field", Option: want.option, Hint: "it has: " + list(have)}
			}
			*want.field = want.named
			continue
		}
		for _, name := range want.auto {
			if slices.Contains(have, name) {
				*want.field = name
				break
			}
		}
	}
	return f, nil
}

// uses reports whether a field has a role of its own.
func (f fields) uses(name string) bool {
	return name == f.text || name == f.title || name == f.id || name == f.doc
}

// maxName limits the IDs of a record and of its document: every passage has both.
const maxName = 1024

// list names fields for a message, at most twenty.
func list(names []string) string {
	if len(names) == 0 {
		return "(the record has no fields)"
	}
	if len(names) > 20 {
		return strings.Join(names[:20], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

type record struct {
	line                 int
	text, title, id, doc string
	meta                 metadata // the other fields
}

type recordText struct {
	d      *Document
	watch  *watch
	text   strings.Builder
	lineOf map[string]int // first line of each id
	fields fields
	known  bool        // the fields were taken from the first object
	fault  *InputError // of the first record that was lost
	rows   *jsonTable  // of objects without a field for their text
	grid   *grid       // of all records, if none has a text field
}

// mostLost is the number of skipped records that a document reports with the reason.
const mostLost = 10

// lose leaves out a record that cannot be read. Errors that are not of the record
// come back.
func (r *recordText) lose(err error) error {
	fault, ok := errors.AsType[*InputError](err)
	if !ok {
		return err
	}
	if r.fault == nil {
		r.fault = fault
	}
	if r.d.LostRecords++; r.d.LostRecords <= mostLost {
		short := *fault
		short.Path = filepath.Base(fault.Path)
		r.d.Lost = append(r.d.Lost, short.Error())
	}
	return nil
}

// add appends a record: its text becomes a block, an empty one is counted.
func (r *recordText) add(rec record) error {
	if strings.TrimSpace(rec.text) == "" {
		r.d.Skipped++
		return nil
	}
	if rec.id == "" {
		if r.fields.id != "" {
			return &InputError{Path: r.d.Path, Line: rec.line, Field: r.fields.id,
				Msg: "the record has no id, others of the file have", Hint: "give every record an id of its own"}
		}
		rec.id = fmt.Sprintf("%s:%d", r.d.Source, rec.line)
	}
	if first, ok := r.lineOf[rec.id]; ok {
		return &InputError{Path: r.d.Path, Line: rec.line, Field: r.fields.id,
			Msg: fmt.Sprintf("the id %q is also that of line %d", rec.id, first), Hint: "give every record an id of its own"}
	}
	r.lineOf[rec.id] = rec.line
	if rec.doc == "" {
		rec.doc = rec.id
	}
	for _, name := range []struct{ field, value string }{{r.fields.id, rec.id}, {r.fields.doc, rec.doc}} {
		if len(name.value) > maxName {
			return &InputError{Path: r.d.Path, Line: rec.line, Field: name.field,
				Msg: fmt.Sprintf("it is %d bytes long, the limit is %d", len(name.value), maxName), Hint: "give the record a short name"}
		}
	}
	rec.title = caption(rec.title)
	if r.text.Len() > 0 {
		r.text.WriteString("\n\n")
	}
	start := r.text.Len()
	r.text.WriteString(rec.text)
	// The builder's text is final from here on, so offsets stay valid.
	for _, b := range paragraphs(r.watch, rec.text, 0, len(rec.text), Block{
		Group: rec.line, Line: rec.line, ID: rec.id, Doc: rec.doc, Title: rec.title, Metadata: rec.meta,
	}) {
		b.Start, b.End = b.Start+start, b.End+start
		r.d.Blocks = append(r.d.Blocks, b)
	}
	return nil
}

// finish sets the document's text once all records are added.
func (r *recordText) finish() error {
	r.d.Text = r.text.String()
	if r.rows != nil {
		r.grid = r.rows.grid()
	}
	if r.grid != nil {
		r.d.Text, r.d.Blocks, _ = r.grid.write(r.watch, Block{})
	}
	switch {
	case len(r.d.Blocks) == 0 && r.fault != nil:
		return r.fault
	case len(r.d.Blocks) == 0 && r.grid == nil:
		return &InputError{Path: r.d.Path, Field: r.fields.text,
			Msg: fmt.Sprintf("none of its %d records has text", r.d.Skipped), Option: textOption, Hint: "name the field with the text"}
	}
	return nil
}
