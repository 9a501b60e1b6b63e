package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// rootCommand builds the command tree. It is built once per run: the flags'
// values live in it.
func (a *app) rootCommand() *cobra.Command {
	var flags settingFlags
	root := &cobra.Command{
		Use:   "agent",
		Short: "Answers with citations from your own documents, offline",
		Long: `Agent answers questions from your own documents, only with what it can prove.

Without a verb it starts an interactive session. A question there may refer to
the one before it ("and how do I change it?"), and a paste of several lines is
one question. From a pipe each line is a question; agent ask - takes all of
standard input as one.

Corpora and memory live in the directory ` + envHome + `, by default
$XDG_DATA_HOME/assay or ~/.local/share/assay.

Exit codes: 0 done, 1 failed or could not look, 2 wrong usage, 3 no sufficient
evidence or not all of it holds, 4 stopped for a person, 130 interrupted,
143 terminated.`,
		Example: `  agent ask "What must a plaintiff prove for battery?"
  agent ingest docs/
  agent
  agent help ask`,
		Version:       currentVersions().String(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          func(cmd *cobra.Command, args []string) error { return unknownVerb(cmd, args) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.session(cmd, &flags)
		},
	}
	flags.register(root, true)
	flags.registerTimeout(root)
	flags.registerCassette(root)
	root.PersistentFlags().BoolVarP(&a.verbose, "verbose", "v", false, "log what happens to standard error")
	root.SetVersionTemplate("{{.Version}}")
	root.SetFlagErrorFunc(flagError)
	help := helpCommand()
	root.SetHelpCommand(help)
	root.AddCommand(help,
		a.askCommand(), a.complyCommand(), a.verifyCommand(), a.edgesCommand(), a.extractCommand(), a.searchCommand(), a.resumeCommand(), a.threadsCommand(), a.ingestCommand(), a.corpusCommand(), a.questionsCommand(), a.memoryCommand(), a.graphCommand(),
		a.traceCommand(), a.trainCommand(), a.evalCommand(), a.doctorCommand(), a.versionCommand(),
	)
	return root
}

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

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [VERB]",
		Short:   "Explain a verb, with examples",
		Example: "  agent help\n  agent help corpus export",
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || found == nil {
				return unknownVerb(cmd.Root(), args)
			}
			if len(rest) > 0 {
				return unknownVerb(found, rest)
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}
