package verify

import (
	"errors"
	"fmt"
	"io"
	"os"

	"example.com/assay/state"
)

// A Locator finds the file whose bytes a passage's offsets refer to, and the file that it was
// extracted from, if that is another. A text without a file has an empty path. memory.Corpus and
// memory.Texts are Locators.
type Locator interface {
	TextPath(source string) (path, original string, err error)
}

// SourceOf describes a passage for an answer. It reads the passage's file again, and marks a source
// stale if the file no longer contains the passage.
func SourceOf(p state.Passage, files Locator) state.Source {
	s := state.Source{
		Doc: p.Doc, Title: p.Title, Where: p.Where(), Section: p.Section, Page: p.Page, Element: p.Element, Line: p.Line,
		Start: p.Start, End: p.End, Text: p.Text, Quotes: []state.QuoteSpan{},
	}
	var err error
	if s.Path, s.Original, err = files.TextPath(p.Source); err != nil {
		s.Stale = err.Error()
	} else if s.Path != "" {
		s.Stale = compare(s.Path, p)
	}
	return s
}

const changed = "the file has changed since it was read; ingest it again"

// compare reads the passage's bytes from its file and describes a difference.
func compare(path string, p state.Passage) string {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Sprintf("opening the source: %v", err)
	}
	defer func() { _ = f.Close() }()
	text := make([]byte, p.End-p.Start)
	if _, err := f.ReadAt(text, int64(p.Start)); errors.Is(err, io.EOF) {
		return changed
	} else if err != nil {
		return fmt.Sprintf("reading bytes %d–%d: %v", p.Start, p.End, err)
	}
	if !p.Of(string(text)) {
		return changed
	}
	return ""
}
