package open

import (
	"context"
	"errors"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/llm/offline"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/nodes/research"
)

// NewBare returns a desk with neither a corpus nor a memory. Pipelines that are made on it
// are drawn, and traces are replayed on them, which runs no node. Reads says that they are
// made as for a corpus.
func NewBare(a *cli.App, s config.Settings, reads bool) (*Desk, error) {
	set, err := s.LoadSkills()
	if err != nil {
		return nil, err
	}
	return &Desk{App: a, Settings: s, Set: set, Model: offline.New(nil), bare: true, bareReads: reads}, nil
}

// reads is what the desk's pipelines read.
func (d *Desk) reads() pipeline.Corpus {
	if d.Corpus == nil {
		return noCorpus{}
	}
	return d.Corpus
}

// noCorpus takes the place of a corpus on a bare desk.
type noCorpus struct{ pipeline.Elsewhere }

var errBare = errors.New("a bare pipeline has no corpus")

func (noCorpus) Search(context.Context, retrieval.Query) (retrieval.Result, error) {
	return retrieval.Result{}, errBare
}

func (noCorpus) PassageIDs() ([]string, error) { return nil, errBare }

// NoMemory is a memory that finds nothing and keeps nothing.
type NoMemory struct{}

// Lookup finds nothing.
func (NoMemory) Lookup(context.Context, string) (research.Recall, bool, error) {
	return research.Recall{}, false, nil
}

// Store keeps nothing.
func (NoMemory) Store(context.Context, string, research.Recall, float64) error { return nil }
