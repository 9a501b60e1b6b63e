package main

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"example.com/assay/memory"
	"example.com/assay/nodes/causal"
	"example.com/assay/state"
)

// maxEdgesFile bounds a file of edges, in bytes.
const maxEdgesFile = 64 << 20

func (a *app) edgesCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "edges",
		Short: "Draft the edges of a causal graph, or check them against a corpus",
		Example: `  agent edges draft report.md > edges.json
  agent edges verify edges.json --corpus handbook
  agent help edges verify`,
	}, a.edgesDraftCommand(), a.edgesVerifyCommand(), a.edgesSampleCommand())
}

// readEdges reads a file of edges; "-" is standard input.
func (a *app) readEdges(ctx context.Context, path string) ([]state.Edge, error) {
	if path == "-" {
		data, err := a.readStdin(ctx, maxEdgesFile)
		if err != nil {
			return nil, err
		}
		return badEdges(causal.ReadEdges(stdinName, data))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, usagef("reading edges: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxEdgesFile+1))
	if err = also(err, f.Close()); err != nil {
		return nil, usagef("reading edges: %w", err)
	}
	if len(data) > maxEdgesFile {
		return nil, usagef("%s is longer than %d MiB: verify its edges in parts", path, maxEdgesFile>>20)
	}
	return badEdges(causal.ReadEdges(path, data))
}

func badEdges(edges []state.Edge, err error) ([]state.Edge, error) {
	if err != nil {
		return nil, usagef("%w", err)
	}
	return edges, nil
}

// edgesDocument is a draft as it is printed, and as verify reads it.
type edgesDocument struct {
	Schema int          `json:"schema"`
	Model  string       `json:"model"`
	Edges  []state.Edge `json:"edges"`
}

func (a *app) edgesDraftCommand() *cobra.Command {
	var flags settingFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "draft PATH…",
		Short: "Propose causal edges from documents",
		Long: `Draft reads files and directories and proposes the edges of a causal graph: what
the documents hold to cause what. It gives no evidence, which is for agent edges
verify to find. It prints the JSON that verify reads; offline it takes sentences
that say plainly that one thing brings about another, and no others.`,
		Example: `  agent edges draft report.md > edges.json
  agent edges draft docs/ --model openai:gpt-5 > edges.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("agent edges draft wants files or directories: see agent help edges draft")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.draftEdges(cmd, &flags, asJSON, args) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document; draft always does")
	flags.registerModel(cmd)
	flags.registerTimeout(cmd)
	flags.registerCassette(cmd)
	return cmd
}

func (a *app) draftEdges(cmd *cobra.Command, flags *settingFlags, asJSON bool, paths []string) (err error) {
	ctx := cmd.Context()
	s, err := a.resolve(cmd, flags)
	if err != nil {
		return err
	}
	texts, err := memory.ReadTexts(ctx, paths)
	if err != nil {
		return err
	}
	for _, skipped := range texts.Skipped {
		a.warn("skipped %s: %s", skipped.Path, skipped.Reason)
	}
	files, err := flags.cassette(cmd)
	if err != nil {
		return err
	}
	d, err := openDesk(ctx, a, s, files, want{})
	if err != nil {
		return err
	}
	defer func() { err = also(err, d.Close()) }()
	ctx, cancel := within(ctx, flags.timeout)
	defer cancel()
	follow := a.newProgress(false)
	edges, _, err := causal.Draft(ctx, d.Model, d.Set, texts.Passages, func(done, total int) {
		follow.show("drafting from " + count(done, "passage") + " of " + count(total, "passage"))
	})
	follow.close()
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if end := endOf(err); asJSON {
			a.printJSON(failure{Schema: 1, Status: string(end.Status), Error: end.Error})
		}
		return told(endOf(err), err)
	}
	a.printJSON(edgesDocument{1, d.modelLabel(), edges})
	if len(edges) == 0 {
		a.warn("no sentence says plainly that one thing causes another")
		return silent(state.StatusNoEvidence.ExitCode())
	}
	return nil
}
