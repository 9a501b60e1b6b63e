package claims

import (
	"strings"

	"example.com/assay/memory/text/pattern"
)

// A block is text in which sentences stay: a paragraph, the text of a list item, a row of a table.
type block struct {
	start, end int    // bytes of the response
	context    string // the context that it needs
	leads      bool   // its last sentence introduces a list
	cell       bool   // it is a row of a table
}

// A line is a line of a response, without its break.
type line struct {
	start, end int
	body       string // without indentation and quote signs
	indent     int
}

var (
	heading     = pattern.New(`^#{1,6}(?:[ \t]|$)`)
	rule        = pattern.New(`^(?:[-=_*~][ \t]*){3,}$`)
	item        = pattern.New(`^(?:[-*+•–·]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)])[ \t]+`)
	tableRule   = pattern.New(`^\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)*\|?$`)
	definition  = pattern.New(`^\[\^?[^\]\n]{1,40}\]:`)
	sourceTitle = pattern.New(`(?i)^(?:[#*_ \t]*)(?:the )?(?:sources?|references?|bibliography|citations?|works cited|further reading|footnotes|notes|source map)[ \t]*:?[*_ \t]*:?$`)
	sourceLine  = pattern.New(`^(?:\[Query \d+\])?\[(?:Source \d+|\^?\d{1,3}|[A-Z][A-Z0-9]*(?:-[A-Za-z0-9]+)+)\]`)
	boldTitle   = pattern.New(`^(?:\*\*|__)[^*_\n]{1,80}(?:\*\*|__):?$`)
	label       = pattern.New(`^(\*\*[^*\n]{1,60}(?::\*\*|\*\*:)|[A-Z][\w'’ /()-]{0,40}:)[ \t]+`)
)

// blocks returns the parts of a response that can contain claims.
func blocks(s string) []block {
	r := reader{s: s, lines: linesOf(s)}
	for r.at < len(r.lines) {
		r.next()
	}
	return r.out
}

// A reader reads the lines of a response once.
type reader struct {
	s       string
	lines   []line
	at      int
	out     []block
	sources int      // heading level of the current list of sources; 0 outside of one
	leads   []leadIn // of the open lists, outermost first
	header  string   // of the current table
}

// A leadIn is the text that introduces a list.
type leadIn struct {
	indent int
	text   string
}

func linesOf(s string) []line {
	var out []line
	for start := 0; start < len(s); {
		end := strings.IndexByte(s[start:], '\n')
		next := start + end + 1
		if end < 0 {
			next = len(s)
			end = len(s) - start
		}
		l := line{start: start, end: start + end}
		body := strings.TrimRight(s[l.start:l.end], " \t\r")
		l.end = l.start + len(body)
		trimmed := strings.TrimLeft(body, " \t>")
		l.indent = len(body) - len(trimmed)
		l.start += l.indent
		l.body = trimmed
		out = append(out, l)
		start = next
	}
	return out
}

// next reads one block, or skips a line that cannot contain claims.
func (r *reader) next() {
	l := r.lines[r.at]
	switch {
	case l.body == "":
		r.at++
		return
	case strings.HasPrefix(l.body, "```") || strings.HasPrefix(l.body, "~~~"):
		r.code(l.body[:3])
		return
	case strings.HasPrefix(l.body, "<!--"):
		r.comment()
		return
	}
	underlined := r.at+1 < len(r.lines) && isUnderline(r.lines[r.at+1].body)
	switch {
	case heading.MatchString(l.body), underlined, boldTitle.MatchString(l.body), sourceTitle.MatchString(l.body):
		r.title(l, underlined)
	case rule.MatchString(l.body), definition.MatchString(l.body), tableRule.MatchString(l.body) && strings.Contains(l.body, "-"):
		r.at++
	case r.sources > 0:
		r.at++
	case strings.HasPrefix(l.body, "|") || r.header != "" && strings.Contains(l.body, "|") || r.at+1 < len(r.lines) && strings.Contains(l.body, "|") && tableRule.MatchString(r.lines[r.at+1].body):
		r.row(l)
	default:
		r.header = ""
		r.paragraph()
	}
}

// isUnderline reports the line under a heading.
func isUnderline(body string) bool {
	return len(body) >= 3 && (strings.Trim(body, "=") == "" || strings.Trim(body, "-") == "")
}

// title skips a heading. A list of sources ends at the next heading of its level.
func (r *reader) title(l line, underlined bool) {
	level := len(l.body) - len(strings.TrimLeft(l.body, "#"))
	if level == 0 {
		level = 6
	}
	r.leads, r.header = nil, ""
	switch {
	case sourceTitle.MatchString(l.body):
		r.sources = level
	case level <= r.sources || underlined:
		r.sources = 0
	}
	r.at++
	if underlined {
		r.at++
	}
}

func (r *reader) code(fence string) {
	for r.at++; r.at < len(r.lines); r.at++ {
		if strings.HasPrefix(r.lines[r.at].body, fence) {
			r.at++
			return
		}
	}
}

func (r *reader) comment() {
	for ; r.at < len(r.lines); r.at++ {
		if strings.Contains(r.lines[r.at].body, "-->") {
			r.at++
			return
		}
	}
}

// row reads a row of a table. The row above a rule is the header of the rows below.
func (r *reader) row(l line) {
	if r.at+1 < len(r.lines) && tableRule.MatchString(r.lines[r.at+1].body) {
		r.header = strings.Trim(l.body, "| \t")
		r.at += 2
		return
	}
	body := strings.TrimLeft(l.body, "| \t")
	start := l.start + len(l.body) - len(body)
	body = strings.TrimRight(body, "| \t")
	if body != "" && r.header != "" {
		r.out = append(r.out, block{start: start, end: start + len(body), context: r.header, cell: true})
	} else if body != "" {
		r.out = append(r.out, block{start: start, end: start + len(body)})
	}
	r.at++
}

// paragraph reads the lines of a paragraph, and whether a list follows.
func (r *reader) paragraph() {
	first := r.lines[r.at]
	b := block{start: first.start, end: first.end}
	marker := item.FindString(first.body)
	isItem := marker != "" && len(marker) < len(first.body)
	if isItem {
		b.start += len(marker)
		for len(r.leads) > 0 && r.leads[len(r.leads)-1].indent >= first.indent && r.leads[len(r.leads)-1].indent >= 0 {
			r.leads = r.leads[:len(r.leads)-1]
		}
		b.context = r.context()
	} else {
		r.leads = nil
	}
	r.at++
	for r.at < len(r.lines) && r.goesOn(r.lines[r.at]) {
		b.end = r.lines[r.at].end
		r.at++
	}
	if isItem && sourceLine.MatchString(r.s[b.start:b.end]) && !strings.ContainsAny(r.s[b.start:b.end], ".!?") {
		return // an entry of a list of sources without a heading
	}
	body := r.s[b.start:b.end]
	if m := label.FindString(body); m != "" && len(m) < len(body) {
		if isItem || strings.HasPrefix(m, "**") {
			b.start += len(m)
			b.context = joinContext(b.context, strings.TrimSpace(strings.ReplaceAll(m, "*", "")))
		}
	}
	text := strings.TrimRight(r.s[b.start:b.end], " \t*_")
	if follows, indent := r.listFollows(); follows && strings.HasSuffix(withoutMarks(text), ":") {
		if !isItem {
			indent = -1
		} else if indent <= first.indent {
			r.out = append(r.out, b)
			return
		} else {
			indent = first.indent
		}
		b.leads = true
		r.leads = append(r.leads, leadIn{indent, strings.Trim(lastSentence(withoutMarks(text)), " \t*_“”\"")})
	}
	r.out = append(r.out, b)
}

// goesOn reports whether a line continues the paragraph.
func (r *reader) goesOn(l line) bool {
	if l.body == "" || heading.MatchString(l.body) || rule.MatchString(l.body) || strings.HasPrefix(l.body, "|") ||
		strings.HasPrefix(l.body, "```") || strings.HasPrefix(l.body, "~~~") || definition.MatchString(l.body) {
		return false
	}
	return !item.MatchString(l.body) && !sourceTitle.MatchString(l.body)
}

// listFollows reports whether the next line that is not empty begins an item.
func (r *reader) listFollows() (bool, int) {
	for i := r.at; i < len(r.lines) && i < r.at+3; i++ {
		if l := r.lines[i]; l.body != "" {
			return item.MatchString(l.body), l.indent
		}
	}
	return false, 0
}

// context returns the lead-ins and the label before the item that begins here.
func (r *reader) context() string {
	all := ""
	for _, l := range r.leads {
		all = joinContext(all, l.text)
	}
	return all
}

func joinContext(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}

// withoutMarks removes citations from the end of a text.
func withoutMarks(s string) string {
	for {
		t := strings.TrimRight(s, " \t*_”\"")
		at := strings.LastIndexAny(t, "[(")
		if at < 0 || len(t)-at > 80 {
			return t
		}
		if loc := markForm.FindStringIndex(t[at:]); loc == nil || loc[0] != 0 || loc[1] != len(t)-at {
			return t
		}
		s = t[:at]
	}
}

// lastSentence returns the text after the last full stop.
func lastSentence(s string) string {
	for _, end := range []string{". ", "? ", "! "} {
		if at := strings.LastIndex(s, end); at >= 0 {
			s = s[at+len(end):]
		}
	}
	return s
}
