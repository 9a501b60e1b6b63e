package memory

import (
	"context"
	"fmt"

	"example.com/assay/memory/document"
	"example.com/assay/state"
)

// Texts are documents read for one use, without a corpus: their passages, and
// where each is.
type Texts struct {
	Passages []state.Passage
	Skipped  []Skip // below directories, and records of files

	paths map[string]place // by source
}

type place struct {
	path  string
	plain bool // the offsets of passages count the file's own bytes
}

// ReadTexts reads files and directories as Ingest does, into memory. It is an error if a file named
// in paths cannot be read, or if there is nothing to read; an unreadable file below a directory is
// skipped and listed.
func ReadTexts(ctx context.Context, paths []string) (*Texts, error) {
	w, _, err := walk(ctx, paths, "")
	if err != nil {
		return nil, err
	}
	t := &Texts{Skipped: w.skipped, paths: map[string]place{}}
	taken := map[string]bool{}
	for _, item := range w.files {
		source := sourceName(item, taken)
		d, passages, err := load(ctx, item.path, source)
		if err != nil {
			reason, ok := faultOf(err)
			if !ok || item.named {
				return nil, err
			}
			t.Skipped = append(t.Skipped, Skip{Path: item.path, Reason: reason})
			continue
		}
		t.Skipped = append(t.Skipped, lostOf(item.path, d.Lost, d.LostRecords)...)
		taken[source] = true
		t.paths[source] = place{item.path, d.Plain}
		t.Passages = append(t.Passages, passages...)
	}
	if len(t.Passages) == 0 {
		return nil, nothingToRead(paths, t.Skipped)
	}
	return t, nil
}

// AddText adds a text that is in no file, as plain text under a source name.
// The errors to expect are the context's.
func (t *Texts) AddText(ctx context.Context, source, text string) error {
	passages, err := document.Passages(ctx, document.FromText(source, text), nil)
	t.Passages = append(t.Passages, passages...)
	return err
}

func load(ctx context.Context, path, source string) (document.Document, []state.Passage, error) {
	d, err := document.Load(ctx, path, source, nil)
	if err != nil {
		return d, nil, err
	}
	passages, err := document.Passages(ctx, d, nil)
	return d, passages, err
}

// Passage returns the passage with an ID.
func (t *Texts) Passage(id string) (p state.Passage, ok bool, err error) {
	for _, p := range t.Passages {
		if p.ID == id {
			return p, true, nil
		}
	}
	return p, false, nil
}

// TextPath returns the file in which the offsets of a source's passages count, and the file that
// its text was extracted from, if different. An extracted text is not stored: its path is empty.
func (t *Texts) TextPath(source string) (path, original string, err error) {
	p, ok := t.paths[source]
	switch {
	case !ok:
		return "", "", fmt.Errorf("locating %q: it was not read from a file", source)
	case p.plain:
		return p.path, "", nil
	}
	return "", p.path, nil
}
