package open

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/graph"
	"example.com/assay/llm/offline"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/evidence"
	"example.com/assay/nodes/extract"
	"example.com/assay/nodes/research"
	"example.com/assay/nodes/verify"
	"example.com/assay/state"
)

// A Bare pipeline has neither a corpus nor a memory: it is drawn, and traces are replayed on
// it, which runs no node.
type Bare struct {
	App graph.App
	// Answer returns what the pipeline's command prints as JSON, from the last state of a
	// run and its error.
	Answer func(final json.RawMessage, runErr error, files Library) (json.RawMessage, error)
}

// A Library knows passages and their files. memory.Corpus is one.
type Library = causal.Library

// NewBare makes the pipeline whose graph has a name, with the configuration of a trace.
// With an empty one it is to be drawn.
func NewBare(a *cli.App, s config.Settings, name string, conf map[string]string) (Bare, error) {
	set, err := s.LoadSkills()
	if err != nil {
		return Bare{}, err
	}
	model := offline.New(nil)
	switch name {
	case "research":
		opts, err := researchOptions(a, s)
		if err != nil {
			return Bare{}, err
		}
		p, err := research.New(research.Deps{Model: model, Skills: set, Corpus: noCorpus{}, Memory: NoMemory{}}, opts)
		return bare(p, err, func(final state.Agent, runErr error, files Library) (any, error) {
			answer := research.Result(final, runErr, files)
			if runErr != nil {
				research.Unfinished(&answer, final)
			}
			return answer, nil
		})
	case "comply":
		p, err := evidence.New(evidence.Deps{Model: model, Skills: set, Corpus: noCorpus{}}, &evidence.Options{ModelReview: conf[config.TracedReview] == "true"})
		return bare(p, err, func(final evidence.State, runErr error, files Library) (any, error) {
			return evidence.Result(final, runErr, files), nil
		})
	case "edges":
		p, err := causal.New(causal.Deps{Model: model, Skills: set, Corpus: noCorpus{}}, s.Grounding.Options(s.Limits.Concurrency))
		return bare(p, err, func(final causal.State, runErr error, files Library) (any, error) {
			answer, err := causal.Result(final, runErr, files)
			if _, nobody := files.(Elsewhere); nobody { // it looked up no passage
				answer.Warnings = final.Warnings
			}
			return answer, err
		})
	case "extract":
		known := conf[config.TracedSchema] != ""
		if !known {
			conf = map[string]string{config.TracedSchema: `{"type": "object", "properties": {"field": {"type": "string"}}}`}
		}
		schema, opts, err := extractOptions(conf)
		if err != nil {
			return Bare{}, err
		}
		p, err := extract.New(extract.Deps{Model: model, Skills: set, Schema: schema}, opts)
		return bare(p, err, func(final extract.State, runErr error, _ Library) (any, error) {
			if !known {
				return nil, errors.New("the trace does not have the schema of the fields")
			}
			return schema.Answer(final, runErr), nil
		})
	case "verify":
		deps := verify.Deps{Model: model, Skills: set}
		if len(conf) == 0 || conf["corpus"] != "" {
			deps.Corpus = noCorpus{}
		}
		p, err := verify.New(deps, s.Verification.Options())
		return bare(p, err, func(final verify.State, runErr error, files Library) (any, error) {
			return verify.Result(final, runErr, files), nil
		})
	}
	_, err = KindOf(name)
	return Bare{}, err
}

func bare[S any](p interface{ Graph() *graph.Compiled[S] }, err error, answer func(S, error, Library) (any, error)) (Bare, error) {
	if err != nil {
		return Bare{}, err
	}
	return Bare{p.Graph().App(), func(final json.RawMessage, runErr error, files Library) (json.RawMessage, error) {
		var s S
		if err := json.Unmarshal([]byte(cmp.Or(string(final), "{}")), &s); err != nil {
			return nil, fmt.Errorf("reading the last state: %w", err)
		}
		out, err := answer(s, runErr, files)
		if err != nil {
			return nil, err
		}
		return json.Marshal(out)
	}}, nil
}

// noCorpus takes the place of a corpus in a bare pipeline.
type noCorpus struct{}

func (noCorpus) Search(context.Context, retrieval.Query) (retrieval.Result, error) {
	return retrieval.Result{}, errors.New("a bare pipeline has no corpus")
}

func (noCorpus) Passage(string) (state.Passage, bool, error) { return state.Passage{}, false, nil }

// Elsewhere is the library of a run whose corpus is not here.
type Elsewhere struct{}

// TextPath says that it knows no file.
func (Elsewhere) TextPath(string) (path, original string, err error) {
	return "", "", errors.New("its file was not looked at again: this is the text as the run recorded it")
}

// Passage knows none.
func (Elsewhere) Passage(string) (state.Passage, bool, error) { return state.Passage{}, false, nil }

// NoMemory is a memory that finds nothing and keeps nothing.
type NoMemory struct{}

// Lookup finds nothing.
func (NoMemory) Lookup(context.Context, string) (research.Recall, bool, error) {
	return research.Recall{}, false, nil
}

// Store keeps nothing.
func (NoMemory) Store(context.Context, string, research.Recall, float64) error { return nil }
