package main

import (
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/ask"
	"example.com/assay/cmd/agent/internal/backup"
	"example.com/assay/cmd/agent/internal/chat"
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/comply"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/corpus"
	"example.com/assay/cmd/agent/internal/doctor"
	"example.com/assay/cmd/agent/internal/drawing"
	"example.com/assay/cmd/agent/internal/edges"
	"example.com/assay/cmd/agent/internal/evals"
	"example.com/assay/cmd/agent/internal/extract"
	"example.com/assay/cmd/agent/internal/general"
	"example.com/assay/cmd/agent/internal/home"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/questions"
	"example.com/assay/cmd/agent/internal/recall"
	"example.com/assay/cmd/agent/internal/search"
	"example.com/assay/cmd/agent/internal/serve"
	"example.com/assay/cmd/agent/internal/session"
	"example.com/assay/cmd/agent/internal/threads"
	"example.com/assay/cmd/agent/internal/traces"
	"example.com/assay/cmd/agent/internal/train"
	"example.com/assay/cmd/agent/internal/verify"
	"example.com/assay/cmd/agent/internal/version"
	"example.com/assay/cmd/agent/internal/worker"
)

// rootCommand builds the command tree. Each run builds it once, since it holds the values of flags.
func rootCommand(a *cli.App) *cobra.Command {
	var flags config.Flags
	root := &cobra.Command{
		Use:   "agent",
		Short: "Answers with citations from your own documents, offline",
		Long: `Agent answers questions from your own documents, only with what it can prove.

Without a verb it starts an interactive session. A question there may refer to
the one before it ("and how do I change it?"). A paste of several lines is one
question, and Alt-Enter begins a new line. Tab completes commands and names,
Ctrl-R searches the history. Ctrl-C stops a question; twice, it ends the session.
From a pipe each line is a question; agent ask - takes all of standard input as one.

Corpora and memory are in the directory ` + cli.EnvHome + `, by default
$XDG_DATA_HOME/assay or ~/.local/share/assay, on Windows
%LOCALAPPDATA%\assay.

Exit codes: 0 done, 1 failed or could not search, 2 wrong usage, 3 no sufficient
evidence or an unsupported claim, 4 waits for a person, 130 interrupted,
143 terminated.`,
		Example: `  agent ask "What must a plaintiff prove for battery?"
  agent ingest docs/
  agent
  agent help ask`,
		Version:           version.Current().String(),
		SilenceUsage:      true,
		SilenceErrors:     true,
		Args:              func(cmd *cobra.Command, args []string) error { return cli.UnknownVerb(cmd, args) },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return checkHome(a, cmd) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			return session.Run(a, cmd, &flags)
		},
	}
	flags.Register(root, true)
	flags.RegisterTimeout(root)
	flags.RegisterCassette(root)
	root.PersistentFlags().BoolVarP(&a.Verbose, "verbose", "v", false, "log what happens to standard error")
	root.PersistentFlags().BoolFunc("plain", "only text and line feeds on a terminal, for screen readers: no colour, no line that is redrawn, lines edited by the terminal itself", func(given string) error {
		plain, err := strconv.ParseBool(given)
		if plain {
			a.Stdout.Plain()
			a.Stderr.Plain()
		}
		return err
	})
	root.SetVersionTemplate("{{.Version}}")
	root.SetFlagErrorFunc(cli.FlagError)
	help := helpCommand()
	root.SetHelpCommand(help)
	root.AddCommand(help,
		ask.Command(a), chat.Command(a), comply.Command(a), verify.Command(a), edges.Command(a), extract.Command(a), search.Command(a), ask.ResumeCommand(a), threads.Command(a), corpus.IngestCommand(a), corpus.Command(a), questions.Command(a), recall.Command(a), drawing.Command(a),
		traces.Command(a), train.Command(a), evals.Command(a), doctor.Command(a), backup.Command(a), backup.RestoreCommand(a), serve.Command(a, cli.ThisBuild().Version), serve.MCPCommand(a, cli.ThisBuild().Version), worker.Command(a), version.Command(a),
	)
	for _, p := range open.Pipelines() {
		if p.Make != nil { // the others have their own commands
			root.AddCommand(general.Command(a, p))
		}
	}
	completeAll(a, root)
	return root
}

// checkHome refuses a home with files of a newer version before a verb opens any. It lets verbs pass
// that do not open the home, and the doctor, which reports such files.
func checkHome(a *cli.App, cmd *cobra.Command) error {
	for c := cmd; c.HasParent(); c = c.Parent() {
		if slices.Contains([]string{"help", "version", "completion", "doctor", "restore", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}, c.Name()) && c.Parent() == cmd.Root() {
			return nil
		}
	}
	place, err := a.Env.Home()
	if err != nil {
		return nil // a verb that needs a home reports the error
	}
	return home.Check(place)
}

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [VERB…]",
		Short:   "Explain a verb, with examples",
		Example: "  agent help\n  agent help corpus export",
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || found == nil {
				return cli.UnknownVerb(cmd.Root(), args)
			}
			if len(rest) > 0 {
				return cli.UnknownVerb(found, rest)
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}
