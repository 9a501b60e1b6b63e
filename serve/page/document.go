package page

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/page/look"
	"example.com/assay/serve/runs"
	"example.com/assay/state"
)

var documentPage = parsed("document.tmpl")

const (
	// partBytes is how many bytes of a document a page shows.
	partBytes = 256 << 10
	// leadBytes is the minimum number of bytes shown before a passage in a long document.
	leadBytes = 16 << 10
)

// A documentView is a document with a marked passage.
type documentView struct {
	Corpus  string
	Source  Source
	Passage *state.Passage // nil for none
	// Changed says that the passage's bytes have changed, so nothing is marked.
	Changed bool
	Fault   string // why the text cannot be read

	From, To            int // the bytes that are shown
	Before, Mark, After string
	Pager               pager
}

// document shows the text of a document, with a passage marked by its byte range.
func (v *visit) document() error {
	q, name := v.r.URL.Query(), v.r.PathValue("corpus")
	from, err := v.number("at", 0)
	if err != nil {
		return err
	}
	out := documentView{Corpus: name}
	err = v.use(v.r.Context(), name, func(c OpenCorpus) error {
		var err error
		if out.Source, err = c.Source(v.r.Context(), q.Get("source")); err != nil {
			return err
		}
		if id := q.Get("passage"); id != "" {
			p, ok, err := c.Passage(id)
			if err != nil {
				return err
			}
			if !ok || p.Source != out.Source.Name {
				return &runs.NotFoundError{What: "passage", ID: id}
			}
			out.Passage = &p
			if !q.Has("at") {
				from = max(0, p.Start-leadBytes)
			}
		}
		return out.read(v, c, from)
	})
	if err != nil {
		return err
	}
	return v.show(documentPage, "Documents", look.Frame{Title: out.Source.Name, Eyebrow: "Document of " + name}, out)
}

// read reads the part of the text that begins at a byte.
func (d *documentView) read(v *visit, c OpenCorpus, from int) error {
	ctx := v.r.Context()
	to := from + partBytes
	if p := d.Passage; p != nil && p.Start >= from && p.Start < to {
		to = max(to, p.End)
	}
	data, err := c.Text(ctx, d.Source.Name, from, to+utf8.UTFMax) // and one more byte, to see whether the text continues
	if err != nil {
		d.Fault = err.Error()
		d.Changed = d.Passage != nil
		return ctx.Err()
	}
	more := len(data) > to-from
	if more {
		data = data[:to-from]
	}
	if from > 0 && len(data) == 0 {
		return refusal.New(http.StatusNotFound, "the document ends before byte %d", from)
	}
	first, last := 0, len(data)
	for first < last && first < utf8.UTFMax && from > 0 && !utf8.RuneStart(data[first]) {
		first++ // skip the rest of a character
	}
	if more {
		last = wholeRunes(data)
	}
	d.From, d.To = from+first, from+last
	text := string(data[first:last])
	d.split(text, more)
	d.pages(more)
	return nil
}

// wholeRunes returns the length of data without an incomplete character at its end.
func wholeRunes(data []byte) int {
	for i := 1; i < utf8.UTFMax && i <= len(data); i++ {
		if at := len(data) - i; utf8.RuneStart(data[at]) {
			if !utf8.FullRune(data[at:]) {
				return at
			}
			break
		}
	}
	return len(data)
}

// split marks the passage in a text, if its bytes have not changed. With more, the text continues
// after this part.
func (d *documentView) split(text string, more bool) {
	d.Before = text
	p := d.Passage
	if p == nil {
		return
	}
	start, end := p.Start-d.From, p.End-d.From
	if start < 0 || start >= len(text) && more { // on another page
		return
	}
	if end > len(text) || text[start:end] != p.Text {
		d.Changed = true
		return
	}
	d.Before, d.Mark, d.After = text[:start], text[start:end], text[end:]
}

// pages adds links to the other parts of a long document.
func (d *documentView) pages(more bool) {
	passage := ""
	if d.Passage != nil {
		passage = d.Passage.ID
	}
	at := func(from int) string {
		return query(join("corpora", d.Corpus, "document"), "source", d.Source.Name, "passage", passage, "at", fmt.Sprint(from))
	}
	if d.From > 0 {
		d.Pager.Before = at(max(0, d.From-partBytes))
	}
	if more {
		d.Pager.Next = at(d.To)
	}
	d.Pager.Says = fmt.Sprintf("bytes %d to %d", d.From, d.To)
}

// Shown returns a text with invalid bytes replaced.
func (d documentView) Shown(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// OriginalPath returns the address of the PDF that a text of a corpus was extracted from.
func OriginalPath(corpus, source string) string {
	return query(join("corpora", corpus, "original"), "source", source)
}

// original serves the PDF that a text was extracted from, to be drawn by a page. A browser that is led
// to it stores it, and does not run what is in it.
func (v *visit) original() error {
	source := v.r.URL.Query().Get("source")
	return v.use(v.r.Context(), v.r.PathValue("corpus"), func(c OpenCorpus) error {
		data, err := c.Original(v.r.Context(), source)
		if err != nil {
			return err
		}
		h := v.w.Header()
		h.Set("Content-Type", "application/pdf")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(source)}))
		http.ServeContent(v.w, v.r, "", time.Time{}, bytes.NewReader(data))
		return nil
	})
}
