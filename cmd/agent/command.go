package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// group makes a command that only holds others.
func group(cmd *cobra.Command, verbs ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(verbs...)
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("%s needs a verb: %s", cmd.CommandPath(), strings.Join(verbNames(cmd), ", "))
		}
		return unknownVerb(cmd, args)
	}
	cmd.RunE = func(*cobra.Command, []string) error { return nil } // Args has refused
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

func unknownVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	names := verbNames(cmd)
	return usagef("unknown verb %q%s; %s knows: %s", args[0], didYouMean(args[0], names), cmd.CommandPath(), strings.Join(names, ", "))
}

// exactly refuses a wrong number of arguments and says which are wanted.
func exactly(n int, want string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("%s wants %s; it got %d arguments: see agent help %s", cmd.CommandPath(), want, len(args), strings.TrimPrefix(cmd.CommandPath(), "agent "))
		}
		return nil
	}
}

// named refuses flags that were given without a file.
func named(cmd *cobra.Command, flags ...string) error {
	for _, name := range flags {
		if cmd.Flags().Changed(name) && cmd.Flags().Lookup(name).Value.String() == "" {
			return usagef("--%s is empty: name a file", name)
		}
	}
	return nil
}

// flagError names the nearest known flag, or what is wrong with a value.
func flagError(cmd *cobra.Command, err error) error {
	hint := fmt.Sprintf("see: agent help %s", strings.TrimPrefix(cmd.CommandPath(), "agent "))
	if cmd == cmd.Root() {
		hint = "see: agent help"
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || unknown.GetSpecifiedShortnames() != "" {
		return usagef("%w of %s; %s", err, cmd.CommandPath(), hint)
	}
	name, guess := unknown.GetSpecifiedName(), ""
	if best := nearestFlag(cmd, name); best != "" {
		guess = fmt.Sprintf("did you mean --%s? ", best)
	}
	return usagef("unknown flag --%s of %s; %s%s", name, cmd.CommandPath(), guess, hint)
}

// nearestFlag returns the flag that a mistyped one was probably meant to be,
// also when a word of it was left out, or "".
func nearestFlag(cmd *cobra.Command, name string) string {
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if best := nearest(name, known); best != "" {
		return best
	}
	for _, k := range known {
		if nearest(name, strings.Split(k, "-")) != "" {
			return k
		}
	}
	return ""
}
