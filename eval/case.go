package eval

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"example.com/assay/state"
)

// A Case is a question and what is expected.
type Case struct {
	Dir      string `yaml:"-"`
	Name     string `yaml:"-"`        // the folder's name
	Pipeline string `yaml:"pipeline"` // "research"
	Corpus   string `yaml:"corpus"`   // a folder of documents, relative to the case's own
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
}

// LoadCase reads a case's folder. An unknown key is an error.
func LoadCase(dir string) (Case, error) {
	file := filepath.Join(dir, "case.yaml")
	data, err := os.ReadFile(file)
	if err != nil {
		return Case{}, fmt.Errorf("reading case: %w", err)
	}
	c := Case{Dir: dir, Name: filepath.Base(dir)}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		return Case{}, fmt.Errorf("reading case %s: %w", file, err)
	}
	switch {
	case c.Pipeline != "research":
		return Case{}, fmt.Errorf("reading case %s: pipeline is %q; known is research", file, c.Pipeline)
	case strings.TrimSpace(c.Question) == "":
		return Case{}, fmt.Errorf("reading case %s: question is empty", file)
	case c.Corpus == "":
		return Case{}, fmt.Errorf("reading case %s: corpus is empty: name a folder of documents, relative to %s", file, dir)
	}
	return c, nil
}

// CorpusDir is the folder of the case's documents.
func (c Case) CorpusDir() string { return filepath.Join(c.Dir, filepath.FromSlash(c.Corpus)) }

// Golden is the file of the case's golden trace.
func (c Case) Golden() string { return filepath.Join(c.Dir, "golden.jsonl") }
