package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Variables that belong to no setting and no provider.
const (
	EnvHome   = "ASSAY_HOME"
	EnvConfig = "ASSAY_CONFIG"
	// EnvViewer holds the command that opens files other than text, such as
	// "evince --page-label={page} {file}". Without {file} the file is its last argument.
	EnvViewer = "ASSAY_VIEWER"
)

// ConfigName is the file name of the configuration.
const ConfigName = "config.yaml"

// An Environment holds a process's variables. If a name is there twice, the last one counts. On
// Windows names are in capitals, since Windows ignores their case.
type Environment map[string]string

// NewEnvironment reads variables of the form NAME=VALUE.
func NewEnvironment(environ []string) Environment {
	env := Environment{}
	for _, pair := range environ {
		if name, value, ok := strings.Cut(pair, "="); ok {
			if runtime.GOOS == "windows" {
				name = strings.ToUpper(name)
			}
			env[name] = value
		}
	}
	return env
}

// Get returns the value of a variable, "" when it is not set.
func (e Environment) Get(name string) string { return e[name] }

// Unknown lists variables with the program's prefix that it does not read.
func (e Environment) Unknown(known []string) []string {
	var out []string
	for name := range e {
		if strings.HasPrefix(name, "ASSAY_") && !slices.Contains(known, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// Home is the directory that holds everything: ASSAY_HOME, else "assay" where the system keeps a
// user's data.
func (e Environment) Home() (string, error) {
	if home := e.Get(EnvHome); home != "" {
		if !filepath.IsAbs(home) {
			return "", Usagef("%s is %q: it must be an absolute path, such as /home/you/assay", EnvHome, home)
		}
		return filepath.Clean(home), nil
	}
	p := placesOf(runtime.GOOS)
	if dir := e.first(p.data); dir != "" {
		return filepath.Join(dir, "assay"), nil
	}
	return "", UsageError{fmt.Errorf("finding a directory for corpora and memory: %s is not an absolute path; set %s to one", p.data[len(p.data)-1].variable, EnvHome)}
}

// Config is the default place of the configuration: in ASSAY_HOME if that is set, else
// "assay" where the system keeps a user's settings.
func (e Environment) Config() (string, error) {
	home, err := e.Home()
	if err != nil {
		return "", err
	}
	if e.Get(EnvHome) == "" {
		if dir := e.first(placesOf(runtime.GOOS).settings); dir != "" {
			return filepath.Join(dir, "assay", ConfigName), nil
		}
	}
	return filepath.Join(home, ConfigName), nil
}

// A place is a folder of the user: the folder that a variable names, or a path below it.
type place struct{ variable, below string }

// places are where a system keeps a user's data and settings; the first that is set counts. XDG's
// variables count on every system. On Windows only some shells set HOME, so with it a user would
// have two homes.
type places struct{ data, settings []place }

func placesOf(goos string) places {
	p := places{data: []place{{"XDG_DATA_HOME", ""}, {"HOME", ".local/share"}}, settings: []place{{"XDG_CONFIG_HOME", ""}, {"HOME", ".config"}}}
	if goos == "windows" {
		p.data[1], p.settings[1] = place{"LOCALAPPDATA", ""}, place{"APPDATA", ""}
	}
	return p
}

// first is the first place whose variable names an absolute path: XDG's rules ignore others.
func (e Environment) first(list []place) string {
	for _, p := range list {
		if dir := e.Get(p.variable); filepath.IsAbs(dir) {
			return filepath.Join(dir, filepath.FromSlash(p.below))
		}
	}
	return ""
}

// MaxQuestion bounds a question, in bytes.
const MaxQuestion = 64 << 10

// StdinName is the name of standard input as a source.
const StdinName = "standard input"

// Question returns the question of a command line.
func (a *App) Question(ctx context.Context, args []string, example string) (string, error) {
	text := strings.Join(args, " ")
	if len(args) == 1 && args[0] == "-" {
		data, err := a.ReadStdin(ctx, MaxQuestion)
		if err != nil {
			return "", err
		}
		text = string(data)
	}
	text = strings.TrimSpace(text)
	return text, CheckQuestion(text, example)
}

// CheckQuestion refuses an empty, too long or invalid question; the error shows example.
func CheckQuestion(text, example string) error {
	switch {
	case text == "":
		return Usagef("the question is empty; ask one: agent %s", example)
	case len(text) > MaxQuestion:
		return Usagef("the question is longer than %d bytes; put long texts into a corpus: agent ingest FILE", MaxQuestion)
	case !utf8.ValidString(text):
		return Usagef("the question is not valid UTF-8 at byte %d; convert it, for example with: iconv -f LATIN1 -t UTF-8", InvalidAt(text))
	}
	return nil
}

// InvalidAt returns the offset of the first byte that is not valid UTF-8.
func InvalidAt(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return i
			}
		}
	}
	return len(s)
}

// ReadStdin reads at most limit+1 bytes: one byte above the limit shows that the input is longer.
// It returns when the run is cancelled, but its read stays blocked: nothing can end that.
func (a *App) ReadStdin(ctx context.Context, limit int64) ([]byte, error) {
	type input struct {
		data []byte
		err  error
	}
	read := make(chan input, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(a.Stdin, limit+1))
		read <- input{data, err}
	}()
	select {
	case in := <-read:
		if in.err != nil {
			return nil, fmt.Errorf("reading standard input: %w", in.err)
		}
		return in.data, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// A TimeoutError is the cause of a context that --timeout cancelled.
type TimeoutError time.Duration

func (e TimeoutError) Error() string {
	return fmt.Sprintf("stopped after %v, as --timeout says", time.Duration(e))
}

func (e TimeoutError) Unwrap() error { return context.DeadlineExceeded }

// Within bounds a question: after d its context ends with a [TimeoutError]. 0 sets no bound.
func Within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, d, TimeoutError(d))
}
