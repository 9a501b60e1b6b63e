package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/assay/internal/disk"
	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// Group adds verbs to a command that does nothing itself.
func Group(cmd *cobra.Command, verbs ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(verbs...)
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return Usagef("%s needs a verb: %s", cmd.CommandPath(), strings.Join(verbNames(cmd), ", "))
		}
		return UnknownVerb(cmd, args)
	}
	cmd.RunE = func(*cobra.Command, []string) error { return nil } // never called: Args always refuses
	return cmd
}

func verbNames(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// UnknownVerb is the usage error for an unknown verb. It names the nearest verb.
func UnknownVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	names := verbNames(cmd)
	return Usagef("unknown verb %q%s; %s knows: %s", args[0], text.DidYouMean(args[0], names), cmd.CommandPath(), strings.Join(names, ", "))
}

// choices is the annotation that lists the values of a flag.
const choices = "choices"

// Choices sets the values that a flag takes, so that a shell completes them.
func Choices(flags *pflag.FlagSet, name string, values ...string) {
	flags.Lookup(name).Annotations = map[string][]string{choices: values}
}

// ChoicesOf returns the values of a flag, nil when they are not fixed.
func ChoicesOf(f *pflag.Flag) []string { return f.Annotations[choices] }

// Exactly refuses any number of arguments except n; want describes them.
func Exactly(n int, want string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return Usagef("%s wants %s; it got %d arguments: see agent help %s", cmd.CommandPath(), want, len(args), strings.TrimPrefix(cmd.CommandPath(), "agent "))
		}
		return nil
	}
}

// Named refuses a flag that was given an empty file name.
func Named(cmd *cobra.Command, flags ...string) error {
	for _, name := range flags {
		if cmd.Flags().Changed(name) && cmd.Flags().Lookup(name).Value.String() == "" {
			return Usagef("--%s is empty: name a file", name)
		}
	}
	return nil
}

// Day refuses a flag that was given something else than a day, a month or a year.
func Day(cmd *cobra.Command, flag string) error {
	f := cmd.Flags().Lookup(flag)
	if !f.Changed {
		return nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01", "2006"} {
		if _, err := time.Parse(layout, f.Value.String()); err == nil {
			return nil
		}
	}
	return Usagef("--%s is %q: give a date such as 2024-06-30, 2024-06 or 2024", flag, f.Value)
}

// FlagError makes the usage error for a wrong flag. It names the nearest known flag.
func FlagError(cmd *cobra.Command, err error) error {
	hint := fmt.Sprintf("see: agent help %s", strings.TrimPrefix(cmd.CommandPath(), "agent "))
	if cmd == cmd.Root() {
		hint = "see: agent help"
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || unknown.GetSpecifiedShortnames() != "" {
		return Usagef("%w of %s; %s", err, cmd.CommandPath(), hint)
	}
	name, guess := unknown.GetSpecifiedName(), ""
	if best := nearestFlag(cmd, name); best != "" {
		guess = fmt.Sprintf("did you mean --%s? ", best)
	}
	return Usagef("unknown flag --%s of %s; %s%s", name, cmd.CommandPath(), guess, hint)
}

// nearestFlag returns the flag that was probably meant, or "". It also finds a flag when one
// of its words was left out.
func nearestFlag(cmd *cobra.Command, name string) string {
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if best := text.Nearest(name, known); best != "" {
		return best
	}
	for _, k := range known {
		if text.Nearest(name, strings.Split(k, "-")) != "" {
			return k
		}
	}
	return ""
}

// EndOf is the end of a run that could not begin because of err. Wrong usage counts as a rejected
// input.
func EndOf(err error) state.End {
	if _, ok := errors.AsType[UsageError](err); ok {
		return state.End{Status: state.StatusRejected, Error: err.Error()}
	}
	return state.Outcome{Err: err}.End()
}

// An EndError is an error of a run that says how the run ended.
type EndError struct {
	End state.End
	err error // of the run; nil when the run only lost model calls
}

func (e EndError) Error() string {
	words := e.End.Words()
	if e.err != nil && !strings.Contains(words, strings.TrimSuffix(e.err.Error(), ".")) {
		return strings.TrimSuffix(e.err.Error(), ".") + ". " + words
	}
	return words
}

func (e EndError) Unwrap() error { return e.err }

// Told returns the error of a verb that has printed its answer: nil for an answer, an exit code
// when the answer explains its end, and an error when the run could not search.
func Told(end state.End, runErr error) error {
	_, usage := errors.AsType[UsageError](runErr)
	switch {
	case usage || runErr != nil && end.Status == state.StatusFailed:
		return runErr
	case runErr != nil || end.Status == state.StatusUnavailable:
		return EndError{end, runErr}
	case end.Status == state.StatusAnswered:
		return nil
	}
	return Silent(end.Status.ExitCode())
}

// WriteFile replaces a file atomically, and makes its directory if needed.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Chmod(perm), tmp.Close())
	if err == nil {
		err = disk.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}
