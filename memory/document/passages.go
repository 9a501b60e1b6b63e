package document

import (
	"context"
	"fmt"
	"iter"
	"sort"
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

// Passages splits a document. Passages are in order, do not overlap, are not empty and contain all
// body text; each is exactly d.Text[Start:End] and lies under one heading, on one page and in one
// record. Paragraphs stay whole if they fit; longer ones are cut between sentences, a sentence
// longer than the maximum at its punctuation or between words, a longer word between characters.
//
// A passage of a record has the record's ID, and a record with several passages ID, ID~2, ID~3 …;
// in other formats the ID is SOURCE#START-END. Errors are those of ctx.
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
	c := cutter{w, d.Text, o}
	for i := 0; i < len(d.Blocks); {
		j := i + 1
		for j < len(d.Blocks) && d.Blocks[j].Group == d.Blocks[i].Group {
			j++
		}
		first := i
		for n, span := range c.cut(d.Blocks[i:j], nil, 0) {
			for first+1 < j && d.Blocks[first+1].Start <= span.Start {
				first++
			}
			within := d.Blocks[first].entry
			for last := first + 1; within != nil && last < j && d.Blocks[last].Start < span.End; last++ {
				within = within.common(d.Blocks[last].entry)
			}
			p := passage(d, d.Blocks[first], within, span, n)
			p.Blocks = blocksIn(d.Blocks[first:j], span)
			out = append(out, p)
		}
		i = j
	}
	return out
}

// Typed returns the typed blocks of the whole document in its order. A block without a heading
// inside the text has that of its section.
func (d Document) Typed() []state.Block {
	var out []state.Block
	for _, b := range d.Blocks {
		for _, t := range blocksIn([]Block{b}, text.Span{Start: 0, End: len(d.Text)}) {
			if t.Under == "" {
				t.Under = b.Section
			}
			out = append(out, t)
		}
	}
	return out
}

// blocksIn returns the typed parts of consecutive blocks within a span, with offsets in it. A part
// cut by the span is shortened.
func blocksIn(blocks []Block, span text.Span) []state.Block {
	var out []state.Block
	from := sort.Search(len(blocks), func(i int) bool { return blocks[i].End > span.Start })
	for _, b := range blocks[from:] {
		if b.Start >= span.End {
			break
		}
		if len(b.Blocks) > 0 {
			out = append(out, blocksIn(b.Blocks, span)...)
			continue
		}
		if b.Kind == "" {
			continue
		}
		p := state.Block{Kind: b.Kind, Label: caption(b.Label), Under: caption(b.Under), Number: b.Number}
		p.Start, p.End = max(b.Start, span.Start)-span.Start, min(b.End, span.End)-span.Start
		for _, c := range b.Cells {
			if c.Start < span.Start || c.End > span.End {
				continue
			}
			c.Start, c.End, c.Header = c.Start-span.Start, c.End-span.Start, caption(c.Header)
			p.Cells = append(p.Cells, c)
		}
		out = append(out, p)
	}
	return out
}

type cutter struct {
	w    *watch
	text string
	o    SplitOptions
}

// cut returns the passages of blocks that share the entries above depth. An entry that fits into a
// passage stays whole; another is split into passages of its own, each under its term. units are
// the pieces before the blocks.
func (c *cutter) cut(blocks []Block, units []text.Span, depth int) []text.Span {
	var out []text.Span
	for i := 0; i < len(blocks); {
		e := blocks[i].entry.at(depth)
		if e == nil {
			units = c.appendUnits(units, blocks[i])
			i++
			continue
		}
		j := i + 1
		for j < len(blocks) && blocks[j].entry.at(depth) == e {
			j++
		}
		whole := text.Span{Start: blocks[i].Start, End: blocks[j-1].End}
		switch {
		case whole.End-whole.Start <= c.o.Max:
			units = append(units, whole)
		case len(units) > 0 && units[len(units)-1].End-units[0].Start < c.o.Target/4: // a crumb leads into the entry
			out = append(out, c.cut(blocks[i:j], units, depth+1)...)
			units = nil
		default:
			out = append(out, pack(units, c.o)...)
			out = append(out, c.cut(blocks[i:j], nil, depth+1)...)
			units = nil
		}
		i = j
	}
	return append(out, pack(units, c.o)...)
}

// passage returns the nth passage (from 0) of a group that begins in b and lies within an entry, or
// nil.
func passage(d Document, b Block, within *entry, span text.Span, n int) state.Passage {
	p := state.Passage{
		Doc: d.Source, Title: d.Title, Section: within.below(b.Section), Source: d.Source,
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

// appendUnits cuts a block into the pieces of passages, none longer than the maximum. A block that
// joins the sentence before it begins with that sentence, as far as both fit.
func (c *cutter) appendUnits(units []text.Span, b Block) []text.Span {
	c.w.step()
	from := b.Start
	if lead, ok := c.lead(units, b); ok {
		last := &units[len(units)-1]
		if from = lead; lead == last.Start {
			units = units[:len(units)-1]
		} else {
			last.End = last.Start + len(strings.TrimRightFunc(c.text[last.Start:lead], unicode.IsSpace))
		}
	}
	if b.End-from <= c.o.Max {
		return append(units, text.Span{Start: from, End: b.End})
	}
	pieces := text.EachSentence
	if b.ByLine {
		pieces = lines
	}
	for p := range pieces(c.text[b.Start:b.End]) {
		c.w.step()
		start, end := b.Start+p.Start, b.Start+p.End
		switch {
		case from == b.Start:
		case end-from <= c.o.Max:
			start = from
		default:
			units = append(units, text.Span{Start: from, End: from + len(strings.TrimRightFunc(c.text[from:b.Start], unicode.IsSpace))})
		}
		from = b.Start
		units = appendCut(c.w, units, c.text, start, end, c.o.Max)
	}
	return units
}

// lead returns where the sentence begins that a block joins.
func (c *cutter) lead(units []text.Span, b Block) (int, bool) {
	if b.joins == joinsNothing || len(units) == 0 {
		return 0, false
	}
	last := units[len(units)-1]
	before := c.text[last.Start:last.End]
	if b.joins == joinsColon && !strings.HasSuffix(before, ":") {
		return 0, false
	}
	if b.End-last.Start <= c.o.Target {
		return last.Start, true
	}
	lead := 0
	for s := range text.EachSentence(before) {
		lead = s.Start
	}
	return last.Start + lead, last.End-last.Start-lead < c.o.Max/2
}

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

// cutPoint returns where to cut a window within a sentence: after the last semicolon or colon of
// its second half, else after the last comma, else at the last space, else between characters.
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
