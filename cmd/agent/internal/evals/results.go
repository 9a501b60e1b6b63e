package evals

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/open"

	"example.com/assay/eval"
	"example.com/assay/eval/show"
)

// matrixDocument is what --json prints of several models.
type matrixDocument struct {
	Schema int            `json:"schema"`
	Task   string         `json:"task"`
	Models []eval.Results `json:"models"`
}

// baseline reads the results to compare with.
func baseline(path string) (*eval.Results, error) {
	r, err := open.ReadResults(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading --baseline: %w; --out makes one", err)
	}
	return &r.Results, err
}

// writeResults writes results and their reports to a folder, if there is one.
func writeResults(dir string, r eval.Results, changes *eval.Comparison) error {
	if dir == "" {
		return nil
	}
	data, err := open.CaseResults{Results: r, Comparison: changes}.Encode()
	if err != nil {
		return err
	}
	files := []struct {
		name  string
		write func(io.Writer) error
	}{
		{"results.json", func(w io.Writer) error { _, err := w.Write(data); return err }},
		{"junit.xml", func(w io.Writer) error { return show.JUnit(w, r) }},
		{"summary.md", func(w io.Writer) error { return show.Markdown(w, r, changes) }},
		{"report.html", func(w io.Writer) error { return show.HTML(w, r, changes) }},
	}
	for _, file := range files {
		var out bytes.Buffer
		if err := file.write(&out); err != nil {
			return err
		}
		if err := cli.WriteFile(filepath.Join(dir, file.name), out.Bytes(), 0o644); err != nil {
			return fmt.Errorf("writing results: %w", err)
		}
	}
	return nil
}

// write writes results to a folder, if there is one, and keeps them, if they shall be kept.
func (f *evalCasesFlags) write(a *cli.App, dir string, r eval.Results, changes *eval.Comparison) error {
	if err := writeResults(dir, r, changes); err != nil || !f.keep {
		return err
	}
	home, err := a.Env.Home()
	if err != nil {
		return err
	}
	return open.KeepResults(open.ResultsDir(home), open.CaseResults{Results: r, Comparison: changes})
}
