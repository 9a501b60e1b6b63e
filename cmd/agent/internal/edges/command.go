// Package edges is agent edges: it drafts the edges of a causal graph from documents, and checks
// edges against a corpus.
//
//	agent edges draft report.md | agent edges verify - --corpus handbook
//
// Package nodes/causal judges the edges; a draft has no evidence.
package edges

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	casestudies "example.com/assay/case_studies"
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/nodes/causal"
	"example.com/assay/state"
)

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

func edgesSampleCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "sample DIR",
		Short: "Write a sample: edges on public health, and texts to check them against",
		Long: `Sample writes edges.json and a directory docs into DIR. It makes DIR if needed, and
never overwrites a file. The texts are a teaching sample, not medical advice.`,
		Example: `  agent edges sample health
  agent ingest health/docs --corpus health
  agent edges verify health/edges.json --corpus health`,
		Args: cli.Exactly(1, "one directory"),
		RunE: func(_ *cobra.Command, args []string) error {
			sample, err := casestudies.PublicHealth()
			if err != nil {
				return fmt.Errorf("reading the embedded sample: %w", err)
			}
			if err := os.CopyFS(args[0], sample); err != nil {
				return cli.Usagef("writing the sample: %w", err)
			}
			fmt.Fprintf(a.Stdout, "wrote %s and %s\n\nNext: agent ingest %s --corpus health\n      agent edges verify %s --corpus health\n",
				filepath.Join(args[0], "edges.json"), filepath.Join(args[0], "docs"), filepath.Join(args[0], "docs"), filepath.Join(args[0], "edges.json"))
			return nil
		},
	}
}

// edgesFlags are the flags of edges verify.
type edgesFlags struct {
	format, trace, thread string
	asJSON                bool
}

// edgesFormats are the ways to print verified edges for people.
func edgesFormats() []string { return []string{"table", "mermaid", "dot"} }

func edgesVerifyCommand(a *cli.App) *cobra.Command {
	var flags config.Flags
	var f edgesFlags
	cmd := &cobra.Command{
		Use:   "verify EDGES.json --corpus CORPUS",
		Short: "Check each edge of a causal graph against a corpus",
		Long: `Verify decides for every edge whether the corpus shows that one variable causes the
other. It searches for evidence on both sides, asks a judge, and searches again for
what the judge misses. An adversary attacks edges that seem strong. Then the edge is
grounded, or rejected with a reason. A verdict counts only with a quote that is in a
passage byte for byte. Rejected edges stay in the result with their evidence; the
graph holds only grounded edges and has no cycles.

The file is a JSON list of edges or {"edges": [...]}, as agent edges draft writes it.
Each edge needs from_var and to_var. - is standard input.

--thread saves the run under a name. After a failure or a kill the same command
continues it; finished edges are not judged again. Exit code 3: no edge is grounded,
or calls were lost, and the output says what is missing. Exit code 1: calls were lost
and no edge is grounded.`,
		Example: `  agent edges verify edges.json --corpus handbook
  agent edges verify edges.json --corpus handbook --format dot | dot -Tsvg > edges.svg
  agent edges draft docs/ | agent edges verify - --corpus handbook --json`,
		Args: cli.Exactly(1, "one file of edges"),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.Failed = func(err error) any {
				return causal.Answer{Answer: state.FailedAnswer("edges", "", cli.EndOf(err)), Edges: []causal.Edge{}, DAG: causal.NewDAG(nil), Audit: []state.AuditEntry{}}
			}
			return edgesVerify(a, cmd, &flags, f, args[0])
		},
	}
	fl := cmd.Flags()
	fl.String("corpus", config.DefaultCorpus, "`CORPUS` that edges are checked against")
	fl.StringVar(&f.format, "format", "table", "`FORMAT` of the result: table, mermaid or dot")
	cli.Choices(fl, "format", "table", "mermaid", "dot")
	fl.StringVar(&f.trace, "trace", "", "write the run's trace to `FILE` (JSON Lines)")
	fl.StringVar(&f.thread, "thread", "", "save the run as this `THREAD`; the same command continues it")
	fl.BoolVar(&f.asJSON, "json", false, "print one JSON document")
	flags.RegisterModel(cmd)
	flags.RegisterTimeout(cmd)
	flags.RegisterCassette(cmd)
	config.RegisterGrounding(cmd)
	config.RegisterTemporal(fl)
	return cmd
}
