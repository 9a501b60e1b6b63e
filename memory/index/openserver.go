package index

import (
	"context"
	"fmt"
	"sync"

	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/index/internal/ranking"
	"example.com/assay/memory/index/internal/served"
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
	g := &generation{manifest: m, dir: dir, model: new(lsa.Model)}
	l, err := served.DecodeLexicon(files[lexiconFile])
	if err == nil {
		err = g.model.Decode(files[modelFile], m.Stats.Embedder)
	}
	if err != nil {
		return nil, &CorruptError{Dir: dir, Err: err}
	}
	if g.vectors, err = vector.NewSet(nil, g.model.Dims(), nil); err != nil {
		return nil, err
	}
	x := &Index{gen: g, server: server, stemmers: &sync.Pool{New: func() any { return analysis.Stemmer{} }}}
	x.corpus, err = ranking.NewServed(context.Background(), l, g.model, g.rules())
	g.table = x.corpus.Table
	return x, err
}
