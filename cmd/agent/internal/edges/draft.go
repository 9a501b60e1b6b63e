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

// readEdges reads a file of edges; "-" is standard input.
func readEdges(ctx context.Context, a *cli.App, path string) (edges []causal.Edge, err error) {
	var data []byte
	if path == "-" {
		if data, err = a.ReadStdin(ctx, maxEdgesFile); err != nil {
			return nil, err
		}
		path = cli.StdinName
	} else if data, err = plainfile.Read(path, maxEdgesFile); err != nil {
		return nil, cli.Usagef("reading edges: %w", err)
	}
	if edges, err = edgefile.Read(path, data); err != nil {
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
		end := cli.EndOf(err)
		if asJSON {
			a.PrintJSON(cli.Failure{Schema: 1, Status: string(end.Status), Error: end.Error})
		}
		return cli.Told(end, err)
	}
	a.PrintJSON(document{1, d.ModelLabel(), edges})
	if len(edges) == 0 {
		a.Warn("no sentence says plainly that one thing causes another")
		return cli.Silent(state.StatusNoEvidence.ExitCode())
	}
	return nil
}
