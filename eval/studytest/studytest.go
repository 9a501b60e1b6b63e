// Package studytest runs the project's case studies for tests that need their results: offline,
// once per test process. It does not check their expectations: the tests of case_studies do.
package studytest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/evidence"
	"example.com/assay/nodes/extract"
	"example.com/assay/nodes/glossary"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/verify"

	"example.com/assay/eval"
	"example.com/assay/llm/offline"
	"example.com/assay/skills"
)

var studies = sync.OnceValues(func() (_ eval.Results, err error) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "assay-studies-*")
	if err != nil {
		return eval.Results{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	folder, err := Folder()
	if err != nil {
		return eval.Results{}, err
	}
	cases, err := eval.FindCases(folder, "")
	if err != nil {
		return eval.Results{}, err
	}
	set, err := skills.Load(nil)
	if err != nil {
		return eval.Results{}, err
	}
	corpora := eval.NewCorpora(dir, nil)
	defer func() { err = errors.Join(err, corpora.Close()) }()
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
	r, err := eval.Summarise(items, made)
	r.Model = "offline"
	return r, err
})

// Results returns the results of all case studies.
func Results(t *testing.T) eval.Results {
	t.Helper()
	r, err := studies()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Folder returns the folder of the case studies, above the folder of a test.
func Folder() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "case_studies"), nil
		}
		if filepath.Dir(dir) == dir {
			return "", errors.New("finding the case studies: no go.mod above the test's folder")
		}
		dir = filepath.Dir(dir)
	}
}

// Pipelines are those of the case studies.
func Pipelines() []pipeline.Pipeline {
	return []pipeline.Pipeline{research.About(), evidence.About(), causal.About(), extract.About(), verify.About(), glossary.About()}
}
