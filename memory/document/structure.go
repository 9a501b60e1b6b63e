package document

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/state"
)

// structure finds the nested blocks of a document whose reader did not, from the layout of its
// lines, whatever the format: markdown, plain text, mail and the text of a PDF.
func structure(ctx context.Context, d *Document) {
	r := structureReader{w: &watch{ended: ctx.Err}, text: d.Text, format: d.Format, words: numberingWords(d.Text)}
	code := d.Format == "txt" && looksLikeCode(d.Text)
	for i := range d.Blocks {
		r.w.step()
		b := &d.Blocks[i]
		if i == 0 || d.Blocks[i-1].Group != b.Group {
			above := strings.TrimSpace(b.Section[strings.LastIndex(b.Section, " > ")+1:])
			above = strings.TrimSpace(strings.TrimPrefix(above, ">"))
			r.scope = scope{section: sectionMark(above, r.words)}
			if endsAsking(above) {
				r.question, r.lead = above, above
			}
		}
		r.after, r.afterLong = "", false
		if i+1 < len(d.Blocks) && d.Blocks[i+1].Group == b.Group {
			next := d.Text[d.Blocks[i+1].Start:d.Blocks[i+1].End]
			first, more, _ := strings.Cut(next, "\n")
			r.after, r.afterLong = strings.TrimSpace(first), len(first) > 60 || more != ""
		}
		switch {
		case len(b.Blocks) > 0 || b.Kind != "":
		case code:
			b.Kind = state.BlockCode
		default:
			b.Blocks = r.read(*b)
		}
	}
}

// looksLikeCode reports whether most lines of a text end as those of a program do.
func looksLikeCode(s string) bool {
	if strings.HasPrefix(s, "#!") {
		return true
	}
	lines, ends := 0, 0
	for line := range strings.Lines(s[:min(len(s), 1<<14)]) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" {
			lines++
			if strings.IndexByte(";{}", line[len(line)-1]) >= 0 || strings.HasSuffix(line, "):") {
				ends++
			}
		}
	}
	return lines > 5 && 10*ends > 3*lines
}

// A scope is the context above the next line, within one group of blocks.
type scope struct {
	section  head // the heading above the group
	heads    []head
	marks    []part   // the numbered parts around the line
	open     []holder // labels whose value is the deeper lines below
	lead     string   // the sentence that leads into the list that is open or may follow
	question string   // the question answered by the text after it
	asked    string   // how the question was announced, such as "Q"
	turn     turn
	table    *table
	quoted   bool // the rest is an earlier mail
}

// A turn is a question in a conversation.
type turn struct {
	by, question string
	answers      int // how many more messages of others may answer it
}

// mostAnswers is the number of messages after a question that may answer it: later ones change the
// subject.
const mostAnswers = 2

// A head is a heading inside the text. Headings of one style are of one level.
type head struct{ style, title, number string }

// A part is a numbered part with the text that introduces its list.
type part struct {
	mark
	lead string
}

type holder struct {
	indent int
	label  string
}

type structureReader struct {
	w         *watch
	text      string
	format    string
	words     map[string]int // that number the parts of the document
	after     string         // the first line of the next block of the group
	afterLong bool           // the next block is long, or has several lines
	lines     []textLine     // buffer for those of a block
	blocks    []Block        // the same
	first     bool           // the line is the first of its block
	scope
}

var earlierMail = pattern.New(`^(?i:-{2,}\s*(?:original message|forwarded message|ursprüngliche nachricht|message d'origine|mensaje original).*|on .{6,80} wrote:|am .{6,80} schrieb.{0,60}:|le .{6,80} a écrit\s?:|el .{6,80} escribió:|il .{6,80} ha scritto:|op .{6,80} schreef.{0,60}:)$`)

func (r *structureReader) linesIn(start, end int) []textLine {
	out := r.lines[:0]
	for at := start; at < end; {
		r.w.step()
		next := end
		if n := strings.IndexByte(r.text[at:end], '\n'); n >= 0 {
			next = at + n
		}
		raw := r.text[at:next]
		left := strings.TrimLeft(raw, " \t")
		if left != "" && (left[0] >= utf8.RuneSelf || left[0] < ' ') {
			left = strings.TrimLeftFunc(left, unicode.IsSpace)
		}
		body := strings.TrimRight(left, " \t\r")
		if body != "" && (body[len(body)-1] >= utf8.RuneSelf || body[len(body)-1] < ' ') {
			body = strings.TrimRightFunc(body, unicode.IsSpace)
		}
		if body != "" {
			from := at + len(raw) - len(left)
			l := textLine{start: from, end: from + len(body), indent: len(raw) - len(left)}
			if at == start { // the block begins after the white space of its first line
				l.indent = min(from-1-strings.LastIndexByte(r.text[max(0, from-200):from], '\n'), from) - max(0, from-200)
			}
			bold := strings.HasPrefix(body, "**")
			if l.mark = markOf(strings.TrimPrefix(body, "**"), r.words); bold && l.mark.style != "" {
				l.mark.size += 2
			}
			if l.label = labelOf(body[l.mark.size:]); l.label.words > 0 {
				l.label.from, l.label.to, l.label.value = l.label.from+l.mark.size, l.label.to+l.mark.size, l.label.value+l.mark.size
			}
			from, _ = nextGap(body, 0)
			l.gaps = from < len(body)
			out = append(out, l)
		}
		at = next + 1
	}
	r.lines = out
	return out
}

func (r *structureReader) read(b Block) []Block {
	out := r.blocks[:0]
	lines := r.linesIn(b.Start, b.End)
	fenced := false
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		s := l.in(r.text)
		if strings.HasPrefix(s, "```") || strings.HasPrefix(s, "~~~") {
			fenced = !fenced
			r.table = nil
			continue
		}
		if fenced {
			out = r.extend(out, l, state.BlockCode)
			continue
		}
		if r.isQuoted(lines, i, out) {
			out = r.extend(out, l, state.BlockQuoted)
			continue
		}
		n := r.pipedRows(lines[i:], &out)
		if n == 0 {
			n = r.captioned(lines[i:], &out)
		}
		if n == 0 {
			n = r.alignedRows(lines[i:], &out)
		}
		if n > 0 {
			i += n - 1
			continue
		}
		if !l.gaps {
			r.table = nil
		}
		if isRule(s) {
			continue
		}
		more := 1 // lines that this one's block has
		for i+more < len(lines) && r.continues(l, lines[i+more-1], lines[i+more]) {
			more++
		}
		r.first = i == 0
		var taken int
		out, taken = r.line(out, lines[i:], more)
		i += taken - 1
	}
	r.blocks = out
	if len(out) == 0 {
		return nil
	}
	return slices.Clone(out)
}

func (r *structureReader) isQuoted(lines []textLine, i int, out []Block) bool {
	s := lines[i].in(r.text)
	if s[0] == '>' {
		return r.format == "eml" || i > 0 && strings.HasSuffix(lines[i-1].in(r.text), ":") || len(out) > 0 && out[len(out)-1].Kind == state.BlockQuoted
	}
	if !r.quoted && (s[0] == '-' || s[len(s)-1] == ':') && earlierMail.MatchString(s) {
		next := r.after
		if i+1 < len(lines) {
			next = lines[i+1].in(r.text)
		}
		r.quoted = !strings.HasPrefix(next, ">")
		return true
	}
	return r.quoted
}

// continues reports whether a line continues the block of the line before it: it is wrapped, and
// opens nothing.
func (r *structureReader) continues(first, before, l textLine) bool {
	s, prev := l.in(r.text), before.in(r.text)
	if l.mark.style != "" || l.label.words > 0 && (l.label.words < 4 || !unicode.IsLower(rune(s[0]))) || l.gaps || before.gaps || strings.IndexByte("|>#`[\"", s[0]) >= 0 || strings.HasPrefix(s, "**") || isRule(s) {
		return false
	}
	if quotedTermOf(s) != "" || settingOf(s).words > 0 || messageOf(s) != nil {
		return false
	}
	if strings.ContainsRune(sentenceEnd, lastRune(prev)) || lastRune(prev) == ':' {
		return l.indent > first.indent && first.mark.style != "" || len(prev) > 50 && !shortHeading(s)
	}
	c, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(c) || unicode.IsDigit(c) && len(prev) > 40 || len(prev) > 55 || l.indent > first.indent && (len(prev) > 25 || first.mark.style != "")
}

// longestName is the greatest length of the name of a manual page, in bytes.
const longestName = 60

// line reads the block that begins at the first line, with more lines after it, and returns the
// number of lines it took.
func (r *structureReader) line(out []Block, lines []textLine, more int) ([]Block, int) {
	l, end := lines[0], lines[more-1].end
	s, whole := l.in(r.text), r.text[l.start:end]
	next, last := r.after, more == len(lines)
	if !last {
		next = lines[more].in(r.text)
	}
	b := Block{Start: l.start, End: end, Under: r.under(l)}
	if m := messageOf(s); m != nil {
		for g := 2; g < 8; g += 2 {
			if m[g] >= 0 {
				return append(out, r.spoken(r.field(l, s[m[g]:m[g+1]], l.start, l.start+m[8], end))), more
			}
		}
	}
	if asked, how := r.questionOf(l, whole); asked != "" && next != "" && !endsAsking(next) && !(how == "" && isSpeaker(l.label) && isSpeaker(labelOf(next))) {
		r.question, r.asked, r.lead, r.table = asked, how, asked, nil
		b.Kind = state.BlockHeading
		return append(out, b), more
	}
	if r.question != "" && r.asked != "" && l.label.words == 1 && l.label.to-l.label.from <= 10 && l.mark.style == "" {
		b.Kind, b.Label, b.Start = state.BlockAnswer, r.question, min(l.start+l.label.value, end)
		return append(out, b), more
	}
	body := s[l.mark.size:]
	if term := quotedTermOf(body); term != "" {
		b.Kind, b.Label = state.BlockDefinition, term
		if l.mark.number != "" {
			b.Number = r.address(l.mark)
		}
		return append(out, b), more
	}
	if title, rest := boldTitle(whole); title != "" {
		switch {
		case l.mark.number != "":
			b.Kind, b.Number = state.BlockClause, r.address(l.mark)
			b.Under = r.under(l)
		case strings.IndexByte("-\xe2", rest[0]) >= 0 && len(strings.Fields(title)) <= mostWords:
			b.Kind = state.BlockDefinition
		default:
			b.Kind = state.BlockParagraph
		}
		b.Label, r.lead = title, ""
		return append(out, b), more
	}
	if term, _, ok := strings.Cut(s, " - "); ok && len(term) <= longestName && strings.EqualFold(r.top().title, "name") { // of a manual page: "ls - list files"
		b.Kind, b.Label = state.BlockDefinition, term
		return append(out, b), more
	}
	if strings.Contains(s, " – ") || strings.Contains(s, " — ") {
		if m := dashedTerm.FindStringSubmatch(s); m != nil && (m[1] != "" || l.mark.style == bulletStyle || !last && dashedTerm.MatchString(next) || len(out) > 0 && out[len(out)-1].Kind == state.BlockDefinition) {
			b.Kind, b.Label = state.BlockDefinition, m[2]
			return append(out, b), more
		}
	}
	if more == 1 && r.isHeading(lines, next) {
		r.setHead(headStyle(s, l, lines), text.OneLine(strings.Trim(strings.TrimLeft(s, "#"), "*_-[] ")), "")
		b.Kind, b.Under = state.BlockHeading, r.underHeads(len(r.heads)-1)
		return append(out, b), more
	}
	if l.mark.number != "" {
		return append(out, r.numbered(b, l, next, end, more)), more
	}
	if fields, taken := r.fields(lines, more); len(fields) > 0 {
		if len(fields) == 1 && len(fields[0].Cells) == 1 && isSpeaker(l.label) && (endsAsking(whole) || r.turn.answers > 0 && isSentence(s[l.label.value:])) {
			fields[0] = r.spoken(fields[0])
		}
		return append(out, fields...), taken
	}
	switch {
	case l.mark.style == bulletStyle:
		b.Kind, b.Label = state.BlockItem, r.lead
		b.Start += l.mark.size
		return append(out, b), more
	case s[0] == '-' && len(s) > 1 && s[1] != ' ' && len(lines) > 1 && lines[1].indent > l.indent: // an option of a program
		b.Kind, b.Label = state.BlockDefinition, text.OneLine(s)
		for more = 1; more < len(lines) && lines[more].indent > l.indent; more++ {
			b.End = lines[more].end
		}
		return append(out, b), more
	case r.question != "":
		b.Kind, b.Label = state.BlockAnswer, r.question
		if r.lead = r.question; lastRune(whole) == ':' {
			r.lead = text.OneLine(lastSentence(whole))
		}
		return append(out, b), more
	}
	if end := lastRune(whole); end == ':' || end == '：' {
		r.lead = text.OneLine(lastSentence(whole))
	} else if r.lead = ""; !last && lines[more].mark.style != "" && !strings.ContainsRune(sentenceEnd, end) {
		r.lead = text.OneLine(lastSentence(whole))
	}
	if b.Number = r.top().number; b.Under != "" || b.Number != "" {
		b.Kind = state.BlockParagraph
		out = append(out, b)
	}
	return out, more
}

// mostNames is the greatest number of words of a speaker's name.
const mostNames = 3

// isSpeaker reports whether a label may be a speaker's name.
func isSpeaker(l label) bool { return l.words > 0 && l.words <= mostNames }

// isSentence reports a text of several words that ends as one.
func isSentence(s string) bool {
	return strings.Count(s, " ") > 1 && strings.ContainsRune(sentenceEnd, lastRune(s))
}

// spoken reads one turn of a conversation: a question, another speaker's answer to the question
// before it, or anything else. Its cell is the speaker.
func (r *structureReader) spoken(b Block) Block {
	switch value := r.text[b.Cells[0].Start:b.End]; {
	case endsAsking(value):
		r.turn = turn{b.Label, text.OneLine(value), mostAnswers}
	case r.turn.answers > 0 && b.Label != r.turn.by:
		r.turn.answers--
		b.Kind, b.Label = state.BlockAnswer, r.turn.question
	}
	return b
}

func (r *structureReader) top() head {
	if n := len(r.heads); n > 0 {
		return r.heads[n-1]
	}
	return r.section
}

// extend adds a line to the last block of its kind, or begins one.
func (r *structureReader) extend(out []Block, l textLine, kind state.BlockKind) []Block {
	if n := len(out); n > 0 && out[n-1].Kind == kind {
		out[n-1].End = l.end
		return out
	}
	return append(out, Block{Kind: kind, Start: l.start, End: l.end, Under: r.under(l)})
}

// under returns the path of headings and labels above a line.
func (r *structureReader) under(l textLine) string {
	r.open = slices.DeleteFunc(r.open, func(a holder) bool { return a.indent >= l.indent })
	path := r.underHeads(len(r.heads))
	for _, a := range r.open {
		if path != "" {
			path += " > "
		}
		path += a.label
	}
	return path
}

func (r *structureReader) underHeads(n int) string {
	if n == 1 {
		return r.heads[0].title
	}
	titles := make([]string, 0, n)
	for _, h := range r.heads[:n] {
		titles = append(titles, h.title)
	}
	return strings.Join(titles, " > ")
}

// mostHeads is the greatest number of headings of different styles above a line.
const mostHeads = 5

func (r *structureReader) setHead(style, title, number string) {
	at := slices.IndexFunc(r.heads, func(h head) bool { return h.style == style })
	if at < 0 {
		at = min(len(r.heads), mostHeads-1)
	}
	r.heads = append(r.heads[:at:at], head{style, caption(title), number})
	r.marks, r.open, r.lead, r.question, r.asked, r.turn, r.table = nil, nil, "", "", "", turn{}, nil
}
