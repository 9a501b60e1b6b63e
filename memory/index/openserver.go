package index

import (
	"context"
	"fmt"
	"sync"

	"example.com/assay/memory/lsa"
	"example.com/assay/memory/vector"
)

// OpenServed opens what Publish wrote to a directory, for searches of the passages that
// are in a collection. Whether the server can be reached shows when it is asked. Errors
// are those of Open, and a generation whose passages are in files.
//
// A trained ranker, Lesson, IDs and Has need files: they find no passages here.
func OpenServed(dir string, server Collection) (*Index, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	if !m.has(lexiconFile) {
		return nil, fmt.Errorf("opening index %q: its passages are in files; open it without a server", dir)
	}
	files, err := m.verify(dir, lexiconFile, modelFile)
	if err != nil {
		return nil, err
	}
	l, err := decodeLexicon(files[lexiconFile])
	model := new(lsa.Model)
	if err == nil {
		err = model.Decode(files[modelFile], m.Stats.Embedder)
	}
	if err != nil {
		return nil, &CorruptError{Dir: dir, Err: err}
	}
	set, err := vector.NewSet(nil, model.Dims(), nil)
	if err != nil {
		return nil, err
	}
	t := &table{docs: l.docs, nameTerms: l.names.nameTerms, nameOf: l.names.nameOf}
	x := newIndex(dir, t, model, set, m.Stats.BM25)
	x.store, x.lexicon, x.server = &pool{lexicon: l, table: t}, l, server
	x.calibration, x.stats, x.changed = m.Calibration, m.Stats, m.Changed
	x.passages, x.allDocs, x.sizes = l.Passages, l.Documents, l.sizes
	x.avgLen, x.avgPairs, x.avgDoc, x.grouped = l.AvgLen, l.AvgPairs, l.AvgDoc, l.Grouped
	x.nameOf, x.docLen = t.nameOf, append([]float64(nil), l.lens...)
	x.nameDocuments()
	x.pools(poolSize, len(l.docs)+poolSize)
	if err := x.findLanguages(context.Background()); err != nil {
		return nil, err
	}
	x.stemmers = &sync.Pool{New: func() any { return stemmer{} }}
	return x, nil
}
