package pipeline

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/assay/llm"
	"example.com/assay/memory/retrieval"
	"example.com/assay/skills"
	"example.com/assay/state"
	"example.com/assay/state/proof"
)

// A Pipeline describes a pipeline: its purpose, its inputs, and how it is made.
type Pipeline struct {
	Name  string // of its graph, its assistant and its cases: "edges"
	Verb  string // of its command: "edges verify". Default: Name
	Tool  string // that assistants call: "verify_edges". Default: Name
	Title string // for a person who chooses: "Verify causal edges"
	Does  string // in a list, behind the name: "checks the edges of a causal graph one by one"
	Offer string // what a person can do with it, in a list of things to do; empty for none
	About string // one or two sentences for a person or a model that chooses a pipeline
	// Prompt asks a model to use the tool. It has one formatting verb for the corpus, which may be
	// empty, and one for the message. Default: no prompt.
	Prompt string

	Message  Field   // the person's text
	Inputs   []Field // further input of a turn
	Settings []Field // settings that are chosen when the pipeline is made
	Corpus   Need
	Skills   []string // names of the skills that it asks

	// Proof reads the JSON of an answer.
	Proof func(answer json.RawMessage) (proof.Proof, error)
	// Make makes the pipeline for any number of runs. Nil if the pipeline's own command makes it.
	Make func(Bench) (Instance, error)
}

// A Need says whether a pipeline reads a corpus.
type Need int

const (
	Never   Need = iota
	IfGiven      // optional
	Always
)

// A Field is an input or a setting of a pipeline.
type Field struct {
	Name    string // in JSON: "as_of"
	Arg     string // name as an argument of the tool. Default: Name
	Help    string
	Schema  string // JSON Schema of the values. Default: a string
	Default string // the default value, as text
	Needed  bool
	// Inner leaves an input to callers that have read a document themselves: a tool does not have it.
	Inner bool
	// File lets a tool name a file instead of the text.
	File bool
	// Text makes the message from an argument that is not text. Nil for text.
	Text func(json.RawMessage) (string, error)
}

// AsOf is the day on which documents must be in force.
var AsOf = Field{Name: "as_of", Help: "answer as of this day (2024-06-30, 2024-06 or 2024): leave out documents that hold from a later day, or until an earlier one"}

// Command returns the words of the pipeline's command.
func (p Pipeline) Command() string { return cmp.Or(p.Verb, p.Name) }

// ToolName returns the pipeline's name as a tool of assistants.
func (p Pipeline) ToolName() string { return cmp.Or(p.Tool, p.Name) }

// Argument returns the field's name as an argument of a tool.
func (f Field) Argument() string { return cmp.Or(f.Arg, f.Name) }

// Described returns the JSON Schema of the field, with its help.
func (f Field) Described() (json.RawMessage, error) {
	schema := map[string]any{}
	if err := json.Unmarshal([]byte(cmp.Or(f.Schema, `{"type":"string"}`)), &schema); err != nil {
		return nil, fmt.Errorf("the schema of the field %q: %w", f.Name, err)
	}
	if f.Help != "" {
		schema["description"] = f.Help
	}
	return json.Marshal(schema)
}

// A Bench holds the dependencies for making a pipeline.
type Bench struct {
	Model  llm.Model
	Skills *skills.Set
	Corpus Corpus // nil without one
	// Inspect finds prompt injection in the passages.
	Inspect retrieval.Inspect
	// Settings are the values of the pipeline's settings by name: texts as they are, other values
	// as JSON.
	Settings map[string]string
}

// A Corpus holds the passages that a pipeline reads, as *memory.Corpus does.
type Corpus interface {
	retrieval.Retriever
	Library
	// PassageIDs returns the IDs of all passages, in the order of their documents.
	PassageIDs() ([]string, error)
}

// A Library finds passages and their files.
type Library interface {
	TextPath(source string) (path, original string, err error)
	Passage(id string) (p state.Passage, ok bool, err error)
}

// Elsewhere is the library for a run whose corpus is not available here.
type Elsewhere struct{}

// TextPath returns an error: no file is known.
func (Elsewhere) TextPath(string) (path, original string, err error) {
	return "", "", errors.New("its file was not looked at again: this is the text as the run recorded it")
}

// Passage returns false: no passage is known.
func (Elsewhere) Passage(string) (state.Passage, bool, error) { return state.Passage{}, false, nil }

// An Answer is the result of a run, a pointer to a struct that embeds a state.Answer. The
// pipeline's command prints its JSON.
type Answer interface {
	Common() *state.Answer
	Sign(state.Signature)
}

// CheckText refuses an empty message. The error names the field.
func (p Pipeline) CheckText(text string) error {
	if strings.TrimSpace(text) == "" {
		return fmt.Errorf("the %s is empty: give one", p.Message.Argument())
	}
	return nil
}

// CheckInput refuses input fields that the pipeline does not have.
func (p Pipeline) CheckInput(input json.RawMessage) error {
	var given map[string]json.RawMessage
	if len(input) > 0 {
		if err := json.Unmarshal(input, &given); err != nil {
			return fmt.Errorf("input: %w", err)
		}
	}
	names := make([]string, len(p.Inputs))
	for i, f := range p.Inputs {
		names[i] = f.Name
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		switch {
		case slices.Contains(names, name):
		case len(names) == 0:
			return fmt.Errorf("input: unknown field %q: %s takes nothing but the message", name, p.Name)
		default:
			return fmt.Errorf("input: unknown field %q: there are %s", name, strings.Join(names, ", "))
		}
	}
	return nil
}
