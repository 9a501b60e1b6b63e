package traces

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/traceview"
	"example.com/assay/graph/trace"
	"example.com/assay/internal/plainfile"
	"example.com/assay/memory/text"
	"example.com/assay/serve/view"
	"example.com/assay/state/event"
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

// readTrace reads a trace file. With an error, which names the line, it also returns the
// records before it.
func readTrace(path string) ([]trace.Record, error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading trace: %w", err)
	}
	records, err := trace.Read(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return records, fmt.Errorf("%s: %w", path, err)
	}
	if len(records) == 0 {
		return nil, fmt.Errorf("%s: reading trace: it is empty; write one with: agent ask --trace %s QUESTION", path, path)
	}
	return records, nil
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

func onlyNode(v view.View, node string) (view.View, error) {
	only, ok := v.Only(node)
	if !ok {
		return v, cli.Usagef("--node is %q: no such node ran%s; there are: %s", node, text.DidYouMean(node, v.Nodes()), strings.Join(v.Nodes(), ", "))
	}
	return only, nil
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

// normalised is a normalised trace without what was said to models and by them: golden
// traces have none of it.
func normalised(records []trace.Record) []trace.Record {
	out := trace.Normalise(records)
	for i, rec := range out {
		var call event.Call
		if rec.Kind == event.ModelCall && json.Unmarshal(rec.Data, &call) == nil && call.Said != nil {
			call.Said = nil
			out[i].Data, _ = json.Marshal(call) // it was JSON
		}
	}
	return out
}

// difference is trace.Difference in JSON.
type difference struct {
	Index int      `json:"index"`
	Event string   `json:"event"`
	Field string   `json:"field,omitempty"`
	Was   string   `json:"was"`
	Is    string   `json:"is"`
	Path  []string `json:"path"`
}

// twoGraphs says that two traces belong to different graphs; empty when they do not.
func twoGraphs(was, is trace.Record) string {
	switch {
	case was.Graph != is.Graph:
		return fmt.Sprintf("these are runs of two graphs, %s and %s", was.Graph, is.Graph)
	case was.Fingerprint != is.Fingerprint:
		return fmt.Sprintf("graph %s has changed between these runs, from fingerprint %.12s to %.12s", was.Graph, was.Fingerprint, is.Fingerprint)
	}
	return ""
}

func printDifference(a *cli.App, graphs string, d trace.Difference, differ, asJSON bool) {
	switch {
	case asJSON:
		doc := struct {
			Schema     int         `json:"schema"`
			Equal      bool        `json:"equal"`
			Graphs     string      `json:"graphs,omitempty"` // set when the graphs differ
			Difference *difference `json:"difference,omitempty"`
		}{Schema: 1, Equal: !differ, Graphs: graphs}
		if differ {
			doc.Difference = &difference{d.Index, d.Event, d.Field, d.Was, d.Is, d.Path}
		}
		a.PrintJSON(doc)
	case differ:
		if graphs != "" {
			fmt.Fprintln(a.Stdout, graphs)
		}
		fmt.Fprintln(a.Stdout, d)
	default:
		fmt.Fprintln(a.Stdout, "the traces are equal except for times and run ids")
	}
}
