package evidence

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"example.com/assay/serve/page/look"
	"example.com/assay/state/proof"
)

// A sheet shows a document: its current text, or the passages that were read from it.
type sheet struct {
	proof.Document
	ID     string
	N      int    // number of marked quotes
	First  string // id of the first one
	Partly bool   // the document was read in parts
	Why    string // why the current text is not shown; empty if it is
	Gone   int    // passages that the document no longer contains
	Whole  bool   // the whole text is shown
	Bytes  int
	Stands text        // the current text
	Read   []*recorded // recorded passages that it does not contain
	Pages  []*drawing
	Unseen string // what a reader misses on the pages; empty for nothing

	known    bool
	wanted   bool // it has a quote that is not aside
	content  proof.Content
	marker   marker
	passages []*recorded
}

// A recorded is a passage as it was read, for a document that does not contain it.
type recorded struct {
	proof.Passage
	ID    string
	Where string
	Text  text
	holds bool // the document contains it at its byte range
	marker
}

// most bounds the bytes of a document shown whole, and mostOfAll the bytes of all documents of an
// answer.
const (
	most      = 200_000
	mostOfAll = 1_000_000
)

// sheetsOf returns the documents of a proof, each read once.
func (e *section) sheetsOf(ctx context.Context, docs proof.Documents) []*sheet {
	var out []*sheet
	for i, d := range e.Documents {
		s := &sheet{Document: d, ID: e.id("document", i+1)}
		out = append(out, s)
		if docs == nil {
			continue
		}
		content, err := docs(ctx, d)
		if err != nil {
			s.Why = err.Error()
			continue
		}
		s.known, s.content, s.Bytes = true, content, len(content.Text)
		s.drawings()
	}
	for i, p := range e.Passages {
		s := out[p.Doc]
		r := &recorded{Passage: p, ID: e.id("source", i+1), holds: s.marks() && holds(s.content.Text, p.Start, p.Text)}
		if r.Where = fmt.Sprintf("bytes %d–%d", p.Start, p.End); p.Where != "" && p.Where != s.Name {
			r.Where = p.Where + ", " + r.Where
		}
		s.passages = append(s.passages, r)
		if s.known && !r.holds {
			s.Gone++
		}
	}
	return out
}

// marks reports whether the document may be marked: its text is known, and not known to have
// changed.
func (s *sheet) marks() bool { return s.known && !s.content.Changed }

// holds reports whether a text contains part at byte start.
func holds(text string, start int, part string) bool {
	return part != "" && utf8.ValidString(part) && start >= 0 && start <= len(text) && strings.HasPrefix(text[start:], part)
}

// quote marks a quote: in the document if it contains the quote and its passage at their bytes,
// else in the recorded passage. It returns the id of the mark, or "" if neither contains it.
func (s *sheet) quote(q proof.Quote, id string, b back) string {
	for _, r := range s.passages {
		if from := q.Start - r.Start; !r.holds && holds(r.Passage.Text, from, q.Text) {
			return r.add(from, from+len(q.Text), id, &b)
		}
	}
	if s.marks() && holds(s.content.Text, q.Start, q.Text) {
		return s.marker.add(q.Start, q.Start+len(q.Text), id, &b)
	}
	return ""
}

// passage marks a recorded passage, and returns the id of its element.
func (s *sheet) passage(p *recorded) string {
	if p.holds {
		return s.marker.add(p.Start, p.Start+len(p.Passage.Text), p.ID, nil)
	}
	s.Read = append(s.Read, p)
	return p.ID
}

// nearest marks the line of the nearest passage, whose white space may differ.
func (s *sheet) nearest(q proof.Quote, id string, b back) string {
	start, end := q.Start, min(q.End, len(s.content.Text))
	if !s.marks() || start < 0 || start >= end {
		return ""
	}
	words := strings.Fields(strings.TrimSuffix(q.Text, "…")) // "…" ends a cut line
	for at := start; at < end && len(words) > 0; at++ {
		if stop := spelt(s.content.Text[at:end], words); stop > 0 {
			return s.marker.add(at, at+stop, id, &b)
		}
	}
	return ""
}

// spelt returns how many bytes of a text these words take, with white space between them; 0 if the
// text begins otherwise.
func spelt(text string, words []string) int {
	at := 0
	for i, w := range words {
		if i > 0 {
			rest := strings.TrimLeft(text[at:], " \t\r\n\u00a0")
			if len(rest) == len(text)-at {
				return 0
			}
			at = len(text) - len(rest)
		}
		if !strings.HasPrefix(text[at:], w) {
			return 0
		}
		at += len(w)
	}
	return at
}

// absent says why a quote has no mark.
func (s *sheet) absent() string {
	switch {
	case s.known && s.content.Changed:
		return "not marked: the document has changed since it was read"
	case s.known:
		return "not marked: the document does not hold these words at their bytes"
	case s.Why != "":
		return "not marked: the document could not be read"
	}
	return "not marked: no passage that was recorded holds it"
}

// finish lays out the texts. A document longer than room is not shown whole.
func (s *sheet) finish(room int) {
	s.N, s.First, s.Partly = s.marker.quotes, s.marker.first(), len(s.passages) > s.Gone
	for _, r := range s.Read {
		r.Text = r.lay(r.Passage.Text, [][2]int{{0, len(r.Passage.Text)}}, nil)
		s.N, s.First = s.N+r.quotes, cmp.Or(s.First, r.first())
	}
	if !s.known {
		return
	}
	windows, parts := [][2]int{{0, s.Bytes}}, partsOf(s.content.Text, s.content.Blocks)
	if s.Whole = s.Bytes <= min(most, room); !s.Whole {
		windows = s.marker.windows(s.content.Text, parts)
	}
	s.Stands = s.marker.lay(s.content.Text, windows, parts)
}

// shown reports whether the document has anything to show.
func (s *sheet) shown() bool {
	return len(s.Read)+len(s.marker.spans)+len(s.Pages) > 0 || s.Why != "" && s.wanted
}

// Changed reports whether the document has changed, or contains none of its recorded passages.
func (s *sheet) Changed() bool {
	return s.known && (s.content.Changed || s.Gone > 0 && len(s.marker.spans) == 0)
}

// Fate describes how the document is shown.
func (s *sheet) Fate() string {
	switch {
	case s.Why != "" && len(s.Read) == 0:
		return "The document could not be read: " + s.Why + "."
	case s.Why != "":
		return "The document could not be read: " + s.Why + ". Below are the passages as they were read."
	case s.Changed() && len(s.Read) == 0:
		return "The document has changed since it was read: nothing is marked in it."
	case s.Changed():
		return "The document has changed since it was read: nothing is marked in it. Below are the passages as they were read."
	case s.Gone > 0:
		return fmt.Sprintf("The document has changed since it was read: it no longer holds %s of %d, shown below as they were read.", look.Count(s.Gone, "passage"), len(s.passages))
	}
	return ""
}

// Holds says that marks were compared with the shown document.
func (s *sheet) Holds() string {
	switch {
	case !s.known:
		return "as it was read"
	case s.Changed():
		return "changed since it was read"
	}
	stands := "as it stands now"
	if s.content.Held {
		stands = "as the run read it"
	}
	if s.Whole {
		return fmt.Sprintf("%s, %s; each mark was compared byte for byte", stands, size(s.Bytes))
	}
	return fmt.Sprintf("%s; of %s only the surroundings of the marks; each mark was compared byte for byte", stands, size(s.Bytes))
}

func size(n int) string { return look.Count(n, "byte") }

// around is how many bytes are shown around a mark in a document that is not shown whole.
const around = 2000

// windows returns the ranges around the marks, extended to whole lines if these are short, and the
// names of the columns of marked tables.
func (m *marker) windows(text string, parts []part) [][2]int {
	var all, out [][2]int
	for _, s := range m.spans {
		all = append(all, [2]int{lineBefore(text, s.start-around), lineAfter(text, s.end+around)})
		at := sort.Search(len(parts), func(i int) bool { return parts[i].end > s.start })
		if at < len(parts) && parts[at].start < s.end && parts[at].group.from < parts[at].group.body {
			all = append(all, [2]int{parts[at].group.from, parts[at].group.body})
		}
	}
	slices.SortFunc(all, func(a, b [2]int) int { return a[0] - b[0] })
	for _, w := range all {
		if n := len(out); n > 0 && w[0] <= out[n-1][1] {
			out[n-1][1] = max(out[n-1][1], w[1])
			continue
		}
		out = append(out, w)
	}
	if out == nil {
		out = append(out, [2]int{0, lineAfter(text, 2*around)})
	}
	return out
}

// lineBefore returns the start of the line of a byte, or of a character near it.
func lineBefore(text string, at int) int {
	if at <= 0 {
		return 0
	}
	if nl := strings.LastIndexByte(text[max(0, at-around):at], '\n'); nl >= 0 {
		return max(0, at-around) + nl + 1
	}
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// lineAfter returns the end of the line of a byte, or of a character near it.
func lineAfter(text string, at int) int {
	if at >= len(text) {
		return len(text)
	}
	if nl := strings.IndexByte(text[at:min(len(text), at+around)], '\n'); nl >= 0 {
		return at + nl + 1
	}
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}
