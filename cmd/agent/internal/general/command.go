// Package general is the command of every pipeline without a command of its own. Its arguments,
// flags, help, output and exit codes follow from the pipeline's description.
//
//	root.AddCommand(general.Command(a, p))
//
// It has no batches, threads or workers: a pipeline that needs them has a command of its own.
package general

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/state"
)

// Command makes the command of a pipeline.
func Command(a *cli.App, p open.Pipeline) *cobra.Command {
	var flags config.Flags
	var traceFile string
	var asJSON bool
	word := strings.ToUpper(p.Message.Name)
	example := p.Command() + ` "…"`
	cmd := &cobra.Command{
		Use:   p.Command() + " " + word + "…",
		Short: p.Does,
		Long: fmt.Sprintf(`%s

%s is %s. It is the arguments joined by spaces, or standard input for "-".

Exit code 3: the corpus holds nothing of the kind. Exit code 1: it could not be read.`, p.About, word, p.Message.Help),
		Example: fmt.Sprintf("  agent %s\n  agent %s --json", example, example),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := a.Question(cmd.Context(), args, example)
			a.Failed = func(err error) any { return failed(p, text, err) }
			if err != nil {
				return err
			}
			return run(a, cmd, &flags, p, text, traceFile, asJSON)
		},
	}
	f := cmd.Flags()
	if p.Corpus != pipeline.Never {
		f.String("corpus", config.DefaultCorpus, "`CORPUS` to read")
	}
	for _, field := range slices.Concat(p.Inputs, p.Settings) {
		f.String(flagOf(field), field.Default, field.Help)
	}
	f.StringVar(&traceFile, "trace", "", "write the run's trace to `FILE` (JSON Lines)")
	f.BoolVar(&asJSON, "json", false, "print one JSON document")
	flags.RegisterModel(cmd)
	flags.RegisterTimeout(cmd)
	flags.RegisterCassette(cmd)
	return cmd
}

// flagOf is the name of a field's flag.
func flagOf(f pipeline.Field) string { return strings.ReplaceAll(f.Name, "_", "-") }

func failed(p open.Pipeline, text string, err error) state.Answer {
	return state.FailedAnswer(p.Name, text, cli.EndOf(err))
}
