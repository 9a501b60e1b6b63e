package evals

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"

	"example.com/assay/eval"
	"example.com/assay/eval/show"
)

// casesDocument is what --json prints of one model.
type casesDocument struct {
	eval.Results
	Comparison *eval.Comparison `json:"comparison,omitempty"`
}

// matrixDocument is what --json prints of several models.
type matrixDocument struct {
	Schema int            `json:"schema"`
	Task   string         `json:"task"`
	Models []eval.Results `json:"models"`
}

// fileName is a model's name without characters that file names should not have.
func fileName(model string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>| `, r) || r < ' ' {
			return '_'
		}
		return r
	}, model)
}

// readResults reads a file that --out wrote, or that --json printed.
func readResults(path string) (*eval.Results, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading --baseline: %w; --out makes one", err)
	}
	var r eval.Results
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s: %w; it is not a results.json of agent eval cases", path, err)
	}
	if r.Task != "cases" || r.Schema != eval.ResultsSchema || len(r.Items) == 0 {
		return nil, fmt.Errorf("%s: these are not results of agent eval cases; --out makes them", path)
	}
	return &r, nil
}

// writeResults writes results and their reports to a folder, if there is one.
func writeResults(dir string, r eval.Results, changes *eval.Comparison) error {
	if dir == "" {
		return nil
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(casesDocument{r, changes}); err != nil {
		return err
	}
	files := []struct {
		name  string
		write func(io.Writer) error
	}{
		{"results.json", func(w io.Writer) error { _, err := io.WriteString(w, b.String()); return err }},
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
