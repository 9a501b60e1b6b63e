package render

import (
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/state"
)

// Warnings prints the warnings of an answer, and the sources that have changed since.
func Warnings(a *cli.App, answer state.Answer) {
	for _, w := range answer.Warnings {
		a.Warn("%s", w)
	}
	for _, s := range answer.Sources {
		if s.Stale != "" {
			a.Warn("source %d, %s, is stale: %s", s.N, s.Doc, s.Stale)
		}
	}
}
