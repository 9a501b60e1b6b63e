// Package docfile reads files for field extraction: documents of any format that memory/document
// supports, and OCR with boxes as JSON Lines.
//
//	docs, err := docfile.Read(ctx, "receipts.jsonl")
//
// It does not read images.
package docfile

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"example.com/assay/internal/plainfile"
	"example.com/assay/memory/document"
	"example.com/assay/nodes/extract"
)

const longestLine = 16 << 20 // bytes of a line of JSON

// Read reads the documents of a file. A .jsonl file holds OCR: either records with an id and
// ocr_lines, each one document, or lines with text and box, together one document. A box is x1, y1,
// x2, y2, or four corners. Other files are read by memory/document. An error of the file is a
// *document.InputError.
func Read(ctx context.Context, path string) ([]extract.Document, error) {
	if ext := strings.ToLower(filepath.Ext(path)); ext == ".jsonl" || ext == ".ndjson" {
		return readLines(ctx, path)
	}
	d, err := document.Load(ctx, path, filepath.Base(path), nil)
	if err != nil {
		return nil, err
	}
	out := extract.Document{Path: path, FieldDocument: extract.FieldDocument{Source: path, Text: d.Text, Blocks: d.Typed()}}
	for _, b := range d.Blocks {
		if n := len(out.Pages); b.Page > 0 && (n == 0 || out.Pages[n-1].Page < b.Page) {
			out.Pages = append(out.Pages, extract.PageStart{Page: b.Page, Start: b.Start})
		}
	}
	return []extract.Document{out}, nil
}

type ocrRecord struct {
	ID    json.RawMessage `json:"id"` // a string or a number
	Lines []ocrLine       `json:"ocr_lines"`
	Text  *string         `json:"text"`
	Box   []float64       `json:"box"`
}

type ocrLine struct {
	Text string    `json:"text"`
	Box  []float64 `json:"box"`
}

func readLines(ctx context.Context, path string) (out []extract.Document, err error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w", &document.InputError{Path: path, Msg: "it cannot be read: " + err.Error(), Hint: "check the path"})
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, longestLine)
	var loose []extract.Line
	n := 0
	fault := func(field, msg, hint string) error {
		return &document.InputError{Path: path, Line: n, Field: field, Msg: msg, Hint: hint}
	}
	for scan.Scan() {
		n++
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		text := bytes.TrimPrefix(scan.Bytes(), []byte("\ufeff"))
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		var r ocrRecord
		switch {
		case !utf8.Valid(text):
			return nil, fault("", "it is not valid UTF-8", "convert the file first")
		case json.Unmarshal(text, &r) != nil:
			return nil, fault("", "it is no record of OCR", `want {"id": …, "ocr_lines": [{"text": …, "box": […]}]} or {"text": …, "box": […]}`)
		case r.Lines == nil && r.Text == nil:
			return nil, fault("ocr_lines", "it is missing", `want {"id": …, "ocr_lines": [{"text": …, "box": […]}]} or {"text": …, "box": […]}`)
		case r.Lines == nil:
			line, ok := ocrLine{*r.Text, r.Box}.line()
			if !ok {
				return nil, fault("box", fmt.Sprintf("it has %d numbers", len(r.Box)), "want x1, y1, x2, y2, or four corners")
			}
			loose = append(loose, line)
			continue
		}
		id := fmt.Sprintf("line %d", n)
		if len(r.ID) > 0 && string(r.ID) != "null" {
			id = string(r.ID)
			_ = json.Unmarshal(r.ID, &id) // a number stays as written
		}
		var lines []extract.Line
		for _, l := range r.Lines {
			line, ok := l.line()
			if !ok {
				return nil, fault("ocr_lines.box", fmt.Sprintf("it has %d numbers", len(l.Box)), "want x1, y1, x2, y2, or four corners")
			}
			lines = append(lines, line)
		}
		out = append(out, extract.Document{Path: path, ID: id, FieldDocument: extract.Layout(path+"#"+id, lines)})
	}
	if err := scan.Err(); err != nil {
		n++
		return nil, fault("", "it cannot be read: "+err.Error(), fmt.Sprintf("lines may have up to %d bytes", longestLine))
	}
	if len(loose) > 0 {
		out = append(out, extract.Document{Path: path, FieldDocument: extract.Layout(path, loose)})
	}
	if len(out) == 0 {
		return nil, &document.InputError{Path: path, Msg: "the file is empty", Hint: "remove it or give it text"}
	}
	return out, nil
}

func (l ocrLine) line() (extract.Line, bool) {
	box, ok := extract.Rectangle(l.Box)
	return extract.Line{Text: l.Text, Box: box}, ok
}
