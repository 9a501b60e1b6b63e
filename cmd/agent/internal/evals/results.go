package evals

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"example.com/assay/eval"
	"example.com/assay/eval/show"
)

// Document is what --json prints of one model.
type Document struct {
	eval.Results
	Comparison *eval.Comparison `json:"comparison,omitempty"`
}

// MatrixDocument is what --json prints of several models.
type MatrixDocument struct {
	Schema int            `json:"schema"`
	Task   string         `json:"task"`
	Models []eval.Results `json:"models"`
}

// FileName is a model's name without what should not stand in a file's.
func FileName(model string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>| `, r) || r < ' ' {
			return '_'
		}
		return r
	}, model)
}

// ReadResults reads a file that --out wrote, or that --json printed.
func ReadResults(path string) (*eval.Results, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading --baseline: %w; --out makes one", err)
	}
	var r eval.Results
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s: %w; it is no results.json of agent eval cases", path, err)
	}
	if r.Task != "cases" || r.Schema != eval.ResultsSchema || len(r.Items) == 0 {
		return nil, fmt.Errorf("%s: these are no results of agent eval cases; --out makes them", path)
	}
	return &r, nil
}

// WriteResults writes results and their reports to a folder, by a function that writes
// one file.
func WriteResults(dir string, r eval.Results, changes *eval.Comparison, write func(path string, data []byte) error) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(Document{r, changes}); err != nil {
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
		if err := write(filepath.Join(dir, file.name), out.Bytes()); err != nil {
			return fmt.Errorf("writing results: %w", err)
		}
	}
	return nil
}
