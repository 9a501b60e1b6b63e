package ask

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/state"
)

// SourceNumbered finds the source that an answer cites as [Source N] for "N", or as
// [Query Q][Source N] for "Q.N".
func SourceNumbered(sources []state.Source, number string) (state.Source, error) {
	query, n, both := strings.Cut(number, ".")
	if !both {
		query, n = "", number
	}
	var found []state.Source
	var known []string
	for _, s := range sources {
		known = append(known, fmt.Sprintf("%d.%d", s.Query, s.Source))
		if strconv.Itoa(s.Source) == n && (!both || strconv.Itoa(s.Query) == query) {
			found = append(found, s)
		}
	}
	switch {
	case len(sources) == 0:
		return state.Source{}, cli.Usagef("there is no source to open: the answer cites none")
	case len(found) == 0:
		return state.Source{}, cli.Usagef("the answer cites no source %q; known: %s", number, strings.Join(known, ", "))
	case len(found) > 1:
		return state.Source{}, cli.Usagef("several queries cite a source %s; say which: %s", number, strings.Join(known, ", "))
	}
	return found[0], nil
}

// atLine are programs that take the line to begin at as "+12".
var atLine = []string{"less", "more", "most", "vi", "vim", "nvim", "view", "nano", "emacs", "micro", "joe", "ed"}

// atPage are programs of Linux desktops that open a PDF at a page, in the order in which
// they are tried.
var atPage = []string{"evince --page-label={page} {file}", "okular -p {page} {file}", "zathura -P {page} {file}", "mupdf {file} {page}"}

// OpenSource shows a source to a person: a text at its line in the pager or editor, any other
// file in the viewer, a PDF at its page if the viewer can. Without a program or a display it
// prints where the source is.
func OpenSource(ctx context.Context, a *cli.App, s state.Source) error {
	line, file, at := s.Line, cmp.Or(s.Original, s.Path), s.Start
	if len(s.Quotes) > 0 {
		at = s.Quotes[0].Start
	}
	if data, err := os.ReadFile(s.Path); err == nil && at <= len(data) {
		line = 1 + bytes.Count(data[:at], []byte("\n"))
	}
	ways := [][]string{reading(a, s.Path, line), viewing(a, file, s.Page)}
	isText := s.Original == "" && !slices.Contains([]string{".html", ".htm", ".pdf"}, strings.ToLower(filepath.Ext(s.Path)))
	if !isText {
		slices.Reverse(ways)
	}
	for _, words := range ways {
		if words == nil {
			continue
		}
		cmd := exec.CommandContext(ctx, words[0], words[1:]...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = a.Stdin, a.Stdout.To, a.Stderr.To
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("opening %s with %s: %w", file, words[0], err)
		}
		return nil
	}
	switch {
	case isText && line > 0:
		fmt.Fprintf(a.Stdout, "%s, line %d\n", file, line)
	case s.Page > 0:
		fmt.Fprintf(a.Stdout, "%s, page %d\n", file, s.Page)
	default:
		fmt.Fprintln(a.Stdout, file)
	}
	return nil
}

// reading is the command that shows a text, or the text extracted from a file, at a line; nil
// without a program.
func reading(a *cli.App, path string, line int) []string {
	for _, name := range []string{"PAGER", "VISUAL", "EDITOR"} {
		if words := strings.Fields(a.Env.Get(name)); len(words) > 0 && has(words[0]) {
			if slices.Contains(atLine, filepath.Base(words[0])) && line > 0 {
				words = append(words, fmt.Sprintf("+%d", line))
			}
			return append(words, path)
		}
	}
	return nil
}

// viewing is the command that opens a file, at a page if it is above 0; nil without a program or
// a display.
func viewing(a *cli.App, file string, page int) []string {
	if viewer := a.Env.Get(cli.EnvViewer); viewer != "" {
		return filled(viewer, file, max(page, 1))
	}
	words := a.Opener()
	if words == nil {
		return nil
	}
	for _, viewer := range atPage {
		if command := filled(viewer, file, page); words[0] == "xdg-open" && page > 0 && strings.EqualFold(filepath.Ext(file), ".pdf") && has(command[0]) {
			return command
		}
	}
	if !has(words[0]) {
		return nil
	}
	return append(words, file)
}

// filled is a command with the file and the page filled in. Without {file} the file comes last.
func filled(command, file string, page int) []string {
	words, placed := strings.Fields(command), false
	for i, w := range words {
		placed = placed || strings.Contains(w, "{file}")
		words[i] = strings.NewReplacer("{file}", file, "{page}", strconv.Itoa(page)).Replace(w)
	}
	if !placed {
		words = append(words, file)
	}
	return words
}

func has(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}
