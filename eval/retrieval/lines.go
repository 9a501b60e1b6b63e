package retrieval

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
	"unicode/utf8"
)

// maxLine is the length in bytes up to which a line is read.
const maxLine = 16 << 20

// eachLine calls do with every line of a file that is not blank, without its
// end, and unpacks gzip. The line is valid UTF-8 and do's until it returns.
// Cancellation stops it between lines. Progress, unless nil, is told now and
// then how many of the file's bytes were read.
func eachLine(ctx context.Context, path string, progress func(done, total int), do func(line int, text []byte) error) (err error) {
	f, err := os.Open(path)
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
	scan.Buffer(nil, maxLine)
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
			return place{path: path, line: n}.fault("", "it is not valid UTF-8", "convert the file first")
		}
		if err := do(n, text); err != nil {
			return err
		}
	}
	switch err := scan.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return place{path: path, line: n + 1}.fault("", fmt.Sprintf("the line is longer than %d bytes", maxLine), "split it")
	case err != nil:
		return place{path: path, line: n + 1}.fault("", "it cannot be read: "+err.Error(), "check that the file is whole")
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

// unpacked reads gzip by its first two bytes, and anything else as it is.
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
		return nil, place{path: path}.fault("", "it is not whole gzip: "+err.Error(), "fetch it again")
	}
	return z, nil
}

// eachRecord calls do with every record of a JSON Lines file. Keys that T
// does not name are passed over.
func eachRecord[T any](ctx context.Context, r *reader, path, id string, do func(at place, record T) error) error {
	return eachLine(ctx, path, r.report, func(line int, text []byte) error {
		at := place{path: path, line: line, id: id}
		var record *T
		if err := json.Unmarshal(text, &record); err != nil {
			return jsonFault(at, err)
		}
		if record == nil {
			return at.fault("", "it is null, not a JSON object", "write one object per line")
		}
		return do(at, *record)
	})
}

func jsonFault(at place, err error) error {
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return at.fault(kind.Field, "it is a JSON "+kind.Value, "want a "+wanted(kind))
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return at.fault("", fmt.Sprintf("it is not JSON: %s (byte %d of the line)", syntax.Error(), syntax.Offset), "write one object per line")
	}
	return at.fault("", "it is not a record: "+err.Error(), "write one object per line")
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

// An ident is an id: a JSON string, or a number as it is written.
type ident string

// UnmarshalJSON reads a string or a number; null is no id.
func (id *ident) UnmarshalJSON(raw []byte) error {
	var s string
	if raw[0] == '"' {
		err := json.Unmarshal(raw, &s)
		*id = ident(s)
		return err
	}
	var n json.Number
	if err := json.Unmarshal(raw, &n); err != nil {
		return json.Unmarshal(raw, &s) // says that a string was wanted
	}
	*id = ident(n)
	return nil
}
