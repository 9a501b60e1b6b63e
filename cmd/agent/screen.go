package main

import (
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// A screen is an output stream and what is known of it. Its first write error
// is kept: printing goes on as if nothing were, and the program's end tells.
type screen struct {
	to     io.Writer
	tty    bool
	colour bool
	width  int // columns; 0 when it is no terminal

	mu  sync.Mutex // a model that waits tells so while the run is shown
	err error
}

// newScreen looks at a stream. Colour needs a terminal that is not "dumb" and
// the variable NO_COLOR unset or empty (https://no-color.org).
func newScreen(w io.Writer, env environment) *screen {
	s := &screen{to: w}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return s
	}
	s.tty = true
	s.colour = env.get("NO_COLOR") == "" && env.get("TERM") != "dumb"
	s.width = 80
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		s.width = width
	}
	return s
}

// Write reports success always; see err.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		_, s.err = s.to.Write(p)
	}
	return len(p), nil
}

// isTerminal reports whether a person types into r.
func isTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
