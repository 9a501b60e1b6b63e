// Package indextest has what package index is measured against: bleve as it
// comes, with its English analyzer and its own BM25, and nothing of ours.
//
//	raw, err := indextest.NewBleve(dir, passages)
//	defer raw.Close()
//	ids, err := raw.Search("Who may appoint a deputy?", 10)
//
// It is for tests and benchmarks: it neither updates nor deletes.
package indextest

import (
	"errors"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/mapping"
	bindex "github.com/blevesearch/bleve_index_api"

	"example.com/assay/state"
)

// A Bleve is an index made by bleve alone. It is safe for concurrent use.
type Bleve struct{ index bleve.Index }

// NewBleve indexes the passages' titles and texts in dir, which must not exist, by
// bleve's offline builder, and opens the result for reading.
func NewBleve(dir string, passages []state.Passage) (*Bleve, error) {
	b, err := bleve.NewBuilder(dir, mappingOf(), map[string]any{"batchSize": 1000})
	if err != nil {
		return nil, fmt.Errorf("making a raw index: %w", err)
	}
	for _, p := range passages {
		if err := b.Index(p.ID, map[string]any{"text": p.Title + "\n" + p.Text}); err != nil {
			return nil, errors.Join(fmt.Errorf("making a raw index: %w", err), b.Close())
		}
	}
	if err := b.Close(); err != nil {
		return nil, fmt.Errorf("making a raw index: %w", err)
	}
	ix, err := bleve.OpenUsing(dir, map[string]any{"read_only": true})
	if err != nil {
		return nil, fmt.Errorf("opening a raw index: %w", err)
	}
	return &Bleve{ix}, nil
}

func mappingOf() *mapping.IndexMappingImpl {
	text := bleve.NewTextFieldMapping()
	text.Analyzer = en.AnalyzerName
	text.IncludeInAll = false
	doc := bleve.NewDocumentStaticMapping()
	doc.AddFieldMappingsAt("text", text)
	m := bleve.NewIndexMapping()
	m.DefaultMapping = doc
	m.ScoringModel = bindex.BM25Scoring
	return m
}

// Search returns the ids of the k best passages, best first.
func (b *Bleve) Search(query string, k int) ([]string, error) {
	match := bleve.NewMatchQuery(query)
	match.SetField("text")
	found, err := b.index.Search(bleve.NewSearchRequestOptions(match, k, 0, false))
	if err != nil {
		return nil, fmt.Errorf("searching a raw index: %w", err)
	}
	ids := make([]string, len(found.Hits))
	for i, h := range found.Hits {
		ids[i] = h.ID
	}
	return ids, nil
}

// Close releases the files.
func (b *Bleve) Close() error {
	if err := b.index.Close(); err != nil {
		return fmt.Errorf("closing a raw index: %w", err)
	}
	return nil
}
