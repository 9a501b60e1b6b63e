package cli

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// A Screen is an output stream with its properties. It keeps its first write error for
// [App.Finish], and printing continues.
type Screen struct {
	To     io.Writer
	TTY    bool
	Live   bool // a terminal whose lines may be redrawn
	Colour bool
	Width  int // columns when it was last measured; 0 when it is not a terminal

	mu  sync.Mutex // a model that waits writes a note while another goroutine shows the run
	err error
}

// NewScreen inspects a stream. Redrawing needs a terminal that is not "dumb"; colour also
// needs NO_COLOR unset or empty (https://no-color.org).
func NewScreen(w io.Writer, env Environment) *Screen {
	s := &Screen{To: w}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return s
	}
	s.TTY = true
	s.Live = env.Get("TERM") != "dumb"
	s.Colour = s.Live && env.Get("NO_COLOR") == ""
	s.Width = 80
	s.Measure()
	return s
}

// Measure reads the terminal's width again: it changes with the window.
func (s *Screen) Measure() {
	if f, ok := s.To.(*os.File); ok && s.TTY {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			s.Width = width
		}
	}
}

// Plain leaves only text and line feeds: no colour, and no line is redrawn.
func (s *Screen) Plain() { s.Live, s.Colour = false, false }

// Visible replaces characters that could control a terminal or mislead a reader: control
// characters except line feeds and tabs, characters that change the direction of text, and
// invalid bytes.
func Visible(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return '�'
		}
		return r
	}, s)
}

// Write makes control characters harmless. On a terminal it keeps the sequences that the program
// itself writes: colours, links and the erasing of a line. It cannot know who wrote them, so
// foreign text must go through [Visible] first. It always reports success; see err.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		_, s.err = s.To.Write(harmless(p, s.TTY || s.Live || s.Colour))
	}
	return len(p), nil
}

// IsTerminal reports whether a person types into r.
func IsTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// own matches the escape sequences that the program itself writes to a terminal: colours, the
// clearing of a line, bracketed paste, links.
var own = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^\x1b(?:\\[[0-9;]*[mK]|\\[\\?2004[hl]|\\]8;;[^\x00-\x1f\x7f]*\x1b\\\\)")
})

// harmless replaces control characters, those of eight bits too, by U+FFFD. It keeps line feeds
// and tabs and, on a terminal, carriage returns and the program's own sequences.
func harmless(p []byte, terminal bool) []byte {
	clean := true
	for i, c := range p {
		if c < ' ' && c != '\n' && c != '\t' || c == 0x7f || c == 0xc2 && i+1 < len(p) && p[i+1] < 0xa0 {
			clean = false
			break
		}
	}
	if clean {
		return p
	}
	var out bytes.Buffer
	for i := 0; i < len(p); i++ {
		c := p[i]
		switch {
		case c == '\n' || c == '\t' || c == '\r' && (terminal || i+1 < len(p) && p[i+1] == '\n'):
			if c != '\r' || terminal {
				out.WriteByte(c)
			}
		case c == '\x1b' && terminal:
			if seq := own().Find(p[i:]); seq != nil {
				out.Write(seq)
				i += len(seq) - 1
				continue
			}
			out.WriteString("\ufffd")
		case c < ' ' || c == 0x7f:
			out.WriteString("\ufffd")
		case c == 0xc2 && i+1 < len(p) && p[i+1] < 0xa0 && p[i+1] >= 0x80:
			out.WriteString("\ufffd")
			i++
		default:
			out.WriteByte(c)
		}
	}
	return out.Bytes()
}

// escaped turns the control characters that the JSON encoder leaves alone, DEL and those of eight
// bits, into escapes. The value stays the same.
func escaped(doc []byte) []byte {
	const hex = "0123456789abcdef"
	var out []byte
	for i := 0; i < len(doc); i++ {
		switch c := doc[i]; {
		case c == 0x7f:
			out = append(out, `\u007f`...)
		case c == 0xc2 && i+1 < len(doc) && doc[i+1] >= 0x80 && doc[i+1] < 0xa0:
			i++
			out = append(out, '\\', 'u', '0', '0', hex[doc[i]>>4], hex[doc[i]&15])
		default:
			out = append(out, c)
		}
	}
	return out
}
