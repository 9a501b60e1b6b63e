package cli

import (
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// A Screen is an output stream with its properties. It keeps its first write error for
// [App.Finish], and printing continues.
type Screen struct {
	To     io.Writer
	TTY    bool
	Colour bool
	Width  int // columns; 0 when it is not a terminal

	mu  sync.Mutex // a waiting model reports that while the run is shown
	err error
}

// NewScreen inspects a stream. Colour needs a terminal that is not "dumb", and NO_COLOR
// unset or empty (https://no-color.org).
func NewScreen(w io.Writer, env Environment) *Screen {
	s := &Screen{To: w}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return s
	}
	s.TTY = true
	s.Colour = env.Get("NO_COLOR") == "" && env.Get("TERM") != "dumb"
	s.Width = 80
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		s.Width = width
	}
	return s
}

// Write always reports success; see err.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		_, s.err = s.To.Write(p)
	}
	return len(p), nil
}

// IsTerminal reports whether a person types into r.
func IsTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
