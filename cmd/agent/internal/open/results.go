package open

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/eval"
	"example.com/assay/internal/plainfile"
)

// ResultsDir is the folder for results of cases.
func ResultsDir(home string) string { return filepath.Join(home, "evals") }

// CaseResults are the results of cases on one model, in the form of a file.
type CaseResults struct {
	eval.Results
	Comparison *eval.Comparison `json:"comparison,omitempty"`
}

// ReadResults reads a file that agent eval cases wrote.
func ReadResults(path string) (CaseResults, error) {
	var r CaseResults
	data, err := plainfile.Read(path, 0)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("%s: %w; it is not a results.json of agent eval cases", path, err)
	}
	if r.Task != "cases" || r.Schema != eval.ResultsSchema || len(r.Items) == 0 {
		return r, fmt.Errorf("%s: these are not results of agent eval cases; --out makes them", path)
	}
	return r, nil
}

// Encode returns the content of a file of results.
func (r CaseResults) Encode() ([]byte, error) { return cli.Indented(r) }

// KeepResults writes results to a new file in a folder. The file is named by date and model.
func KeepResults(dir string, r CaseResults) error {
	data, err := r.Encode()
	if err != nil {
		return err
	}
	name := FileName(r.Made.Date + " " + r.Model)
	path := filepath.Join(dir, name+".json")
	for n := 2; ; n++ {
		if _, err := os.Lstat(path); os.IsNotExist(err) {
			break
		}
		path = filepath.Join(dir, fmt.Sprintf("%s-%d.json", name, n))
	}
	if err := cli.WriteFile(path, data, 0o644); err != nil {
		return fmt.Errorf("keeping results: %w", err)
	}
	return nil
}

// FileName replaces the characters of a text that file names should not have.
func FileName(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>| `, r) || r < ' ' {
			return '_'
		}
		return r
	}, text)
}
