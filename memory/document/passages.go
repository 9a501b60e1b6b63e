package document

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// SplitOptions sizes passages. Nil and the zero value work.
type SplitOptions struct {
	Target int `json:"target,omitempty"` // bytes up to which neighbours are put together; default 900
	Max    int `json:"max,omitempty"`    // bytes that no passage exceeds; default 1200, at least 64; a larger Target is lowered to it
}

// Resolved returns the options with the defaults filled in.
func (o *SplitOptions) Resolved() SplitOptions {
	out := SplitOptions{Target: 900, Max: 1200}
	if o != nil {
		if o.Target > 0 {
			out.Target = o.Target
		}
		if o.Max > 0 {
			out.Max = max(o.Max, 64)
		}
	}
	out.Target = min(out.Target, out.Max)
	return out
}

// Passages splits a document. Passages are in order, do not overlap, are not
// empty and hold all body text; each is exactly d.Text[Start:End] and lies
// under one heading, on one page and in one record. Paragraphs stay whole
// where they fit; longer ones are cut between sentences, a sentence longer
// than the maximum at its punctuation or between words, a longer word between
// characters.
//
// A passage of a record has the record's id, and a record that makes several
// passages id, id~2, id~3 …; in other formats the id is SOURCE#START-END.
//
// The errors to expect are the context's.
func Passages(ctx context.Context, d Document, opts *SplitOptions) ([]state.Passage, error) {
	var out []state.Passage
	err := guard(d.Path, func() error {
		out = split(&watch{ended: ctx.Err}, d, opts.Resolved())
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("splitting %q: %w", d.Source, err)
	}
	return out, nil
}

func split(w *watch, d Document, o SplitOptions) []state.Passage {
	var out []state.Passage
	for i := 0; i < len(d.Blocks); {
		j := i + 1
		for j < len(d.Blocks) && d.Blocks[j].Group == d.Blocks[i].Group {
			j++
		}
		var units []text.Span
		for _, b := range d.Blocks[i:j] {
			units = appendUnits(w, units, d.Text, b, o.Max)
		}
		first := i
		for n, span := range pack(units, o) {
			for first+1 < j && d.Blocks[first+1].Start <= span.Start {
				first++
			}
			out = append(out, passage(d, d.Blocks[first], span, n))
		}
		i = j
	}
	return out
}

// passage returns the nth passage (from 0) of a group, which begins in b.
func passage(d Document, b Block, span text.Span, n int) state.Passage {
	p := state.Passage{
		Doc: d.Source, Title: d.Title, Section: b.Section, Source: d.Source,
		Text: d.Text[span.Start:span.End], Start: span.Start, End: span.End,
		Page: b.Page, Element: b.Element.Selector(), Line: b.Line, Metadata: b.Metadata,
	}
	switch {
	case b.ID == "":
		p.ID = fmt.Sprintf("%s#%d-%d", d.Source, span.Start, span.End)
		return p
	case n == 0:
		p.ID = b.ID
	default:
		p.ID = fmt.Sprintf("%s~%d", b.ID, n+1)
	}
	p.Doc, p.Title = b.Doc, b.Title
	return p
}

// appendUnits cuts a block into the pieces that passages are put together
// from, none longer than limit.
func appendUnits(w *watch, units []text.Span, s string, b Block, limit int) []text.Span {
	w.step()
	if b.End-b.Start <= limit {
		return append(units, text.Span{Start: b.Start, End: b.End})
	}
	pieces := text.EachSentence
	if b.ByLine {
		pieces = lines
	}
	for p := range pieces(s[b.Start:b.End]) {
		w.step()
		units = appendCut(w, units, s, b.Start+p.Start, b.Start+p.End, limit)
	}
	return units
}

// lines gives the lines of s that are not blank.
func lines(s string) iter.Seq[text.Span] {
	return func(yield func(text.Span) bool) {
		i := 0
		for line := range strings.Lines(s) {
			words := strings.TrimRightFunc(line, unicode.IsSpace)
			if words != "" && !yield(text.Span{Start: i, End: i + len(words)}) {
				return
			}
			i += len(line)
		}
	}
}

// appendCut adds s[start:end] in pieces of at most limit bytes.
func appendCut(w *watch, units []text.Span, s string, start, end, limit int) []text.Span {
	for end-start > limit {
		w.step()
		cut := cutPoint(s[start : start+limit])
		if piece := strings.TrimRightFunc(s[start:start+cut], unicode.IsSpace); piece != "" {
			units = append(units, text.Span{Start: start, End: start + len(piece)})
		}
		start += cut
		rest := strings.TrimLeftFunc(s[start:end], unicode.IsSpace)
		start = end - len(rest)
	}
	if start < end {
		units = append(units, text.Span{Start: start, End: end})
	}
	return units
}

// cutPoint returns where a window that is too short for its sentence is cut
// best: behind the last semicolon or colon of its second half, else behind
// the last comma, else at the last space, else between characters.
func cutPoint(window string) int {
	half := len(window) / 2
	for _, marks := range []string{";:", ",", ""} {
		for i := len(window) - 1; i > half; i-- {
			if isSpace(window[i]) && (marks == "" || strings.IndexByte(marks, window[i-1]) >= 0) {
				return i
			}
		}
	}
	if i := strings.LastIndexFunc(window, unicode.IsSpace); i > 0 {
		return i
	}
	// The window may end inside a character; that is 3 bytes at most.
	i := len(window)
	for i > 0 && !utf8.RuneStart(window[i-1]) {
		i--
	}
	if i > 0 && !utf8.FullRuneInString(window[i-1:]) {
		return i - 1
	}
	return len(window)
}

// pack puts neighbouring units together: up to the target always, up to the
// maximum where a passage would otherwise be a crumb.
func pack(units []text.Span, o SplitOptions) []text.Span {
	crumb := func(s text.Span) bool { return s.End-s.Start < o.Target/4 }
	var out []text.Span
	for _, u := range units {
		if n := len(out); n > 0 {
			together := u.End - out[n-1].Start
			if together <= o.Target || crumb(out[n-1]) && together <= o.Max {
				out[n-1].End = u.End
				continue
			}
		}
		out = append(out, u)
	}
	if n := len(out); n > 1 && crumb(out[n-1]) && out[n-1].End-out[n-2].Start <= o.Max {
		out[n-2].End = out[n-1].End
		out = out[:n-1]
	}
	return out
}
