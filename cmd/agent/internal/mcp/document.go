package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"unicode/utf8"

	"example.com/assay/memory"
)

// maxRead bounds what is read of a document at once, in bytes.
const maxRead = 1 << 20

// document reads a document, or a stretch of it. The bytes are those that were ingested:
// a file that has changed since is an error.
func (t *tools) document(ctx context.Context, tenant, uri string) (text string, p place, err error) {
	if p, err = parse(uri); err != nil {
		return "", p, err
	}
	if p.kind != "corpus" || p.doc == "" {
		return "", p, fmt.Errorf("%.200q does not name a document; a document is named like %s", uri, rangeTemplate)
	}
	err = t.with(ctx, tenant, p.name, func(c *memory.Corpus) error {
		if !slices.Contains(c.Sources(), p.doc) {
			return fmt.Errorf("corpus %q has no document %.200q: search_passages finds those that it has", p.name, p.doc)
		}
		if err := c.Check(p.doc); err != nil {
			return errors.New("the document has changed since it was ingested: its bytes are others now. Ingest it again")
		}
		path, _, err := c.TextPath(p.doc)
		if err != nil {
			return t.Host.Fault("reading", err)
		}
		text, err = stretch(path, p)
		return err
	})
	return text, p, err
}

// stretch reads a stretch of a file of text.
func stretch(path string, p place) (text string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", errors.New("the document cannot be opened any more: ingest it again")
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	end := p.end
	if end == 0 {
		end = int(info.Size())
	}
	if p.start > end || int64(end) > info.Size() {
		return "", fmt.Errorf("the document has %d bytes: start and end must be within, and start not behind end", info.Size())
	}
	end = min(end, p.start+maxRead)
	data := make([]byte, end-p.start)
	if _, err := f.ReadAt(data, int64(p.start)); err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if end < p.end || p.end == 0 {
		return whole(string(data)), nil
	}
	if !utf8.Valid(data) {
		return "", errors.New("start or end is within a character: move it by a byte or two")
	}
	return string(data), nil
}

// whole is a text without the beginning of a character at its end.
func whole(s string) string {
	for i := 1; i <= min(utf8.UTFMax, len(s)); i++ {
		if c := s[len(s)-i]; utf8.RuneStart(c) {
			if !utf8.FullRuneInString(s[len(s)-i:]) {
				return s[:len(s)-i]
			}
			break
		}
	}
	return s
}
