package open

import (
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/eval"
)

// NewBench makes a bench for cases of all pipelines, with the options of the settings.
func NewBench(a *cli.App, s config.Settings, deps eval.Deps) (*eval.Bench, error) {
	opts, err := researchOptions(a, s)
	if err != nil {
		return nil, err
	}
	b, err := eval.NewBench(deps, &eval.BenchOptions{Label: s.ModelLabel(), Research: *opts, Edges: *s.Grounding.Options(s.Limits.Concurrency), Verify: *s.Verification.Options()})
	if err != nil {
		return nil, err
	}
	for _, p := range Pipelines() {
		if p.Make != nil { // a bench knows the others
			if err := eval.RegisterPipeline(b, p.Pipeline); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}
