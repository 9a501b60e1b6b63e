package edges

import (
	"context"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/internal/plainfile"
	"example.com/assay/memory"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/causal/edgefile"
	"example.com/assay/state"
)

// maxEdgesFile bounds a file of edges, in bytes.
const maxEdgesFile = 64 << 20

// Command is agent edges.
func Command(a *cli.App) *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "edges",
		Short: "Draft the edges of a causal graph, or check them against a corpus",
		Example: `  agent edges draft report.md > edges.json
  agent edges verify edges.json --corpus handbook
  agent help edges verify`,
	}, edgesDraftCommand(a), edgesVerifyCommand(a), edgesSampleCommand(a))
}

// readEdges reads a file of edges; "-" is standard input.
func readEdges(ctx context.Context, a *cli.App, path string) ([]causal.Edge, error) {
	if path == "-" {
		data, err := a.ReadStdin(ctx, maxEdgesFile)
		if err != nil {
			return nil, err
		}
		return badEdges(edgefile.Read(cli.StdinName, data))
	}
	data, err := plainfile.Read(path, maxEdgesFile)
	if err != nil {
		return nil, cli.Usagef("reading edges: %w", err)
	}
	return badEdges(edgefile.Read(path, data))
}

func badEdges(edges []causal.Edge, err error) ([]causal.Edge, error) {
	if err != nil {
		return nil, cli.Usagef("%w", err)
	}
	return edges, nil
}

// document is the JSON of a draft, which verify reads.
type document struct {
	Schema int           `json:"schema"`
	Model  string        `json:"model"`
	Edges  []causal.Edge `json:"edges"`
}

func edgesDraftCommand(a *cli.App) *cobra.Command {
	var flags config.Flags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "draft PATH…",
		Short: "Propose causal edges from documents",
		Long: `Draft reads files and directories and proposes the edges of a causal graph. It gives
no evidence: agent edges verify finds that. It prints the JSON that verify reads. The
offline model takes only sentences that say plainly that one thing causes another.`,
		Example: `  agent edges draft report.md > edges.json
  agent edges draft docs/ --model openai:gpt-5 > edges.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usagef("agent edges draft needs files or directories: see agent help edges draft")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return draftEdges(a, cmd, &flags, asJSON, args) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document; draft always does")
	flags.RegisterModel(cmd)
	flags.RegisterTimeout(cmd)
	flags.RegisterCassette(cmd)
	return cmd
}

func draftEdges(a *cli.App, cmd *cobra.Command, flags *config.Flags, asJSON bool, paths []string) (err error) {
	ctx := cmd.Context()
	s, err := config.Resolve(a, cmd, flags)
	if err != nil {
		return err
	}
	texts, err := memory.ReadTexts(ctx, paths)
	if err != nil {
		return err
	}
	for _, skipped := range texts.Skipped {
		a.Warn("skipped %s: %s", skipped.Path, skipped.Reason)
	}
	files, err := flags.Cassette(cmd)
	if err != nil {
		return err
	}
	d, err := open.New(ctx, a, s, files, open.Want{})
	if err != nil {
		return err
	}
	defer func() { err = cli.Also(err, d.Close()) }()
	ctx, cancel := cli.Within(ctx, flags.Timeout)
	defer cancel()
	follow := render.NewProgress(a, false)
	edges, _, err := causal.Draft(ctx, d.Model, d.Set, texts.Passages, func(done, total int) {
		follow.Show("drafting from " + cli.Count(done, "passage") + " of " + cli.Count(total, "passage"))
	})
	follow.Close()
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if end := cli.EndOf(err); asJSON {
			a.PrintJSON(cli.Failure{Schema: 1, Status: string(end.Status), Error: end.Error})
		}
		return cli.Told(cli.EndOf(err), err)
	}
	a.PrintJSON(document{1, d.ModelLabel(), edges})
	if len(edges) == 0 {
		a.Warn("no sentence says plainly that one thing causes another")
		return cli.Silent(state.StatusNoEvidence.ExitCode())
	}
	return nil
}
