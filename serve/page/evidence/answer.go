package evidence

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"example.com/assay/state/proof"
)

// A block is a paragraph, a heading or a list of an answer.
type block struct {
	Kind  string // "text", "head", "list" or "rule"
	Lines [][]inline
}

// An inline is a run of words in an answer.
type inline struct {
	Text   string
	Strong bool
	Href   string     // id that it links to; empty for none, as for a finding without a place
	ID     string     // id of the element; empty for none
	Tone   proof.Tone // tone of the finding about it; empty for none
	Ref    string     // description of the finding whose number this is
}

var headLine = regexp.MustCompile(`^#{1,6} +`)

// blocksOf lays out the parts of an answer: paragraphs, headings, lists, rules, bold words and
// source marks, which link to the page's elements by anchors. Words with a finding link to its
// bytes. Other markup stays as written.
func (e *section) blocksOf(anchors map[string]string) []block {
	in := inliner{section: e, anchors: anchors}
	for _, f := range e.Findings {
		if f.Span != nil {
			in.spans = append(in.spans, f)
		}
	}
	slices.SortStableFunc(in.spans, func(a, b proof.Finding) int {
		return cmp.Or(cmp.Compare(a.Span.Start, b.Span.Start), cmp.Compare(b.Span.End, a.Span.End))
	})
	var out []block
	open := false // the last block continues
	add := func(kind string, start, end int) {
		line := in.line(start, end)
		if open && kind != "head" && out[len(out)-1].Kind == kind {
			out[len(out)-1].Lines = append(out[len(out)-1].Lines, line)
			return
		}
		out = append(out, block{kind, [][]inline{line}})
		open = true
	}
	at := 0
	for line := range strings.Lines(e.Answer) {
		start := at + len(line) - len(strings.TrimLeftFunc(line, unicode.IsSpace))
		at += len(line)
		text := strings.TrimSpace(line)
		end := start + len(text)
		switch {
		case text == "":
			open = open && out[len(out)-1].Kind == "list"
		case text == "---":
			out, open = append(out, block{Kind: "rule"}), false
		case headLine.MatchString(text):
			add("head", start+len(headLine.FindString(text)), end)
		case strings.HasPrefix(text, "- "):
			add("list", start+2, end)
		default:
			add("text", start, end)
		}
	}
	return out
}

// An inliner lays out the lines of an answer one after the other.
type inliner struct {
	*section
	anchors map[string]string
	spans   []proof.Finding // sorted by start; the remaining ones
	in      *card           // the finding about the current words
	end     int             // end of its part of the answer
	past    *card           // the finding whose number comes next
	shown   *card           // the finding whose number came last, if only space came after it
	numbers map[string]int  // of source marks, by the id that they link to
}

// line lays out the bytes start..end of the answer.
func (in *inliner) line(start, end int) []inline {
	var out []inline
	strong, from := false, start
	flush := func(to int) {
		if from < to {
			out = append(out, in.words(in.Answer[from:to], strong))
		}
		from = to
	}
	for i := start; i < end; {
		if in.in != nil && i >= in.end {
			flush(i)
			in.past, in.in = in.in, nil
		}
		if in.past != nil {
			if rest := strings.TrimLeft(in.Answer[i:end], ".,;:!?"); strings.HasPrefix(rest, closing) {
				i = end - len(rest) + len(closing)
			}
			flush(i)
			out = append(out, in.ref()...)
			continue
		}
		if in.begins(i, end) {
			flush(i)
			in.open()
		}
		rest := in.Answer[i:end]
		if strings.HasPrefix(rest, "**") && (strong || strings.Contains(rest[2:], "**")) {
			flush(i)
			strong, i = !strong, i+2
			from = i
			continue
		}
		if mark, length := in.mark(rest); length > 0 {
			flush(i)
			if n := len(out); mark == nil && n > 0 && strings.TrimSpace(out[n-1].Text) == "" {
				out = out[:n-1]
			}
			out = append(out, mark...)
			i += length
			from = i
			continue
		}
		i++
	}
	flush(end)
	if in.in != nil && end >= in.end {
		in.past, in.in = in.in, nil
	}
	if in.past != nil {
		out = append(out, in.ref()...)
	}
	return out
}

// begins reports whether a finding's part begins at a byte of a line, or has begun between lines.
// It leaves out parts that begin inside another.
func (in *inliner) begins(at, end int) bool {
	for len(in.spans) > 0 && (in.spans[0].Span.End <= at || in.spans[0].Span.Start < in.end) {
		in.spans = in.spans[1:]
	}
	return in.in == nil && len(in.spans) > 0 && in.spans[0].Span.Start <= at && at < end
}

func (in *inliner) open() {
	f := in.spans[0]
	in.in, in.end, in.spans = in.ids[f.ID], f.Span.End, in.spans[1:]
}

// words returns a run of words that links to its evidence.
func (in *inliner) words(text string, strong bool) inline {
	out := inline{Text: text, Strong: strong}
	if strings.TrimSpace(text) != "" {
		in.shown = nil
	}
	if c := in.in; c != nil {
		out.Href, out.Tone = in.first(c), c.Tone
		if !in.said[c.Finding.ID] {
			in.said[c.Finding.ID], out.ID = true, c.ID+"-said"
		}
	}
	return out
}

// closing ends a quotation; the number of its finding follows.
const closing = "”"

// ref returns the number of the finding that has just ended; none if its card would add nothing.
func (in *inliner) ref() []inline {
	c := in.past
	in.past = nil
	if c.bare() {
		return nil
	}
	name := c.Name()
	if c.Verdict != "" {
		name += ", " + c.Verdict
	}
	out := inline{Text: c.Label, Href: c.ID, Tone: c.Tone, Ref: name}
	if in.telling(c) {
		out.Text = strings.TrimSpace(c.Label + "\u00a0" + sign(c.Tone))
	} else if to := in.first(c); to != "" {
		out.Href = to
	}
	in.shown = c
	return []inline{out}
}

// quotes reports whether a finding, or one that it depends on, quotes a passage of the page.
func (in *inliner) quotes(c *card, passage string) bool {
	if c == nil {
		return false
	}
	for _, id := range append([]string{c.Finding.ID}, c.Finding.Rests...) {
		on := in.ids[id]
		if on == nil {
			continue
		}
		for _, q := range on.Finding.Quotes {
			for i, p := range in.Passages {
				if p.Doc == q.Doc && p.Start <= q.Start && q.End <= p.End && in.id("source", i+1) == passage {
					return true
				}
			}
		}
	}
	return false
}

// number returns the number of a source mark. The labels of findings are numbers, too: marks count
// on after them.
func (in *inliner) number(to string) string {
	if in.numbers == nil {
		in.numbers = map[string]int{}
	}
	if in.numbers[to] == 0 {
		in.numbers[to] = len(in.Findings) + len(in.numbers) + 1
	}
	return strconv.Itoa(in.numbers[to])
}

const longestMark = 200 // bytes of a source mark

// mark lays out the longest source mark at the start of a text, such as "[Query 1][Source 2]" or
// "[REQ-1, REQ-2]", and returns its length; 0 without one.
func (in *inliner) mark(text string) (out []inline, length int) {
	if text[0] != '[' {
		return nil, 0
	}
	text = text[:min(len(text), longestMark)]
	found := ""
	for end := 0; ; {
		at := strings.IndexByte(text[end:], ']')
		if at < 0 {
			break
		}
		end += at + 1
		if to, ok := in.anchors[text[:end]]; ok {
			found, length = to, end
		}
		if end >= len(text) || text[end] != '[' {
			break
		}
	}
	inner, _, closed := strings.Cut(text[1:], "]")
	if length > 0 {
		switch {
		case slices.ContainsFunc(in.Findings, func(f proof.Finding) bool { return in.ids[f.ID].ID == found }):
			return []inline{{Text: text[:length], Href: found}}, length // its label
		case in.quotes(cmp.Or(in.in, in.shown), found):
			return nil, length // the finding's number leads to the very words
		}
		n := in.number(found)
		return []inline{{Text: n, Href: found, Tone: proof.Plain, Ref: "source " + n}}, length
	}
	if !closed {
		return nil, 0
	}
	for i, name := range strings.Split(inner, ", ") {
		to, ok := in.anchors["["+name+"]"]
		if !ok {
			return nil, 0
		}
		before := ", "
		if i == 0 {
			before = "["
		}
		out = append(out, inline{Text: before}, inline{Text: name, Href: to})
	}
	return append(out, inline{Text: "]"}), len(inner) + 2
}
