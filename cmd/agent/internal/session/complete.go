package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/peterh/liner"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/memory"
)

// complete lists the lines that a line may become: commands, then their arguments. Names
// that cannot be read are left out, since a key must not fail.
func (s *session) complete(ctx context.Context, line string) []string {
	if !strings.HasPrefix(line, "/") {
		return nil
	}
	var all []string
	switch name, _, named := strings.Cut(line[1:], " "); {
	case !named:
		for _, c := range allCommands() {
			if c.args != "" {
				c.name += " "
			}
			all = append(all, c.name)
		}
	case name == "corpus":
		names, _ := memory.Names(s.Home) // without them nothing is completed
		for _, n := range names {
			all = append(all, "corpus "+n)
		}
	case name == "model":
		for _, m := range config.ModelNames(s.App) {
			all = append(all, "model "+m)
		}
	case name == "thread":
		all = append(all, "thread off")
		for _, t := range s.threads(ctx) {
			all = append(all, "thread "+t)
		}
	case name == "verify":
		all = []string{"verify on", "verify off", "verify claims", "verify brief"}
	case name == "trace":
		all = []string{"trace on ", "trace off", "trace show"}
	}
	var out []string
	for _, c := range all {
		if strings.HasPrefix("/"+c, line) {
			out = append(out, "/"+c)
		}
	}
	return out
}

// threads are the names of saved conversations, as far as they can be read in two seconds.
func (s *session) threads(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	saved := open.NewStore(s.Settings)
	defer saved.Close()
	if has, err := saved.Has(open.ThreadsFile(s.Home)); err != nil || !has {
		return nil
	}
	saver, err := saved.Threads(ctx)
	if err != nil {
		return nil
	}
	var out []string
	for t, err := range saver.Threads(ctx) {
		if err != nil {
			break
		}
		out = append(out, t.ID)
	}
	if saver.Close() != nil {
		return nil
	}
	return out
}

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

// EachLine does something with each line that a person types or a pipe brings, until
// the end of the input. An error of one line is a warning, and from a pipe makes the
// exit code that of a failure. Ctrl-C ends the context of one line; see [interrupts].
func EachLine(ctx context.Context, a *cli.App, home string, do func(ctx context.Context, line string) error) (err error) {
	lines := newLineReader(a, filepath.Join(home, "history"), nil)
	defer func() { err = cli.Also(err, lines.close()) }()
	failed, err := eachLine(ctx, a, lines, func(ctx context.Context, line string) (bool, error) { return false, do(ctx, line) })
	if err == nil && failed && !interactive(a) {
		return cli.Silent(cli.ExitFailed)
	}
	return err
}

// interactive reports whether a person types and reads.
func interactive(a *cli.App) bool { return cli.IsTerminal(a.Stdin) && a.Stdout.TTY }

// twice is the time within which a second Ctrl-C leaves.
const twice = 2 * time.Second

// errLeft is the cause with which a second Ctrl-C at the prompt ends a session.
var errLeft = errors.New("left with Ctrl-C")

// interrupts decide what Ctrl-C means. The first one gives up the line or the running
// question. A second one within two seconds, or at a prompt where nothing was typed since
// the first, leaves.
type interrupts struct {
	a     *cli.App
	leave context.CancelCauseFunc // the session
	drop  func()                  // what is begun of a line

	mu   sync.Mutex
	last time.Time
	stop context.CancelCauseFunc // the running question; nil at the prompt
}

// again reports whether this is the second of two.
func (i *interrupts) again() bool {
	now := i.a.Now()
	second := !i.last.IsZero() && now.Sub(i.last) <= twice
	i.last = now
	return second
}

// signal takes a Ctrl-C that arrives as a signal: while a question runs, or while the
// terminal edits the lines itself.
func (i *interrupts) signal() {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch again := i.again(); {
	case again && i.stop == nil:
		i.leave(errLeft)
	case again:
		i.leave(cli.ErrInterrupted)
	case i.stop != nil:
		i.stop(cli.ErrInterrupted)
	default:
		i.drop()
		fmt.Fprintln(i.a.Stdout) // after the ^C that the terminal shows
		i.hint()
		fmt.Fprint(i.a.Stdout, prompt)
	}
}

// key takes a Ctrl-C that discarded the line of an editor, and reports whether to leave.
func (i *interrupts) key(untouched bool) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	untouched = untouched && !i.last.IsZero()
	if i.again() || untouched {
		return true
	}
	i.hint()
	return false
}

func (i *interrupts) hint() {
	fmt.Fprintln(i.a.Stdout, "Ctrl-C once more, or Ctrl-D, ends the session")
}

// running says which question a signal stops; nil for none. A Ctrl-C before the question
// no longer counts.
func (i *interrupts) running(stop context.CancelCauseFunc) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.stop = stop; stop != nil {
		i.last = time.Time{}
	}
}

// eachLine reports whether a line failed. Its error ends the input.
func eachLine(ctx context.Context, a *cli.App, lines lineReader, do func(ctx context.Context, line string) (quit bool, err error)) (failed bool, _ error) {
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	in := &interrupts{a: a, leave: leave, drop: lines.drop}
	if interactive(a) {
		signal := in.signal
		a.OnSignal.Store(&signal)
		defer a.OnSignal.Store(nil)
	}
	for {
		line, err := awaitLine(ctx, lines)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, errLeft):
			if interactive(a) {
				fmt.Fprintln(a.Stdout)
			}
			return failed, nil
		case errors.Is(err, errAborted):
			if in.key(lines.untouched()) {
				return failed, nil
			}
			continue
		case err != nil:
			return failed, err
		}
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		lines.remember(line)
		a.Stdout.Measure()
		one, stop := context.WithCancelCause(ctx)
		in.running(stop)
		quit, err := do(one, line)
		in.running(nil)
		stop(nil)
		if ctx.Err() != nil {
			return failed, context.Cause(ctx)
		}
		if err != nil {
			failed = true
			a.Warn("%v", err)
		}
		if quit {
			return failed, nil
		}
	}
}
