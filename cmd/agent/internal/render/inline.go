package render

import (
	"strings"

	"example.com/assay/memory/text/pattern"
)

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
	hard  bool // a break that stays at any width: it follows a backslash
	in    int  // columns that the line behind such a break is indented by
}

// sourceMark is a citation as answers write it.
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

// boldOpens reports whether the ** at the start of rest begins bold text: a
// word follows and another ** closes it.
func boldOpens(rest string) bool {
	inner := rest[2:]
	return inner != "" && !strings.ContainsAny(inner[:1], " \n\t*") && strings.Contains(inner, "**")
}

// scanner is the state of inline.
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
