// Package doctor is agent doctor: it checks configuration, corpora, memory, models and skills,
// and says for each problem what to type.
//
//	fail  corpora        corpus "law" was built by an older version
//	                     → agent ingest laws/ --corpus law
//
// It repairs nothing, and changes nothing but the configuration that --init writes.
package doctor

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/home"
)

// Command is agent doctor.
func Command(a *cli.App) *cobra.Command {
	var flags config.Flags
	var asJSON, initialise, deeply bool
	cmd := &cobra.Command{
		Use:   "doctor [FILE…]",
		Short: "Check configuration, corpora, memory, models and skills, and say what to do",
		Long: `Doctor checks the home directory, the configuration, the variables, every corpus, the
embedded sample, the remembered answers, the saved runs or the store that holds them,
the Temporal server and its workers, the skills and the terminal.
It lists every setting with the origin of its value: a flag, a variable, a line of
the configuration, or the default. It changes nothing. Exit code 1 says that a check
failed.

--init checks nothing. It writes a configuration in which every key is explained and
commented out, to --config or to the default place: ` + cli.ConfigName + ` in ` + cli.EnvHome + `
when that is set, else in $XDG_CONFIG_HOME/assay or ~/.config/assay, on Windows in
%APPDATA%\assay. An existing file is not overwritten.

--deep reads the files of the home and changes nothing: the structure of each database, the
checksums of each index, each passage against the text it was taken from, cached vectors,
results, and modes. Links, and files that killed processes left, are reported and not read.
FILE… are more files to read: traces (--trace) and cassettes (--record). A changed byte
inside a row of a database that is still well formed is not found.

Each provider's model in the settings, and each small model at an address, gets one
short question. It costs a few tokens and shows whether the key, the address and the
name are right. Each MCP server is started or reached, and its tools are listed; none is
called. With the default settings no network is used.`,
		Example: "  agent doctor\n  agent doctor --json\n  agent doctor --deep\n  agent doctor --deep run.jsonl run.cassette\n  agent doctor --init\n  agent doctor --config team.yaml\n  agent doctor --model openai:gpt-4.1-mini",
		Args: func(cmd *cobra.Command, args []string) error {
			if deeply {
				return nil
			}
			return cli.Exactly(0, "no argument without --deep")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if initialise {
				return initConfig(a, cmd, &flags, asJSON)
			}
			var findings []finding
			var lines []config.Line
			place, err := a.Env.Home()
			var refused error
			if err == nil {
				refused = home.Check(place)
			}
			switch {
			case refused != nil: // no file of the home may be opened
				findings = []finding{{"home", statusFail, refused.Error(), ""}}
				if errors.As(refused, new(*home.NewerError)) {
					findings[0].Do = "agent version says which this is"
				}
			case deeply && err == nil:
				findings = deep(cmd.Context(), place, args)
			default:
				findings, lines = examine(a, cmd, &flags)
			}
			if cmd.Context().Err() != nil {
				return context.Cause(cmd.Context())
			}
			failed := false
			for _, f := range findings {
				failed = failed || f.Status == statusFail
			}
			if asJSON {
				a.PrintJSON(struct {
					Schema   int           `json:"schema"`
					OK       bool          `json:"ok"`
					Checks   []finding     `json:"checks"`
					Settings []config.Line `json:"settings,omitempty"` // absent when they could not be read
				}{1, !failed, findings, lines})
			} else {
				printFindings(a, findings)
				printSettings(a, lines)
			}
			if failed {
				return cli.Silent(cli.ExitFailed)
			}
			return nil
		},
	}
	flags.Register(cmd, false)
	config.RegisterTemporal(cmd.Flags())
	cmd.Flags().BoolVar(&deeply, "deep", false, "read every file of the home whole, and the named traces and cassettes, instead of the checks of the settings")
	cmd.Flags().BoolVar(&initialise, "init", false, "write a commented configuration instead of checking")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}
