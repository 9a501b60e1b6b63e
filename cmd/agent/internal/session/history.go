package session

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/peterh/liner"

	"example.com/assay/cmd/agent/internal/cli"
)

// A history is the file of the lines that were typed, the oldest first. Line breaks in
// them are marks. A session without a usable file says so once and goes on.
type history struct {
	path  string // empty for a file that cannot be read, and so is not replaced
	typed []string
	warn  func(format string, args ...any)
}

// readHistory returns the lines of earlier sessions.
func readHistory(path string, warn func(format string, args ...any)) (*history, []string) {
	h := &history{path: path, warn: warn}
	lines, damaged, err := h.read()
	switch {
	case err != nil:
		h.path = ""
		warn("reading the history: %v; this session keeps none", err)
	case damaged > 0:
		warn("the history %s is damaged: %s left out", path, cli.Count(damaged, "line"))
	}
	return h, lines
}

// read returns the lines that an editor can show, and the number of others.
func (h *history) read() (lines []string, damaged int, _ error) {
	data, err := os.ReadFile(h.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, err
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case !utf8.ValidString(line) || strings.ContainsFunc(line, unicode.IsControl):
			damaged++
		case line != "":
			lines = append(lines, line)
		}
	}
	return lines[max(len(lines)-liner.HistoryLimit, 0):], damaged, nil
}

// add remembers a line, and returns it as an editor shows it.
func (h *history) add(line string) string {
	line = strings.ReplaceAll(line, "\n", lineMark)
	h.typed = append(h.typed, line)
	return line
}

// save adds the lines of this session to those that the file has by now.
func (h *history) save() {
	if h.path == "" || len(h.typed) == 0 {
		return
	}
	lines, _, err := h.read()
	if err == nil {
		lines = append(lines, h.typed...)
		lines = lines[max(len(lines)-liner.HistoryLimit, 0):]
		err = cli.WriteFile(h.path, []byte(strings.Join(lines, "\n")+"\n"), 0o600)
	}
	if err != nil {
		h.warn("writing the history: %v", err)
	}
}
