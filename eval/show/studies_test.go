package show

import (
	"context"
	"os"
	"sync"
	"testing"

	"example.com/assay/eval"
	"example.com/assay/llm/offline"
	"example.com/assay/skills"
)

// studies runs the project's case studies offline, once for all tests.
var studies = sync.OnceValues(func() (_ eval.Results, err error) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "assay-report-*")
	if err != nil {
		return eval.Results{}, err
	}
	defer os.RemoveAll(dir)
	cases, err := eval.FindCases("../../case_studies", "")
	if err != nil {
		return eval.Results{}, err
	}
	set, err := skills.Load(nil)
	if err != nil {
		return eval.Results{}, err
	}
	corpora := eval.NewCorpora(dir, nil)
	defer corpora.Close()
	bench, err := eval.NewBench(eval.Deps{Model: offline.New(nil), Skills: set, Corpora: corpora}, nil)
	if err != nil {
		return eval.Results{}, err
	}
	ready, err := bench.PrepareAll(ctx, cases)
	if err != nil {
		return eval.Results{}, err
	}
	items, err := eval.RunCases(ctx, ready, func(ctx context.Context, p *eval.Prepared) (eval.Run, error) { return p.Run(ctx, nil) }, nil)
	if err != nil {
		return eval.Results{}, err
	}
	made := eval.Made{Version: "v1", Go: "go1.26", Machine: "linux/amd64, 2 processors", Date: "2026-01-02T03:04:05Z", Deterministic: true}
	r, err := eval.Summarise(items, made, nil)
	r.Model = "offline"
	return r, err
})

func caseStudies(t *testing.T) eval.Results {
	t.Helper()
	r, err := studies()
	if err != nil {
		t.Fatal(err)
	}
	return r
}
