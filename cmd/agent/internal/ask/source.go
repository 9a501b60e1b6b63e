package ask

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/state"
)

// SourceNumbered finds the source that an answer cites as [Source N], or as
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

// openers are the programs that open a file as a double click does.
var openers = map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}

// atLine are programs that take the line to begin at as "+12".
var atLine = []string{"less", "more", "most", "vi", "vim", "nvim", "view", "nano", "emacs", "micro", "joe", "ed"}

// OpenSource shows a source to a person: a text at its line in the pager or editor, any
// other file in the system's program for it, which does not jump to the place.
func OpenSource(ctx context.Context, a *cli.App, s state.Source) error {
	line := s.Line
	if data, err := os.ReadFile(s.Path); err == nil && s.Start <= len(data) {
		line = 1 + bytes.Count(data[:s.Start], []byte("\n"))
	}
	read := func() []string { // the text, or what was read of the file
		for _, name := range []string{"PAGER", "VISUAL", "EDITOR"} {
			if words := strings.Fields(a.Env.Get(name)); len(words) > 0 && has(words[0]) {
				if slices.Contains(atLine, filepath.Base(words[0])) && line > 0 {
					words = append(words, fmt.Sprintf("+%d", line))
				}
				return append(words, s.Path)
			}
		}
		return nil
	}
	system := func() []string {
		words := slices.Clone(openers[runtime.GOOS])
		if words == nil {
			words = []string{"xdg-open"}
		}
		if !has(words[0]) {
			return nil
		}
		return append(words, cmp.Or(s.Original, s.Path))
	}
	ways := []func() []string{read, system}
	if s.Original != "" || slices.Contains([]string{".html", ".htm", ".pdf"}, strings.ToLower(filepath.Ext(s.Path))) {
		ways = []func() []string{system, read}
	}
	for _, way := range ways {
		if words := way(); words != nil {
			cmd := exec.CommandContext(ctx, words[0], words[1:]...)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = a.Stdin, a.Stdout.To, a.Stderr.To
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("opening %s with %s: %w", words[len(words)-1], words[0], err)
			}
			return nil
		}
	}
	return fmt.Errorf("there is no program to open %s (its text is %s, line %d): set PAGER or EDITOR, or install xdg-open", cmp.Or(s.Original, s.Path), s.Path, line)
}

func has(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}
