package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/graph/trace"
	"example.com/assay/nodes/research"
	"example.com/assay/state"
)

// versions are the versions of the program and of what it writes.
type versions struct {
	Schema int `json:"schema"`
	cli.Build
	Answer   int    `json:"answer_schema"`
	Trace    int    `json:"trace_version"`
	Pipeline string `json:"pipeline"`
}

func currentVersions() versions {
	return versions{Schema: 1, Build: cli.ThisBuild(), Answer: state.AnswerSchema, Trace: trace.Version, Pipeline: research.Version}
}

// String is what people read, in two lines.
func (v versions) String() string {
	revision := ""
	if v.Revision != "" {
		revision = " (" + v.Revision + ")"
	}
	return fmt.Sprintf("agent %s%s, %s\nanswer schema %d, trace version %d, pipeline %s\n", v.Version, revision, v.Go, v.Answer, v.Trace, v.Pipeline)
}

func versionCommand(a *cli.App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version of the program and of its formats",
		Example: "  agent version\n  agent version --json",
		Args:    cli.Exactly(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			v := currentVersions()
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
