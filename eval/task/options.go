package task

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/assay/memory/text"
)

// Options are a task's options with their checks.
type Options struct {
	*flag.FlagSet
	needs, checks []func(given func(name string) bool) error
	operand       *string // nil for none
	wanted        string  // description of the operand
}

// NewOptions returns an empty set of options for the task with this name.
func NewOptions(name string) *Options {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	return &Options{FlagSet: set}
}

// A UsageError reports options that are wrong or contradict each other.
type UsageError struct{ error }

func (e *UsageError) Unwrap() error { return e.error }

// Usagef returns a *UsageError.
func Usagef(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// Refuse adds a check, which may ask whether an option was given. Checks run in the order in which
// they were added, after the checks of required options.
func (o *Options) Refuse(check func(given func(name string) bool) error) {
	o.checks = append(o.checks, check)
}

// Check runs the checks and returns the first error.
func (o *Options) Check(given func(name string) bool) error {
	for _, check := range slices.Concat(o.needs, o.checks) {
		if err := check(given); err != nil {
			return err
		}
	}
	return nil
}

// Parse parses and checks a command line.
func (o *Options) Parse(args []string) error {
	if err := o.FlagSet.Parse(args); err != nil {
		return err
	}
	if err := o.Take(o.Args()); err != nil {
		return err
	}
	given := map[string]bool{}
	o.Visit(func(f *flag.Flag) { given[f.Name] = true })
	return o.Check(func(name string) bool { return given[name] })
}

// Operand makes a task take one argument, such as "the folder of the papers".
func (o *Options) Operand(value *string, what string) { o.operand, o.wanted = value, what }

// Operands returns the number of arguments of a task, and their description.
func (o *Options) Operands() (n int, what string) {
	if o.operand == nil {
		return 0, "no argument"
	}
	return 1, o.wanted
}

// Take sets the arguments that are not options.
func (o *Options) Take(args []string) error {
	n, what := o.Operands()
	if len(args) != n {
		return Usagef("agent eval %s wants %s; it got %d arguments", o.Name(), what, len(args))
	}
	if n > 0 {
		*o.operand = args[0]
	}
	return nil
}

// Need adds an option that must be given.
func (o *Options) Need(value *string, name, usage string) {
	o.StringVar(value, name, "", usage)
	o.needs = append(o.needs, func(func(string) bool) error {
		if *value == "" {
			return Usagef("--%s is missing; see: agent help eval %s", name, o.Name())
		}
		return nil
	})
}

// OneOf adds an option that takes one of the known values; without a default it is optional.
func (o *Options) OneOf(value *string, name, standard, usage string, known ...string) {
	o.StringVar(value, name, standard, usage)
	o.Refuse(func(func(string) bool) error {
		if *value == "" && standard == "" {
			return nil
		}
		return oneOf(name+" is", *value, known)
	})
}

// Format adds the option format, which must be given.
func (o *Options) Format(value *string, usage string, known []string) {
	o.Need(value, "format", "`FORMAT` of the "+usage+": "+strings.Join(known, ", "))
	o.Refuse(func(func(string) bool) error { return oneOf("format is", *value, known) })
}

func oneOf(what, value string, known []string) error {
	if slices.Contains(known, value) {
		return nil
	}
	return Usagef("--%s %q%s; known: %s", what, value, text.DidYouMean(value, known), strings.Join(known, ", "))
}

// List adds an option that takes several known values, separated by commas.
func (o *Options) List(values *[]string, name, usage string, known []string) {
	o.Var((*list)(values), name, usage)
	o.Refuse(func(func(string) bool) error {
		for _, v := range *values {
			if err := oneOf(name+" has", v, known); err != nil {
				return err
			}
		}
		if len(*values) == 0 {
			return Usagef("--%s is empty; known: %s", name, strings.Join(known, ", "))
		}
		return nil
	})
}

type list []string

func (l *list) String() string { return "[" + strings.Join(*l, ",") + "]" }

func (l *list) Set(text string) error {
	*l = nil
	if text != "" {
		*l = strings.Split(text, ",")
	}
	return nil
}

// Limit adds the option limit, which bounds the items that are worked on. The words are for its help,
// such as "judge", "item", "items".
func (o *Options) Limit(value *int, verb, one, many string) {
	o.IntVar(value, "limit", 0, verb+" only the first `N` "+many)
	o.Refuse(func(given func(string) bool) error {
		if *value < 0 || *value == 0 && given("limit") {
			return Usagef("--%s is %d: it must be at least 1; leave it out to %s every %s", "limit", *value, verb, one)
		}
		return nil
	})
}

// Within adds an integer option with a range; NoMost means no upper bound.
func (o *Options) Within(value *int, name string, standard, least, most int, usage string) {
	o.IntVar(value, name, standard, usage)
	o.Refuse(func(func(string) bool) error {
		switch {
		case *value >= least && *value <= most:
			return nil
		case most == NoMost:
			return Usagef("--%s is %d: it must be at least %d", name, *value, least)
		}
		return Usagef("--%s is %d: it must be from %d to %d", name, *value, least, most)
	})
}

// NoMost is the upper bound of an unbounded range.
const NoMost = int(^uint(0) >> 1)
