package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/assay/graph/trace"
	"example.com/assay/internal/plainfile"
	"example.com/assay/nodes/evidence"
	"example.com/assay/state"
)

// Names of a case's file: in its own folder, or as an ending in a shared folder, such as
// refunds.case.yaml.
var caseFiles = []string{"case.yaml", "case.json"}

// A Case is one input of a pipeline and the expectations on its run. Paths are relative to
// the case's folder.
type Case struct {
	File string `yaml:"-"`
	Dir  string `yaml:"-"` // of File
	Name string `yaml:"-"` // the folder's name, or the file's without ".case.yaml"
	Hash string `yaml:"-"` // of File's bytes, for comparing sets of cases

	Pipeline string `yaml:"pipeline"`
	Notes    string `yaml:"notes"`    // for people
	Corpus   string `yaml:"corpus"`   // a folder or file of documents
	Question string `yaml:"question"` // of research, comply, verify and registered graphs
	Filter   Filter `yaml:"filter"`   // of comply

	Response string   `yaml:"response"` // of verify: a file
	Context  []string `yaml:"context"`  // of verify: files and folders of evidence
	Edges    string   `yaml:"edges"`    // of edges: a file
	Document string   `yaml:"document"` // of extract: a file
	Schema   string   `yaml:"schema"`   // of extract: a file
	// Input is of registered graphs: any YAML value, as JSON. See DecodeInput.
	Input json.RawMessage `yaml:"input"`

	// SkipInjectionCheck leaves out the model call that judges the question.
	SkipInjectionCheck bool     `yaml:"skip_injection_check"`
	Settings           Settings `yaml:"settings"`
	Gold               Gold     `yaml:"gold"`
	Want               Want     `yaml:"want"`
}

// Filter restricts the sources of compliance questions; see evidence.Filter.
type Filter struct {
	Topic      string `yaml:"topic"`
	Section    string `yaml:"section"`
	Category   string `yaml:"category"`
	SourceType string `yaml:"source_type"`
}

// Gold has known right results, for computing metrics. Omitted ones are not measured.
type Gold struct {
	Answer   string            `yaml:"answer"`
	Choice   string            `yaml:"choice"`
	Passages []string          `yaml:"passages"` // "torts/battery.md", or with a part of its heading: "torts/battery.md#Intent"
	Claims   map[string]string `yaml:"claims"`   // a part of a claim's text → supported, partially_supported, unsupported
	Fields   map[string]string `yaml:"fields"`   // a field's path → its normalised value
	Edges    map[string]string `yaml:"edges"`    // an edge's id → grounded or rejected
}

// Want has the assertions of a case. Omitted ones are not checked.
type Want struct {
	Status    state.Status                 `yaml:"status"`
	Grounding evidence.GroundingConfidence `yaml:"grounding"` // of comply
	Choice    string                       `yaml:"choice"`
	Steps     int                          `yaml:"steps"`    // rows of the planning table
	Failed    int                          `yaml:"failed"`   // of them failed
	Calls     int                          `yaml:"calls"`    // of the model
	Path      []string                     `yaml:"path"`     // the root graph's nodes, in order
	Cites     []string                     `yaml:"cites"`    // documents that the answer must cite
	Contains  []string                     `yaml:"contains"` // texts that the answer must contain
	// JSONContains are texts that the answer's JSON must contain literally.
	JSONContains []string `yaml:"json_contains"`
	// NoUnsupportedClaim asserts that every claim that was checked is supported,
	// and that claims were checked.
	NoUnsupportedClaim bool `yaml:"no_unsupported_claim"`
	// Metrics are lower bounds, by name.
	Metrics map[string]float64 `yaml:"metrics"`

	// ExitCode is the exit code of the pipeline's verb.
	ExitCode *int `yaml:"exit_code"`
	// MaxCalls bounds the model calls, including those of failed nodes.
	MaxCalls int `yaml:"max_calls"`
	// MaxCost bounds the cost of the calls, in the currency of the prices; for a replay,
	// their recorded cost. An unknown cost violates the bound.
	MaxCost *float64 `yaml:"max_cost"`
	// MaxLatency bounds the time of the run, as long as the machine took then.
	MaxLatency time.Duration `yaml:"max_latency"`
}

// LoadCase reads a case: its file, or the folder that contains one. Errors name the file, the line
// and the key. An unknown key is an error. A pipeline with another name than those of this package
// is taken for a registered graph; Bench.Prepare checks it.
func LoadCase(path string) (Case, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file, ok := caseIn(path)
		if !ok {
			return Case{}, fmt.Errorf("reading case: %s holds no %s", path, strings.Join(caseFiles, " or "))
		}
		path = file
	}
	data, err := plainfile.Read(path, 0)
	if err != nil {
		return Case{}, fmt.Errorf("reading case: %w", err)
	}
	return ParseCase(path, data)
}

// ParseCase is LoadCase for a file with the content data, YAML or JSON.
func ParseCase(file string, data []byte) (Case, error) {
	c := Case{File: file, Dir: filepath.Dir(file), Hash: hashOf(data)}
	c.Name = nameOf(filepath.Base(file))
	if full, err := filepath.Abs(c.Dir); c.Name == "" && err == nil { // ".", too, has a name
		c.Name = filepath.Base(full)
	}
	err := decode(file, data, &c)
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return Case{}, fmt.Errorf("reading case: %w", err)
	}
	return c, nil
}

// nameOf returns the part before ".case.yaml", empty for "case.yaml".
func nameOf(base string) string {
	for _, file := range caseFiles {
		if name, ok := strings.CutSuffix(base, "."+file); ok {
			return name
		}
	}
	return ""
}

// caseIn returns the case's file in a folder.
func caseIn(dir string) (string, bool) {
	for _, name := range caseFiles {
		file := filepath.Join(dir, name)
		if _, err := os.Stat(file); err == nil {
			return file, true
		}
	}
	return "", false
}

// path converts a path in the case's file to one relative to the working directory.
func (c Case) path(relative string) string { return filepath.Join(c.Dir, filepath.FromSlash(relative)) }

func (c Case) question() string { return strings.TrimSpace(c.Question) }

// DecodeInput decodes the case's input into a value of the caller, by its json tags. A case
// without an input and a key that the value does not have are errors.
func (c Case) DecodeInput(into any) error {
	if c.Input == nil {
		return fmt.Errorf("%s: input is empty: %s needs it", c.File, c.Pipeline)
	}
	d := json.NewDecoder(bytes.NewReader(c.Input))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%s: reading input: %w", c.File, err)
	}
	return nil
}

// CorpusDir returns the folder of the case's documents.
func (c Case) CorpusDir() string { return c.path(c.Corpus) }

// Golden returns the file of the case's golden trace.
func (c Case) Golden() string {
	if name := nameOf(filepath.Base(c.File)); name != "" {
		return filepath.Join(c.Dir, name+".golden.jsonl")
	}
	return filepath.Join(c.Dir, "golden.jsonl")
}

// ReadGolden reads the case's golden trace.
func (c Case) ReadGolden() ([]trace.Record, error) {
	data, err := plainfile.Read(c.Golden(), 0)
	if err != nil {
		return nil, fmt.Errorf("reading the golden trace: %w", err)
	}
	records, err := trace.Read(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("reading the golden trace: %s: %w", c.Golden(), err)
	}
	return records, nil
}

// FindCases reads the cases at a path: the file or folder itself if it is a case, else each case in
// the folder whose name contains filter, sorted by name. The error joins those of all unreadable
// cases. No case at all is also an error.
func FindCases(dir, filter string) ([]Case, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		c, err := LoadCase(dir)
		return []Case{c}, err
	}
	if file, ok := caseIn(dir); ok {
		c, err := LoadCase(file)
		return []Case{c}, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("finding cases: %w", err)
	}
	var cases []Case
	var errs []error
	byName := map[string]string{}
	for _, entry := range entries {
		file, name := filepath.Join(dir, entry.Name()), nameOf(entry.Name())
		if name == "" {
			if file, _ = caseIn(file); file == "" {
				continue // no case: a corpus, a note
			}
			name = entry.Name()
		}
		if other := byName[name]; other != "" {
			errs = append(errs, fmt.Errorf("finding cases: %s and %s have the same name", other, file))
			continue
		}
		byName[name] = file
		if !strings.Contains(name, filter) {
			continue
		}
		c, err := LoadCase(file)
		cases, errs = append(cases, c), append(errs, err)
	}
	switch {
	case len(byName) == 0:
		return nil, fmt.Errorf("finding cases: neither %s nor a folder in it holds a case.yaml", dir)
	case len(cases) == 0:
		return nil, fmt.Errorf("finding cases: none of the %d in %s has %q in its name", len(byName), dir, filter)
	}
	slices.SortFunc(cases, func(a, b Case) int { return strings.Compare(a.Name, b.Name) })
	return cases, errors.Join(errs...)
}
