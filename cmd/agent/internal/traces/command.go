// Package traces is agent trace: it shows, normalises, compares and replays traces, and writes a run
// as a page.
//
//	agent trace replay run.jsonl --skill my_judge_edge.md
//
// It writes no trace of a new question: agent ask --trace does.
package traces

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/traceview"
	"example.com/assay/graph/trace"
	"example.com/assay/serve/view"
)

// Command is agent trace.
func Command(a *cli.App) *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "trace",
		Short: "Read, normalise, compare and replay traces",
		Example: `  agent ask --trace run.jsonl "What is consideration?"
  agent trace show run.jsonl
  agent trace diff golden.jsonl run.jsonl
  agent trace replay run.jsonl --skill my_judge_edge.md`,
	}, traceShowCommand(a), traceHTMLCommand(a), traceNormaliseCommand(a), traceDiffCommand(a), traceReplayCommand(a))
}

func traceShowCommand(a *cli.App) *cobra.Command {
	var asJSON, full bool
	var node string
	cmd := &cobra.Command{
		Use:   "show RUN.jsonl",
		Short: "Show a run superstep by superstep",
		Long: `Show prints for each superstep the nodes that ran, their duration, their model calls,
what they retrieved and what they changed. For an incomplete trace it prints what
there is, and exits with 1.`,
		Example: `  agent trace show run.jsonl
  agent trace show run.jsonl --node retrieve --full
  agent trace show run.jsonl --json`,
		Args: cli.Exactly(1, "a trace file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			records, readErr := readTrace(args[0])
			if len(records) == 0 {
				return readErr
			}
			run, err := view.New(records)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], errors.Join(readErr, err))
			}
			if cmd.Flags().Changed("node") {
				if run, err = onlyNode(run, node); err != nil {
					return err
				}
			}
			if asJSON {
				a.PrintJSON(run)
				return readErr
			}
			fmt.Fprint(a.Stdout, traceview.Text(run, traceview.TextOptions{Full: full, Colour: a.Stdout.Colour}))
			return readErr
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	cmd.Flags().BoolVar(&full, "full", false, "print complete values and hits")
	cmd.Flags().StringVar(&node, "node", "", "show only this `NODE`, such as retrieve or execute/retrieve")
	return cmd
}

func traceNormaliseCommand(a *cli.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "normalise RUN.jsonl",
		Short:   "Print a trace without times, durations and run id",
		Example: "  agent trace normalise run.jsonl > golden.jsonl",
		Args:    cli.Exactly(1, "a trace file"),
		RunE: func(_ *cobra.Command, args []string) error {
			records, err := readTrace(args[0])
			if err != nil {
				return err
			}
			records = normalised(records)
			if asJSON {
				a.PrintJSON(struct {
					Schema  int            `json:"schema"`
					Records []trace.Record `json:"records"`
				}{1, records})
				return nil
			}
			return trace.Write(a.JSONOut(), records)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document instead of JSON Lines")
	return cmd
}

func traceDiffCommand(a *cli.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "diff A.jsonl B.jsonl",
		Short: "Show where two traces first differ",
		Long: `Diff normalises both traces and prints the first difference: the event, its field, both
values, and the nodes that ran before it. If the traces belong to two graphs, it says
so first. Exit code 1 says that there is a difference.`,
		Example: "  agent trace diff golden.jsonl run.jsonl",
		Args:    cli.Exactly(2, "two trace files"),
		RunE: func(_ *cobra.Command, args []string) error {
			was, err := readTrace(args[0])
			if err != nil {
				return err
			}
			is, err := readTrace(args[1])
			if err != nil {
				return err
			}
			d, differ := trace.First(normalised(was), normalised(is))
			printDifference(a, twoGraphs(was[0], is[0]), d, differ, asJSON)
			if differ {
				return cli.Silent(cli.ExitFailed)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}
