package traces

import (
	"context"
	"fmt"
	"os"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/decide/injection"
	"example.com/assay/eval"
	"example.com/assay/graph"
	"example.com/assay/state/proof"
)

// openCaseRerun prepares a case as agent eval cases does.
func openCaseRerun(ctx context.Context, a *cli.App, s config.Settings, x *open.Exchange, file string) (_ *rerunner, err error) {
	r := &rerunner{}
	defer func() {
		if err != nil {
			err = cli.Also(err, r.close())
		}
	}()
	c, err := eval.LoadCase(file)
	if err != nil {
		return nil, cli.Usagef("--case: %w", err)
	}
	set, err := s.LoadSkills()
	if err != nil {
		return nil, err
	}
	model, err := x.Model(ctx, s)
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp("", "agent-replay-*")
	if err != nil {
		return nil, fmt.Errorf("making a directory for the corpus: %w", err)
	}
	r.closers = append(r.closers, func() error { return os.RemoveAll(home) })
	found, err := open.NewFinder(ctx, a, s, set, x)
	if err != nil {
		return nil, err
	}
	r.closers = append(r.closers, found.Close)
	corpora := eval.NewCorpora(home, &eval.CorporaOptions{Open: *found.Options()})
	r.closers = append(r.closers, corpora.Close)
	bench, err := open.NewBench(a, s, eval.Deps{Model: model, Skills: set, Corpora: corpora, Inspect: injection.Orders})
	if err != nil {
		return nil, err
	}
	r.run = func(ctx context.Context, from graph.Recording, _ *render.Progress) (rerun, error) {
		ready, err := bench.Prepare(ctx, c)
		if err != nil {
			return rerun{}, err
		}
		got, err := ready.Run(ctx, &graph.RunOptions{Replay: from})
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err == nil {
			var shown proof.Proof
			if shown, err = eval.Proof(c.Pipeline, got.Result); len(shown.Result) > 0 {
				got.Answer.Answer = string(shown.Result)
			}
		}
		return rerun{got.Answer, got.Trace, got.Err}, err
	}
	return r, nil
}
