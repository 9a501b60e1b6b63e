package cli

import (
	"io"
	"os"
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

	mu  sync.Mutex // a waiting model reports that while the run is shown
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

// Measure takes over the terminal's width, which changes when a window does.
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

// Write makes control characters harmless. On a terminal it lets through what the program itself
// writes, colours, links and the erasing of a line, and cannot know who wrote them: foreign text
// goes through [Visible] before. It always reports success; see err.
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
