package eval

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/assay/state"
)

// caseFile is what makes a folder a case.
const caseFile = "case.yaml"

// A Case is a question and what is expected.
type Case struct {
	Dir      string `yaml:"-"`
	Name     string `yaml:"-"`        // the folder's name
	Pipeline string `yaml:"pipeline"` // "research"
	Corpus   string `yaml:"corpus"`   // a folder or file of documents, relative to the case's own
	Question string `yaml:"question"`
	// SkipInjectionCheck leaves out the model call that judges the question.
	SkipInjectionCheck bool `yaml:"skip_injection_check"`
	Want               Want `yaml:"want"`
}

// Want is what a case expects. What is left out is not checked.
type Want struct {
	Status   state.Status `yaml:"status"`
	Choice   string       `yaml:"choice"`
	Steps    int          `yaml:"steps"`    // rows of the planning table
	Failed   int          `yaml:"failed"`   // of them failed
	Calls    int          `yaml:"calls"`    // of the model
	Path     []string     `yaml:"path"`     // the root graph's nodes, in order
	Cites    []string     `yaml:"cites"`    // documents that the answer must cite
	Contains []string     `yaml:"contains"` // texts that the answer must hold

	// ExitCode is that of `agent ask`.
	ExitCode *int `yaml:"exit_code"`
	// MaxCalls bounds the calls of models, those of nodes that failed included.
	MaxCalls int `yaml:"max_calls"`
	// MaxCost bounds what the calls cost, in the currency of the prices. Of a
	// replay it is what they had cost. Unknown cost keeps no bound.
	MaxCost *float64 `yaml:"max_cost"`
	// MaxLatency bounds the time of the run, as long as the machine took then.
	MaxLatency time.Duration `yaml:"max_latency"`
}

// statuses are those that a run can end with.
var statuses = []state.Status{state.StatusAnswered, state.StatusNoEvidence, state.StatusRejected, state.StatusInterrupted, state.StatusFailed}

// LoadCase reads a case's folder. Errors name the file, the line and the key;
// an unknown key is one.
func LoadCase(dir string) (Case, error) {
	data, err := os.ReadFile(filepath.Join(dir, caseFile))
	if err != nil {
		return Case{}, fmt.Errorf("reading case: %w", err)
	}
	return ParseCase(dir, data)
}

// ParseCase is LoadCase of a folder whose case.yaml holds data.
func ParseCase(dir string, data []byte) (Case, error) {
	file := filepath.Join(dir, caseFile)
	c := Case{Dir: dir, Name: filepath.Base(dir)}
	if full, err := filepath.Abs(dir); err == nil { // ".", too, has a name
		c.Name = filepath.Base(full)
	}
	err := decode(file, data, &c)
	if err == nil {
		err = c.check(file)
	}
	if err != nil {
		return Case{}, fmt.Errorf("reading case: %w", err)
	}
	return c, nil
}

func (c Case) check(file string) error {
	w := c.Want
	switch {
	case c.Pipeline != "research":
		return fmt.Errorf("%s: pipeline is %q; known is research", file, c.Pipeline)
	case strings.TrimSpace(c.Question) == "":
		return fmt.Errorf("%s: question is empty", file)
	case c.Corpus == "":
		return fmt.Errorf("%s: corpus is empty: name a folder of documents, relative to %s", file, c.Dir)
	case w.Status != "" && !slices.Contains(statuses, w.Status):
		return fmt.Errorf("%s: want.status is %q; known are %q", file, w.Status, statuses)
	case min(w.Steps, w.Failed, w.Calls, w.MaxCalls) < 0:
		return fmt.Errorf("%s: a number under want is below 0", file)
	case w.MaxCost != nil && !(*w.MaxCost >= 0): // also NaN
		return fmt.Errorf("%s: want.max_cost must be 0 or more", file)
	case w.ExitCode != nil && (*w.ExitCode < 0 || *w.ExitCode > 255):
		return fmt.Errorf("%s: want.exit_code must be 0 to 255", file)
	}
	return nil
}

// CorpusDir is the folder of the case's documents.
func (c Case) CorpusDir() string { return filepath.Join(c.Dir, filepath.FromSlash(c.Corpus)) }

// Golden is the file of the case's golden trace.
func (c Case) Golden() string { return filepath.Join(c.Dir, "golden.jsonl") }

// FindCases reads the cases of a folder: the folder itself when it is one, else
// each folder in it that is one, by name, of those whose name contains filter.
// Its error joins those of all cases that cannot be read; that there is none to
// run is one, too.
func FindCases(dir, filter string) ([]Case, error) {
	if _, err := os.Stat(filepath.Join(dir, caseFile)); err == nil {
		c, err := LoadCase(dir)
		return []Case{c}, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("finding cases: %w", err)
	}
	var cases []Case
	var errs []error
	found := 0
	for _, entry := range entries {
		sub := filepath.Join(dir, entry.Name())
		if _, err := os.Stat(filepath.Join(sub, caseFile)); err != nil {
			continue // no case: a corpus, a note
		}
		if found++; !strings.Contains(entry.Name(), filter) {
			continue
		}
		c, err := LoadCase(sub)
		cases, errs = append(cases, c), append(errs, err)
	}
	switch {
	case found == 0:
		return nil, fmt.Errorf("finding cases: neither %s nor a folder in it holds a %s", dir, caseFile)
	case len(cases) == 0:
		return nil, fmt.Errorf("finding cases: none of the %d in %s has %q in its name", found, dir, filter)
	}
	return cases, errors.Join(errs...)
}
