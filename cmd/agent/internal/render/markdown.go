package render

import (
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/memory/text/pattern"
)

// Options say where the text goes. The zero value is plain text.
type Options struct {
	Width  int  // columns at which lines wrap; 0 keeps lines as they are
	Colour bool // use escape sequences
}

var (
	headingLine = pattern.New(`^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$`)
	listLine    = pattern.New(`^([ \t]*)([-*+]|\d{1,9}[.)])[ \t]+(.*)$`)
	ruleLine    = pattern.New(`^ {0,3}(?:-[ \t]*){3,}$|^ {0,3}(?:\*[ \t]*){3,}$|^ {0,3}(?:_[ \t]*){3,}$`)
	fenceLine   = pattern.New("^ {0,3}(```+|~~~+)")
)

// Markdown lays out src. The result ends with one line feed, unless it is empty. Without Colour it
// has no escape sequence, whatever src has.
func Markdown(src string, o Options) string {
	p := page{Options: o}
	lines := strings.Split(Visible(src), "\n")
	for i := 0; i < len(lines); {
		i += p.block(lines[i:])
	}
	return p.out.String()
}

// Visible is [cli.Visible].
func Visible(s string) string { return cli.Visible(s) }

// A page collects the text that was laid out.
type page struct {
	Options
	out strings.Builder
	gap bool // a blank line is due before the next block
}

// block lays out the first block of lines and returns the number of its lines.
func (p *page) block(lines []string) int {
	line := lines[0]
	if strings.TrimSpace(line) == "" {
		p.gap = p.out.Len() > 0
		return 1
	}
	if m := headingLine.FindStringSubmatch(line); m != nil && m[2] != "" {
		p.heading(len(m[1]), m[2])
		return 1
	}
	if ruleLine.MatchString(line) {
		p.separate()
		p.out.WriteString(strings.Repeat("─", min(max(p.Width, 24), 40)) + "\n")
		return 1
	}
	if m := fenceLine.FindStringSubmatch(line); m != nil {
		return p.code(lines, m[1])
	}
	first, rest := "", ""
	text := strings.TrimLeft(line, " \t")
	if m := listLine.FindStringSubmatch(line); m != nil {
		bullet := m[2]
		if strings.Contains("-*+", bullet) {
			bullet = "•"
		}
		indent := strings.Repeat(" ", min(runewidth.StringWidth(strings.ReplaceAll(m[1], "\t", "    ")), 12))
		first = indent + bullet + " "
		rest = indent + strings.Repeat(" ", runewidth.StringWidth(bullet)+1)
		text = m[3]
	} else if after, ok := strings.CutPrefix(text, ">"); ok {
		first, rest, text = "│ ", "│ ", strings.TrimPrefix(after, " ")
	}
	taken := 1
	for taken < len(lines) && p.continues(lines[taken]) {
		next := strings.TrimSpace(lines[taken])
		if strings.HasSuffix(text, "\\") { // after a hard break the line keeps its indentation inside the item
			next = strings.TrimPrefix(strings.TrimRight(lines[taken], " \t"), rest)
		}
		if rest == "│ " {
			next = strings.TrimSpace(strings.TrimPrefix(next, ">"))
		}
		text += "\n" + next
		taken++
	}
	p.separate()
	p.paragraph(text, first, rest, normal)
	return taken
}

// continues reports whether a line belongs to the block before it.
func (p *page) continues(line string) bool {
	return strings.TrimSpace(line) != "" && !headingLine.MatchString(line) && !listLine.MatchString(line) &&
		!ruleLine.MatchString(line) && !fenceLine.MatchString(line)
}

// heading lays out a heading. In plain text the first three levels are underlined, the third with
// another character, so that a reader can tell them apart.
func (p *page) heading(level int, text string) {
	p.gap = p.out.Len() > 0
	p.separate()
	look := heading
	if level > 3 {
		look = bold
	}
	p.paragraph(text, "", "", look)
	if !p.Colour && level <= 3 {
		line := "-"
		if level <= 2 {
			line = "="
		}
		p.out.WriteString(strings.Repeat(line, max(runewidth.StringWidth(plain(inline(text, normal))), 1)) + "\n")
	}
	p.gap = false
}

// code copies fenced lines, indented, up to the closing fence.
func (p *page) code(lines []string, fence string) int {
	p.separate()
	for i, line := range lines[1:] {
		if strings.HasPrefix(strings.TrimLeft(line, " "), fence) {
			return i + 2
		}
		p.out.WriteString("    " + line + "\n")
	}
	return len(lines)
}

func (p *page) separate() {
	if p.gap {
		p.out.WriteByte('\n')
	}
	p.gap = false
}

// paragraph lays out text. Its first line begins with first, the others with rest.
func (p *page) paragraph(text, first, rest string, base style) {
	room := 0
	if p.Width > 0 {
		room = max(p.Width-runewidth.StringWidth(rest), 20)
	}
	words := inline(text, base)
	for begin := 0; begin < len(words); {
		end := fit(words[begin:], room) + begin
		p.out.WriteString(first + strings.Repeat(" ", words[begin].in))
		p.words(words[begin:end])
		p.out.WriteByte('\n')
		first, begin = rest, end
	}
}

// fit returns the number of words for one line, at least one. It never breaks between glued words,
// and always breaks at a hard line break. With a room of 0 it breaks where the source does.
func fit(words []word, room int) int {
	if next := slices.IndexFunc(words[1:], func(w word) bool { return w.hard || w.line && room <= 0 }); next >= 0 {
		words = words[:next+1]
	}
	if room <= 0 {
		return len(words)
	}
	used, last := 0, 0 // last is where the line may end
	for i, w := range words {
		if i > 0 && !w.glued {
			last = i
			used++
		}
		used += runewidth.StringWidth(w.text)
		if used > room && last > 0 {
			return last
		}
	}
	return len(words)
}

func (p *page) words(words []word) {
	look := normal
	for i, w := range words {
		change := p.Colour && w.style != look
		if change && look != normal {
			p.out.WriteString(reset)
		}
		if i > 0 && !w.glued {
			p.out.WriteByte(' ')
		}
		if change {
			p.out.WriteString(codes[w.style])
			look = w.style
		}
		p.out.WriteString(w.text)
	}
	if look != normal {
		p.out.WriteString(reset)
	}
}

// plain joins words without their styles.
func plain(words []word) string {
	p := page{}
	p.words(words)
	return p.out.String()
}

// A style is how a word looks.
type style uint8

const (
	normal style = iota
	bold
	quoted
	mark
	heading
)

// codes are the escape sequences that begin a style (ECMA-48, SGR).
var codes = [...]string{normal: "", bold: "\x1b[1m", quoted: "\x1b[32m", mark: "\x1b[36m", heading: "\x1b[1;4m"}

const reset = "\x1b[0m"

// A word is printed whole.
type word struct {
	text  string
	style style
	gap
}

// A gap is the space before a word, unless the word is glued to the one before.
type gap struct {
	glued bool
	line  bool // the source has a line break there
	hard  bool // a line break after a backslash, which stays at any width
	in    int  // indentation of the line after such a break, in columns
}

// sourceMark matches a citation in an answer.
var sourceMark = pattern.New(`^(?:\[Query \d+\])?\[Source \d+\]`)

// inline splits the text of a block into styled words. base is the default style.
func inline(text string, base style) []word {
	s := scanner{base: base, gap: gap{glued: true}}
	for i := 0; i < len(text); {
		rest := text[i:]
		switch {
		case s.depth == 0 && strings.HasPrefix(rest, "**") && (s.bold || boldOpens(rest)):
			s.flush()
			s.bold = !s.bold
			i += 2
			continue
		case s.depth == 0 && sourceMark.MatchString(rest):
			m := sourceMark.FindString(rest)
			s.flush()
			for _, part := range strings.Fields(m) { // "[Source 2]" has a space in it
				s.add(part, mark)
				s.gap = gap{}
			}
			s.glued = true
			i += len(m)
			continue
		case strings.HasPrefix(rest, "\\\n"):
			s.flush()
			i += len("\\\n")
			s.gap = gap{line: true, hard: true, in: len(text[i:]) - len(strings.TrimLeft(text[i:], " "))}
			continue
		case rest[0] == ' ' || rest[0] == '\n' || rest[0] == '\t':
			s.flush()
			s.glued = false
			s.line = s.line || rest[0] == '\n' && len(s.words) > 0
			i++
			continue
		case strings.HasPrefix(rest, "“"):
			if s.depth == 0 {
				s.flush()
			}
			s.depth++
			s.part.WriteString("“")
			i += len("“")
			continue
		case strings.HasPrefix(rest, "”") && s.depth > 0:
			s.part.WriteString("”")
			if s.depth == 1 {
				s.flush()
			}
			s.depth--
			i += len("”")
			continue
		}
		s.part.WriteByte(rest[0])
		i++
	}
	s.flush()
	return s.words
}

// boldOpens reports whether the ** at the start of rest begins bold text: a word follows, and
// another ** closes it.
func boldOpens(rest string) bool {
	inner := rest[2:]
	return inner != "" && !strings.ContainsAny(inner[:1], " \n\t*") && strings.Contains(inner, "**")
}

// A scanner is the state of inline.
type scanner struct {
	base  style
	words []word
	part  strings.Builder // the word being read
	gap                   // before the next word
	bold  bool
	depth int // of quotation marks
}

func (s *scanner) flush() {
	if s.part.Len() == 0 {
		return
	}
	look := s.base
	switch {
	case s.depth > 0:
		look = quoted
	case s.bold && s.base == normal:
		look = bold
	}
	s.add(s.part.String(), look)
	s.part.Reset()
	s.gap = gap{glued: true}
}

func (s *scanner) add(text string, look style) {
	s.glued = s.glued && len(s.words) > 0
	s.words = append(s.words, word{text, look, s.gap})
}
