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

// A Pipeline says what a pipeline is for, what it takes, and how it is made.
type Pipeline struct {
	Name  string // of its graph, its assistant and its cases: "edges"
	Verb  string // of its command: "edges verify". Default: Name
	Tool  string // that assistants call: "verify_edges". Default: Name
	Title string // for a person who chooses: "Verify causal edges"
	Does  string // in a list, behind the name: "checks the edges of a causal graph one by one"
	About string // one or two sentences for a person or a model that chooses
	// Prompt asks a model to use the tool. It has a verb for the corpus, which may be empty,
	// and one for the message. Default: there is no prompt.
	Prompt string

	Message  Field   // the text that a person writes
	Inputs   []Field // what else may be said with it
	Settings []Field // what is chosen when the pipeline is made
	Corpus   Need
	Skills   []string // that it asks, by name

	// Proof reads the JSON of an answer.
	Proof func(answer json.RawMessage) (proof.Proof, error)
	// Make makes the pipeline for any number of runs. Nil for one whose command makes it.
	Make func(Bench) (Instance, error)
}

// A Need says whether a pipeline reads a corpus.
type Need int

const (
	Never   Need = iota
	IfGiven      // it can do without
	Always
)

// A Field is something that a pipeline takes.
type Field struct {
	Name    string // in JSON: "as_of"
	Arg     string // as an argument of its tool. Default: Name
	Help    string
	Schema  string // JSON Schema of its values. Default: a string
	Default string // what it is without a value, as text
	Needed  bool
	// File allows a tool to name a file in place of the text.
	File bool
	// Text makes the message of an argument that is not text. Nil for text.
	Text func(json.RawMessage) (string, error)
}

// AsOf is the day that documents must hold on.
var AsOf = Field{Name: "as_of", Help: "answer as of this day (2024-06-30, 2024-06 or 2024): leave out documents that hold from a later day, or until an earlier one"}

// Command is the words of the pipeline's command.
func (p Pipeline) Command() string { return cmp.Or(p.Verb, p.Name) }

// ToolName is the name that assistants call it by.
func (p Pipeline) ToolName() string { return cmp.Or(p.Tool, p.Name) }

// Argument is the field's name as an argument of a tool.
func (f Field) Argument() string { return cmp.Or(f.Arg, f.Name) }

// Described is the JSON Schema of the field, with its help.
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

// A Bench is what a pipeline is made on.
type Bench struct {
	Model  llm.Model
	Skills *skills.Set
	Corpus Corpus // nil without one
	// Inspect looks for orders in what is read.
	Inspect retrieval.Inspect
	// Settings are values of the pipeline's settings by their names: text as it is, other
	// values as JSON.
	Settings map[string]string
}

// A Corpus is what a pipeline reads. *memory.Corpus is one.
type Corpus interface {
	retrieval.Retriever
	Library
	// PassageIDs are those of all passages, in the order of their documents.
	PassageIDs() ([]string, error)
}

// A Library knows passages and their files.
type Library interface {
	TextPath(source string) (path, original string, err error)
	Passage(id string) (p state.Passage, ok bool, err error)
}

// Elsewhere is the library of a run whose corpus is not here.
type Elsewhere struct{}

// TextPath says that it knows no file.
func (Elsewhere) TextPath(string) (path, original string, err error) {
	return "", "", errors.New("its file was not looked at again: this is the text as the run recorded it")
}

// Passage knows none.
func (Elsewhere) Passage(string) (state.Passage, bool, error) { return state.Passage{}, false, nil }

// An Answer is the result of a run, whose JSON is what the pipeline's command prints: a
// pointer to a struct that embeds a state.Answer.
type Answer interface {
	Common() *state.Answer
	Sign(state.Signature)
}

// CheckText refuses an empty message; what it says names the field.
func (p Pipeline) CheckText(text string) error {
	if strings.TrimSpace(text) == "" {
		return fmt.Errorf("the %s is empty: give one", p.Message.Argument())
	}
	return nil
}

// CheckInput refuses fields of a turn that the pipeline does not take.
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
