package open

import (
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/eval"
)

// BenchOptions are the options of the pipelines of cases, from the settings.
func BenchOptions(a *cli.App, s config.Settings) (eval.BenchOptions, error) {
	opts, err := researchOptions(a, s)
	if err != nil {
		return eval.BenchOptions{}, err
	}
	return eval.BenchOptions{Label: s.ModelLabel(), Research: *opts, Edges: *s.Grounding.Options(s.Limits.Concurrency), Verify: *s.Verification.Options()}, nil
}
