package document

import (
	"strings"

	"example.com/assay/memory/text"
	"unicode/utf8"

	"example.com/assay/memory/text/pattern"
	"example.com/assay/memory/text/values"
	"example.com/assay/state"
)

// plain writes text with its paragraphs. Earlier mails in it are quoted blocks, each labelled
// with the line that says whose it is.
func (m *mailReader) plain(s string) {
	s = strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n"), "\x00", ""))
	w := &m.out.w
	w.endBlock()
	start := w.out.Len()
	w.out.WriteString(s)
	for _, part := range mailParts(&w.page.watch, s) {
		like := w.like
		if part.quoted {
			w.like.Group++
			like.Kind, like.Label, like.ByLine, like.Group = state.BlockQuoted, part.from, true, w.like.Group
			like.Metadata = dateOf(part.from)
			w.like.Group++
		}
		var blocks []Block
		if part.quoted {
			blocks = appendBlock(nil, s, part.start, part.end, like)
		} else {
			blocks = paragraphs(&w.page.watch, s, part.start, part.end, like)
		}
		w.blocks = append(w.blocks, moved(blocks, start)...)
	}
	w.out.WriteString("\n\n")
	w.start = w.out.Len()
}

// dateOf is the date that a line names, as metadata.
func dateOf(line string) map[string]string {
	if found := values.Dates(line, nil); len(found) > 0 {
		return map[string]string{keyDate: found[0].Value}
	}
	return nil
}

type mailPart struct {
	start, end int
	quoted     bool
	from       string // of a quoted one: the line above it
}

// Lines above an earlier mail: a head as programs write it, whose fields the mail standard and
// its translations name, and a rule above such a head.
var (
	quotedHead = pattern.New(`^[*>\s]*(?i:from|von|de|da|van|från|fra|od|от|发件人|寄件者|差出人|보낸 사람)\*?\s*[:：]\*?\s*\S`)
	headField  = pattern.New(`^[*>\s]*\pL[\pL -]{0,20}\*?\s?[:：]`)
	clockTime  = pattern.New(`\b\d{1,2}[:.h]\d{2}\b`)
	headRule   = pattern.New(`^(?:[-_=]{5,}|-{2,}\s?\pL[\pL' ]{3,40}\s?-{2,})$`)
)

// longestFrom is the greatest length in bytes of the lines that attribute a quoted mail.
const longestFrom = 250

// mailParts splits a text where a quote begins and ends. A run of lines with ">" is a quote, and
// each other level of it is a separate one; the paragraph above it that ends with a colon
// attributes it. Below the headers of an earlier mail everything is quoted.
func mailParts(w *watch, s string) []mailPart {
	out := []mailPart{{}}
	last := func() *mailPart { return &out[len(out)-1] }
	depth, body := 0, false // of ">" in the open part, and whether all that follows is quoted
	lineAbove, above := 0, 0
	for at := 0; at < len(s); {
		w.step()
		end := lineEnd(s, at)
		line := strings.TrimSpace(s[at:end])
		d := quoteDepth(line)
		inner := strings.TrimLeft(line, "> ")
		switch {
		case isMailHead(s[at:]):
			from, _, _ := strings.Cut(s[at:min(len(s), at+longestFrom)], "\n\n")
			start := at
			if headRule.MatchString(strings.TrimSpace(s[above:at])) && above >= last().start {
				start = above
			}
			last().end = start
			out = append(out, mailPart{start: start, quoted: true, from: unquoted(from)})
			body = body || d == 0
			depth = d
		case inner == "":
		case d != depth && (d > depth || !body):
			start, from := at, ""
			if d > depth {
				if start, from = attribution(s, last().start, above, lineAbove, at); from == "" {
					start = at
				}
			}
			last().end = start
			out = append(out, mailPart{start: start, quoted: d > 0 || body, from: from})
			depth = d
		case !body && earlierMail.MatchString(inner) && !strings.HasPrefix(strings.TrimLeft(s[end:], " \t\n"), ">"):
			last().end = at
			out = append(out, mailPart{start: at, quoted: true, from: inner})
			body = true
		}
		if line != "" {
			lineAbove, above = above, at
		}
		at = end
	}
	last().end = len(s)
	return out
}

// quoteDepth counts the signs of quoting before a line.
func quoteDepth(line string) int {
	n := 0
	for _, r := range line {
		switch r {
		case '>':
			n++
		case ' ':
		default:
			return n
		}
	}
	return n
}

// attribution returns the line, or two lines, above a quote that attribute it: they end with a
// colon and begin at from or later.
func attribution(s string, from, lineAbove, twoAbove, at int) (int, string) {
	line := strings.TrimSpace(s[min(lineAbove, at):at])
	if c, _ := utf8.DecodeLastRuneInString(line); lineAbove < from || c != ':' && c != '：' || len(line) > longestFrom {
		return at, ""
	}
	if before := s[min(twoAbove, lineAbove):lineAbove]; twoAbove >= from && twoAbove < lineAbove && len(before) <= longestFrom && !strings.HasSuffix(before, "\n\n") && len(values.Dates(line, nil)) == 0 && strings.ContainsAny(before, "0123456789") {
		lineAbove = twoAbove
	}
	return lineAbove, unquoted(s[lineAbove:at])
}

// unquoted puts lines on one, without the signs of quoting.
func unquoted(s string) string {
	var out []string
	for line := range strings.Lines(strings.ToValidUTF8(s, "")) {
		out = append(out, strings.TrimLeft(line, "> "))
	}
	return text.OneLine(strings.Join(out, " "))
}

// isMailHead reports whether a text begins with mail headers: three fields or more, the first of
// them the sender, with a date among them.
func isMailHead(s string) bool {
	line, _, _ := strings.Cut(s[:min(len(s), 300)], "\n")
	if !quotedHead.MatchString(line) {
		return false
	}
	fields, dated := 0, false
	for line := range strings.Lines(s[:min(len(s), 1000)]) {
		if !headField.MatchString(line) || fields == 6 {
			break
		}
		fields++
		dated = dated || clockTime.MatchString(line) || len(values.Dates(line, nil)) > 0
	}
	return fields > 2 && dated
}

// quoteBlocks marks the blocks of a page from the nth on that are earlier mails. A block above a
// quote that ends with a colon attributes it.
func (m *mailReader) quoteBlocks(n int) {
	w := &m.out.w
	s := w.out.String()
	from, body := "", false
	for i := n; i < len(w.blocks); i++ {
		b := &w.blocks[i]
		t := s[b.Start:b.End]
		next := i+1 < len(w.blocks) && w.blocks[i+1].Kind == state.BlockQuoted
		switch {
		case isMailHead(t), next && b.Kind == "" && len(t) <= longestFrom && strings.HasSuffix(t, ":"), b.Kind == "" && earlierMail.MatchString(t):
			from = unquoted(t[:min(len(t), longestFrom)])
			if body = body || !next; b.Kind != state.BlockQuoted {
				w.like.Group++
			}
		case body || b.Kind == state.BlockQuoted:
		default:
			from = ""
			continue
		}
		if body {
			b.Group = w.like.Group
		}
		b.Kind, b.Label, b.Metadata, b.Blocks, b.Cells = state.BlockQuoted, from, dateOf(from), nil, nil
	}
	w.like.Group++
}
