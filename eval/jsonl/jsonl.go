package jsonl

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"unicode/utf8"

	"example.com/assay/internal/plainfile"
	"example.com/assay/memory/document"
)

// MaxLine is the length in bytes up to which a line is read.
const MaxLine = 16 << 20

// File returns the file of a folder of data: NAME, or NAME.gz if only that exists.
func File(dir, name string) string {
	plain := filepath.Join(dir, name)
	if _, err := os.Stat(plain); err != nil {
		if _, err := os.Stat(plain + ".gz"); err == nil {
			return plain + ".gz"
		}
	}
	return plain
}

// EachLine calls do for every non-blank line of a file, without its end, and decompresses gzip. The
// line is valid UTF-8 and may be used by do until it returns. Cancellation stops it between lines.
// progress, if not nil, is called from time to time with the number of bytes read.
func EachLine(ctx context.Context, path string, progress func(done, total int), do func(line int, text []byte) error) (err error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return err // names the file
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err // names the file
	}
	raw := &counter{r: f}
	plain, err := unpacked(path, raw)
	if err != nil {
		return err
	}
	scan := bufio.NewScanner(plain)
	scan.Buffer(nil, MaxLine)
	n := 0
	for scan.Scan() {
		n++
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if progress != nil && n%1000 == 0 {
			progress(raw.n, int(info.Size()))
		}
		text := scan.Bytes()
		if n == 1 {
			text = bytes.TrimPrefix(text, []byte("\ufeff"))
		}
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if !utf8.Valid(text) {
			return Place{Path: path, Line: n}.Fault("", "it is not valid UTF-8", "convert the file first")
		}
		if err := do(n, text); err != nil {
			return err
		}
	}
	switch err := scan.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return Place{Path: path, Line: n + 1}.Fault("", fmt.Sprintf("the line is longer than %d bytes", MaxLine), "split it")
	case err != nil:
		return Place{Path: path, Line: n + 1}.Fault("", "it cannot be read: "+err.Error(), "check that the file is whole")
	}
	return nil
}

// A counter counts the bytes that were read.
type counter struct {
	r io.Reader
	n int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

// unpacked decompresses gzip, recognised by its first two bytes, and returns anything else
// unchanged.
func unpacked(path string, f io.Reader) (io.Reader, error) {
	b := bufio.NewReader(f)
	magic, err := b.Peek(2)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, Place{Path: path}.Fault("", "it is not whole gzip: "+err.Error(), "fetch it again")
	}
	return z, nil
}

// Each calls do for every record of a JSON Lines file with its place. id is the key of a record's
// ID. Keys that T does not have are ignored. progress is called as in EachLine.
func Each[T any](ctx context.Context, path, id string, progress func(done, total int), do func(at Place, record T) error) error {
	return EachLine(ctx, path, progress, func(line int, text []byte) error {
		at := Place{Path: path, Line: line, ID: id}
		var record *T
		if err := json.Unmarshal(text, &record); err != nil {
			return jsonFault(at, err)
		}
		if record == nil {
			return at.Fault("", "it is null, not a JSON object", "write one object per line")
		}
		return do(at, *record)
	})
}

func jsonFault(at Place, err error) error {
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return at.Fault(kind.Field, "it is a JSON "+kind.Value, "want a "+wanted(kind))
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return at.Fault("", fmt.Sprintf("it is not JSON: %s (byte %d of the line)", syntax.Error(), syntax.Offset), "write one object per line")
	}
	return at.Fault("", "it is not a record: "+err.Error(), "write one object per line")
}

// wanted is the JSON kind that a Go type is read from.
func wanted(err *json.UnmarshalTypeError) string {
	switch err.Type.Kind().String() {
	case "int":
		return "whole number"
	case "slice":
		return "list"
	case "map", "struct":
		return "JSON object"
	}
	return "string"
}

// An Ident is an ID: a JSON string, or a number as written.
type Ident string

// UnmarshalJSON reads a string or a number; null is refused.
func (id *Ident) UnmarshalJSON(raw []byte) error {
	var s string
	if raw[0] == '"' {
		err := json.Unmarshal(raw, &s)
		*id = Ident(s)
		return err
	}
	var n json.Number
	if err := json.Unmarshal(raw, &n); err != nil {
		return json.Unmarshal(raw, &s) // says that a string was wanted
	}
	*id = Ident(n)
	return nil
}

// A Place is a line of a file, with the format's key of a record's ID.
type Place struct {
	Path string
	Line int    // 1-based; 0 for the whole file
	ID   string // what the format calls a record's id
}

// Fault returns a *document.InputError with the place and field of a fault, its description, and a
// hint.
func (p Place) Fault(field, msg, hint string) error {
	return &document.InputError{Path: p.Path, Line: p.Line, Field: field, Msg: msg, Hint: hint}
}

// Want returns the error for a missing or empty field, or nil if ok.
func (p Place) Want(field string, ok bool) error {
	if ok {
		return nil
	}
	return p.Fault(field, "it is missing or empty", "is the file in the format that was named?")
}

// Unique refuses an id that is empty or was seen before, and records it in seen with its
// line.
func (p Place) Unique(seen map[string]int, id string) error {
	if id == "" {
		return p.Fault(p.ID, "it is missing or empty", "give each record an id")
	}
	if line, ok := seen[id]; ok {
		return p.Fault(p.ID, fmt.Sprintf("%q is the id of line %d, too", id, line), "give each record an id of its own")
	}
	seen[id] = p.Line
	return nil
}
