// Package version is agent version: the versions of the program and of the formats that it writes.
//
// It declares no version: the packages that own the formats do.
package version

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/home"
	"example.com/assay/eval"
	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/llm/cassette"
	"example.com/assay/memory"
	"example.com/assay/memory/document"
	"example.com/assay/nodes/research"
	"example.com/assay/state"
)

// versions are the versions of the program and of its formats.
type versions struct {
	Schema int `json:"schema"`
	cli.Build
	Answer   int      `json:"answer_schema"`
	Trace    int      `json:"trace_version"`
	Pipeline string   `json:"pipeline"`
	Formats  []format `json:"formats"`
}

// A format is a format that the program writes to disk, or prints for other programs.
type format struct {
	Name    string `json:"name"`
	Version int    `json:"version"` // the version that is written; older ones may be read
	Where   string `json:"where"`
}

// formats lists the formats, with the versions that their packages declare.
func formats() []format {
	out := []format{
		{"home", home.Layout, "the file layout, and files without a version of their own"},
		{"answer", state.AnswerSchema, "agent ask --json"},
		{"trace", trace.Version, "agent ask --trace FILE"},
		{"results", eval.ResultsSchema, "agent eval --json"},
		{"text", document.Version, "how the files of a corpus became text"},
		{"model calls", cassette.Version, "agent ask --record FILE"},
		{"threads", graph.FormatVersion, "checkpoints in threads.db or a store"},
		{"corpus", memory.FormatVersion, "manifest.json of a corpus"},
	}
	for _, f := range home.Formats() {
		out = append(out, format{"database of " + f.Holds, f.Version, strings.Join(f.Places, ", ")})
	}
	return out
}

// Current returns the versions of the running program.
func Current() versions {
	return versions{Schema: 1, Build: cli.ThisBuild(), Answer: state.AnswerSchema, Trace: trace.Version, Pipeline: research.Version, Formats: formats()}
}

// String shows the versions for people, in two lines.
func (v versions) String() string {
	revision := ""
	if v.Revision != "" {
		revision = " (" + v.Revision + ")"
	}
	return fmt.Sprintf("agent %s%s, %s\nanswer schema %d, trace version %d, pipeline %s\n", v.Version, revision, v.Go, v.Answer, v.Trace, v.Pipeline)
}

// Command is agent version.
func Command(a *cli.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version of the program and of its formats",
		Example: "  agent version\n  agent version --json",
		Args:    cli.Exactly(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			v := Current()
			if asJSON {
				a.PrintJSON(v)
				return nil
			}
			fmt.Fprint(a.Stdout, v)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}
