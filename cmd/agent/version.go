package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/graph/trace"
	"example.com/assay/nodes/research"
	"example.com/assay/state"
)

// versions are the versions of the program and of what it writes.
type versions struct {
	Schema   int    `json:"schema"`
	Version  string `json:"version"`            // of the module, or "devel"
	Revision string `json:"revision,omitempty"` // of the source, "+dirty" behind it when it was changed
	Go       string `json:"go"`
	Answer   int    `json:"answer_schema"`
	Trace    int    `json:"trace_version"`
	Pipeline string `json:"pipeline"`
}

func currentVersions() versions {
	v := versions{Schema: 1, Version: "devel", Answer: state.AnswerSchema, Trace: trace.Version, Pipeline: research.Version}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Go = info.GoVersion
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			v.Revision = s.Value + v.Revision
		case s.Key == "vcs.modified" && s.Value == "true":
			v.Revision += "+dirty"
		}
	}
	return v
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
