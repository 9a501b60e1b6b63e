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

// structure finds the blocks inside the blocks of a document whose reader did not: it reads
// lines as people set them, whatever the format was. Markdown, plain text, mail and the
// text of a PDF all come through here.
func structure(ctx context.Context, d *Document) {
	w := &watch{ended: ctx.Err}
	r := structureReader{w: w, text: d.Text}
	for i := range d.Blocks {
		w.step()
		b := &d.Blocks[i]
		if i == 0 || d.Blocks[i-1].Group != b.Group {
			r.scope = scope{}
			if _, asked, _ := text.CutLast(" > "+b.Section, " > "); strings.HasSuffix(asked, "?") || strings.HasSuffix(asked, "？") {
				r.question, r.lead = asked, asked
			}
		}
		if len(b.Blocks) == 0 && b.Kind == "" {
			b.Blocks = r.read(*b)
		}
	}
}

// A scope is what stands above the next line, inside one group of blocks.
type scope struct {
	heading  string // the last numbered or short heading inside the text
	number   string // its number
	lead     string // the sentence that leads into the list that is open or may follow
	question string // asked, and not answered yet
	table    *table
	quoted   bool // the rest is an earlier mail
}

// A table is what the rows of an open table have in common.
type table struct {
	headers []string
	starts  []int // columns of characters, of a table that is aligned by spaces
	piped   bool
}

type structureReader struct {
	w    *watch
	text string
	scope
}

// A line is a span of the text, without the white space around it.
type textLine struct {
	start, end int
	indent     int
}

func (l textLine) in(s string) string { return s[l.start:l.end] }

var (
	fieldLine    = pattern.New(`^(?:[-*•+]\s+)?(?:\*\*|__)?([\pL\pN][^:|.!?;,“”"<>{}=]{0,44}?)(?:\*\*|__)?[ \t]*[:：][ \t]*(?:\*\*|__)?[ \t]*(\S.*)$`)
	manyFields   = pattern.New(`(?:^|\s{2,}|\t)([\pL][^:|!?;“”"<>{}=\t]{0,38}?)[ ]?[:：][ \t]{1,}(\S(?:[^\t ]| [^\t ])*)`)
	labelOnly    = pattern.New(`^(?:\*\*|__)?([\pL\pN][^:|.!?;“”"]{0,60}?)(?:\*\*|__)?[ \t]*[:：](?:\*\*|__)?$`)
	askedLine    = pattern.New(`^(?i:(?:\*\*|#+\s*)?(?:q|question|frage|f|pregunta|p|domanda|d|vraag|pergunta|問|质问)\s*\d*\s*[:.)：]\s*)(.+)$`)
	answeredLine = pattern.New(`^(?i:(?:\*\*)?(?:a|answer|antwort|r|respuesta|réponse|risposta|antwoord|resposta|答)\s*\d*\s*[:.)：]\s*)(\S.*)$`)
	numberedLine = pattern.New(`^(?:(?i:(article|artikel|articolo|artículo|artigo|art\.|section|sec\.|clause|klausel|paragraph|chapter|rule|step|schritt|étape|paso|passo|stap|slide|day|tag|part|§+)\s*)(\d+[a-z]?(?:\.\d+)*|[IVXLC]+\b)[.:)]?|(\d+(?:\.\d+)+)[.)]?|(\d{1,3})[.)]|\((\d{1,3}|[a-z]|[ivx]{1,5})\)|([a-z])\)|第([0-9一二三四五六七八九十百]+)[条條章項])(?:[\s:：–—-]+|$)(.*)$`)
	bulletLine   = pattern.New(`^[-*•–‣▪◦·+]\s+(?:\[[ xX]\]\s+)?(\S.*)$`)
	ruleLine     = pattern.New(`^\|?[ \t]*:?-{2,}:?[ \t]*(?:[|+][ \t]*:?-{2,}:?[ \t]*)*\|?$`)
	boxLine      = pattern.New(`^[+|=\-_*─━═┼├┤ \t]{3,}$`)
	meansLine    = pattern.New(`^(?:\d+[.)]\s+|\([a-z0-9]+\)\s+|[-*•]\s+)?["“„«']([^"”“»']{2,60})["”“»']\s+(?i:means?|is|are|refers? to|bedeutet|ist|bezeichnet|désigne|signifie|significa|indica|betekent)\b`)
	earlierMail  = pattern.New(`^(?i:-{2,}\s*(?:original message|forwarded message|ursprüngliche nachricht|message d'origine|mensaje original).*|on .{6,80} wrote:|am .{6,80} schrieb.{0,60}:|le .{6,80} a écrit\s?:|el .{6,80} escribió:|il .{6,80} ha scritto:|op .{6,80} schreef.{0,60}:)$`)
	tableGap     = pattern.New(`\t+|[ ]{2,}`)
	sentenceEnd  = ".!?。！？;"
)

// linesIn are the lines of a block that hold anything.
func (r *structureReader) linesIn(start, end int) []textLine {
	var out []textLine
	for at := start; at < end; {
		r.w.step()
		next := end
		if n := strings.IndexByte(r.text[at:end], '\n'); n >= 0 {
			next = at + n
		}
		raw := r.text[at:next]
		left := strings.TrimLeftFunc(raw, unicode.IsSpace)
		if body := strings.TrimRightFunc(left, unicode.IsSpace); body != "" {
			from := at + len(raw) - len(left)
			out = append(out, textLine{from, from + len(body), len(raw) - len(left)})
		}
		at = next + 1
	}
	return out
}

// read returns the typed blocks of one run of text.
func (r *structureReader) read(b Block) []Block {
	var out []Block
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
		if !r.quoted && earlierMail.MatchString(s) {
			r.quoted = true
		}
		if r.quoted || strings.HasPrefix(s, ">") && (i > 0 && earlierMail.MatchString(lines[i-1].in(r.text)) || len(out) > 0 && out[len(out)-1].Kind == state.BlockQuoted) {
			out = r.extend(out, l, state.BlockQuoted)
			continue
		}
		if n := r.rows(lines[i:], &out); n > 0 {
			i += n - 1
			continue
		}
		r.table = nil
		if ruleLine.MatchString(s) || boxLine.MatchString(s) {
			continue
		}
		more := 1 // lines that this one's block has
		for i+more < len(lines) && r.continues(lines[i], lines[i+more-1], lines[i+more]) {
			more++
		}
		out = r.line(out, l, lines[i+more-1].end, i+more < len(lines), i+more == len(lines))
		i += more - 1
	}
	return out
}

// continues reports whether a line goes on with the block of the line before it: it is
// broken for width, and opens nothing.
func (r *structureReader) continues(first, before, l textLine) bool {
	s, prev := l.in(r.text), before.in(r.text)
	if opens(s) || meansLine.MatchString(s) || earlierMail.MatchString(s) || strings.HasPrefix(s, "|") || strings.HasPrefix(s, "```") || cellsApart(s) > 1 || cellsApart(prev) > 1 {
		return false
	}
	if strings.ContainsRune(sentenceEnd, lastRune(prev)) || lastRune(prev) == ':' {
		return l.indent > first.indent || len(prev) > 50 && !shortHeading(s)
	}
	c, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(c) || unicode.IsDigit(c) && len(prev) > 40 || len(prev) > 55 || l.indent > first.indent && len(prev) > 25
}

// opens reports whether a line begins a block by its form alone.
func opens(s string) bool {
	return bulletLine.MatchString(s) || numberedLine.MatchString(s) || askedLine.MatchString(s) || answeredLine.MatchString(s) ||
		fieldLine.MatchString(s) && !strings.Contains(s, "://") || labelOnly.MatchString(s) || strings.HasPrefix(s, ">") || strings.HasPrefix(s, "#")
}

// line reads a block of one line, or of one that goes on until end. below reports whether
// lines follow it in its run of text, last whether it ends the run.
func (r *structureReader) line(out []Block, l textLine, end int, below, last bool) []Block {
	s := l.in(r.text)
	whole := r.text[l.start:end]
	b := Block{Start: l.start, End: end, Under: r.heading, Number: ""}
	switch {
	case askedLine.MatchString(s):
		r.question = askedLine.FindStringSubmatch(whole1(whole))[1]
		b.Kind = state.BlockHeading
		return append(out, b)
	case r.question != "" && answeredLine.MatchString(s):
		m := answeredLine.FindStringSubmatchIndex(s)
		b.Start += m[2]
		b.Kind, b.Label = state.BlockAnswer, r.question
		return append(out, b)
	}
	if m := meansLine.FindStringSubmatch(s); m != nil {
		b.Kind, b.Label = state.BlockDefinition, m[1]
		r.question = ""
		return append(out, b)
	}
	if m := numberedLine.FindStringSubmatch(s); m != nil {
		number, rest := numberOf(m), strings.TrimSpace(m[8])
		if rest == "" && !last || rest != "" && end == l.end && shortHeading(rest) && below {
			r.heading, r.number = rest, number
			r.lead, r.question = "", ""
			b.Kind, b.Number, b.Under = state.BlockHeading, number, ""
			return append(out, b)
		}
		b.Kind, b.Number, b.Label = state.BlockClause, number, r.lead
		switch {
		case m[1] != "" && isStep(m[1]), m[4] != "" && r.number == "":
			b.Kind = state.BlockStep
		case m[4] != "" || m[5] != "" || m[6] != "":
			b.Number = r.number + "(" + number + ")"
			if r.number == "" {
				b.Number = number
			}
		}
		if f, ok := fieldOf(rest); ok && b.Kind != state.BlockClause {
			_ = f
		}
		return append(out, b)
	}
	if fields := r.fields(l, end); len(fields) > 0 {
		r.question = ""
		return append(out, fields...)
	}
	if m := bulletLine.FindStringSubmatchIndex(s); m != nil {
		b.Kind, b.Label = state.BlockItem, r.lead
		b.Start += m[2]
		return append(out, b)
	}
	if r.question != "" {
		b.Kind, b.Label = state.BlockAnswer, r.question
		if strings.HasSuffix(whole, "?") {
			r.question = whole1(whole)
			b.Kind, b.Label = state.BlockHeading, ""
		}
		return append(out, b)
	}
	if strings.HasSuffix(whole, "?") && len(whole) < 160 && below && end == l.end {
		r.question = whole1(strings.TrimLeft(whole, "#* "))
		b.Kind = state.BlockHeading
		return append(out, b)
	}
	r.lead = ""
	if r := lastRune(whole); r == ':' || r == '：' {
		b.Label = ""
	}
	if lastRune(whole) == ':' || lastRune(whole) == '：' {
		r.lead = whole1(lastSentence(whole))
	}
	if b.Under != "" {
		b.Kind = state.BlockParagraph
		return append(out, b)
	}
	return out
}

func isStep(word string) bool {
	return slices.Contains([]string{"step", "schritt", "étape", "paso", "passo", "stap"}, strings.ToLower(word))
}

// numberOf is the number that a line begins with, as it is cited.
func numberOf(m []string) string {
	for _, g := range m[2:8] {
		if g != "" {
			return g
		}
	}
	return ""
}

// shortHeading reports whether a text can be a heading: a few words without an end.
func shortHeading(s string) bool {
	n := len(strings.Fields(s))
	if n == 0 || n > 7 || len(s) > 70 || strings.ContainsRune(sentenceEnd+":,", lastRune(s)) {
		return false
	}
	c, _ := utf8.DecodeRuneInString(s)
	return !unicode.IsLower(c) && !strings.ContainsAny(s, "=<>{}|")
}

// fields reads the labels and values of one line, none where the line is a sentence.
func (r *structureReader) fields(l textLine, end int) []Block {
	s := l.in(r.text)
	if strings.Contains(s, "://") && !strings.Contains(s, ": ") {
		return nil
	}
	if all := manyFields.FindAllStringSubmatchIndex(s, -1); len(all) > 1 {
		var out []Block
		for _, m := range all {
			out = append(out, r.field(l.start, m[2], m[3], m[4], m[5]))
		}
		return out
	}
	m := fieldLine.FindStringSubmatchIndex(s)
	if m == nil || len(strings.Fields(s[m[2]:m[3]])) > 6 {
		return nil
	}
	value := l.start + m[4]
	f := r.field(l.start, m[2], m[3], m[4], m[5])
	f.End = end
	f.Cells[0].End = max(f.Cells[0].Start, end)
	f.Cells[0].Start = value
	return []Block{f}
}

func fieldOf(s string) (string, bool) {
	m := fieldLine.FindStringSubmatch(s)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// field makes a field from the spans of its label and value, which count from base.
func (r *structureReader) field(base, from, to, value, end int) Block {
	label := strings.TrimSpace(strings.Trim(r.text[base+from:base+to], "*_"))
	return Block{Kind: state.BlockField, Start: base + from, End: base + end, Label: label, Under: r.heading,
		Cells: []state.Cell{{Header: label, Start: base + value, End: base + end}}}
}

// extend adds a line to the last block of its kind, or begins one.
func (r *structureReader) extend(out []Block, l textLine, kind state.BlockKind) []Block {
	if n := len(out); n > 0 && out[n-1].Kind == kind {
		out[n-1].End = l.end
		return out
	}
	return append(out, Block{Kind: kind, Start: l.start, End: l.end, Under: r.heading})
}

// whole1 puts a text on one line.
func whole1(s string) string { return strings.Join(strings.Fields(s), " ") }

// lastSentence is what follows the last full stop inside a text.
func lastSentence(s string) string {
	if at := strings.LastIndexAny(s[:len(s)-1], ".!?"); at >= 0 && at+2 < len(s) {
		return strings.TrimSpace(s[at+1:])
	}
	return s
}

func lastRune(s string) rune {
	c, _ := utf8.DecodeLastRuneInString(strings.TrimRight(s, "*_ "))
	return c
}
