package index

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	bindex "github.com/blevesearch/bleve_index_api"

	"example.com/assay/state"
)

// Fields of a bleve document.
const (
	bodyField    = "body"    // terms
	bigramField  = "bigram"  // pairs of terms
	passageField = "passage" // the passage as JSON, stored and not indexed
	metaField    = "meta"    // key, zero byte, value
	ownField     = "own"     // keys of the numbered parts that the passage is
	withinField  = "within"  // and of those that it lies in
)

const (
	storeDir    = "bleve"
	lockWait    = "2s" // bleve waits forever for a locked file without it
	batchSize   = 1000 // documents a segment begins with at least
	mostBatch   = 4000 // and at most: it costs some 60 kB of memory a document
	segments    = 50   // that a new index is made of if the batches allow; merging takes longer with more
	mergeAtOnce = 200  // segments: merging ten at a time, as bleve does, writes a large corpus three times
	analysers   = 2    // goroutines of a bleve that is written to
	keepHistory = 1    // bleve's own snapshots; a generation is the snapshot
)

// givenTerms is an analyzer that ignores the text: the terms are known.
type givenTerms []string

func (g givenTerms) Analyze([]byte) analysis.TokenStream {
	stream := make(analysis.TokenStream, len(g))
	tokens := make([]analysis.Token, len(g))
	for i, t := range g {
		tokens[i] = analysis.Token{Term: []byte(t), Position: i + 1}
		stream[i] = &tokens[i]
	}
	return stream
}

func newDocument(a analysed) *document.Document {
	doc := document.NewDocument(a.passage.ID)
	doc.AddField(document.NewTextFieldCustom(bodyField, nil, nil, bindex.IndexField, givenTerms(a.terms)))
	doc.AddField(document.NewTextFieldCustom(bigramField, nil, nil, bindex.IndexField, givenTerms(a.bigrams)))
	for _, f := range []struct {
		name  string
		terms []string
	}{{metaField, metaTerms(a.passage)}, {ownField, a.labels.Own}, {withinField, a.labels.Within}} {
		if len(f.terms) > 0 {
			doc.AddField(document.NewTextFieldCustom(f.name, nil, nil, bindex.IndexField, givenTerms(f.terms)))
		}
	}
	doc.AddField(document.NewTextFieldCustom(passageField, nil, a.json, bindex.StoreField, nil))
	return doc
}

// A builder writes passages to a bleve directory.
type builder interface {
	add(a analysed) error
	close() error
}

// offlineBuilder writes a new bleve directory as one merged segment.
type offlineBuilder struct{ b *scorch.Builder }

func newOfflineBuilder(dir string, passages int) (*offlineBuilder, error) {
	b, err := scorch.NewBuilder(map[string]any{
		"path": filepath.Join(dir, storeDir), "buildPathPrefix": dir, "batchSize": min(mostBatch, max(batchSize, passages/segments)), "mergeMax": mergeAtOnce,
	})
	if err != nil {
		return nil, err
	}
	return &offlineBuilder{b}, nil
}

func (o *offlineBuilder) add(a analysed) error { return o.b.Index(newDocument(a)) }
func (o *offlineBuilder) close() error         { return o.b.Close() }

// deltaBuilder changes an existing bleve directory.
type deltaBuilder struct {
	index bindex.Index
	queue *bindex.AnalysisQueue
	batch *bindex.Batch
}

func newDeltaBuilder(dir string) (*deltaBuilder, error) {
	queue := bindex.NewAnalysisQueue(analysers)
	ix, err := scorch.NewScorch(scorch.Name, map[string]any{
		"path": filepath.Join(dir, storeDir), "bolt_timeout": lockWait, "numSnapshotsToKeep": keepHistory,
	}, queue)
	if err == nil {
		err = ix.Open()
	}
	if err != nil {
		queue.Close()
		return nil, err
	}
	return &deltaBuilder{index: ix, queue: queue, batch: bindex.NewBatch()}, nil
}

func (d *deltaBuilder) remove(id string) error {
	d.batch.Delete(id)
	return d.flush(batchSize)
}

func (d *deltaBuilder) add(a analysed) error {
	d.batch.Update(newDocument(a))
	return d.flush(batchSize)
}

func (d *deltaBuilder) flush(atLeast int) error {
	if len(d.batch.IndexOps) < atLeast {
		return nil
	}
	batch := d.batch
	d.batch = bindex.NewBatch() // the index still reads the old one when it has returned
	return d.index.Batch(batch) // returns when the batch is on disk
}

func (d *deltaBuilder) close() error {
	err := d.flush(1)
	err = errors.Join(err, d.index.Close())
	d.queue.Close()
	return err
}

// A store is a bleve directory that is open for reading.
type store struct {
	index  bindex.Index
	reader bindex.IndexReader
	queue  *bindex.AnalysisQueue
}

func openStore(dir string) (*store, error) {
	path := filepath.Join(dir, storeDir)
	if _, err := os.Stat(filepath.Join(path, "root.bolt")); err != nil {
		return nil, err // bleve would create it
	}
	queue := bindex.NewAnalysisQueue(1)
	ix, err := scorch.NewScorch(scorch.Name, map[string]any{
		"path": path, "read_only": true, "bolt_timeout": lockWait,
	}, queue)
	if err == nil {
		err = ix.Open()
	}
	if err != nil {
		queue.Close()
		return nil, err
	}
	s := &store{index: ix, queue: queue}
	if s.reader, err = ix.Reader(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *store) close() error {
	var err error
	if s.reader != nil {
		err = s.reader.Close()
	}
	err = errors.Join(err, s.index.Close())
	s.queue.Close()
	return err
}

// ids returns the passage id of every document number, "" where deleted.
func (s *store) ids() (ids []string, err error) {
	it, err := s.reader.DocIDReaderAll()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for {
		internal, err := it.Next()
		if err != nil {
			return nil, err
		}
		if internal == nil {
			return ids, nil
		}
		n := int(number(internal))
		id, err := s.reader.ExternalID(internal)
		if err != nil {
			return nil, err
		}
		for len(ids) <= n {
			ids = append(ids, "")
		}
		ids[n] = id
	}
}

// number is bleve's document number: its internal id, eight bytes.
func number(internal bindex.IndexInternalID) uint64 {
	if len(internal) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(internal)
}

// frequency returns how many passages hold a term.
func (s *store) frequency(ctx context.Context, field, term string) (n uint64, err error) {
	it, err := s.reader.TermFieldReader(ctx, []byte(term), field, false, false, false)
	if err != nil {
		return 0, fmt.Errorf("counting the passages with %q: %w", term, err)
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	return it.Count(), nil
}

// A posting says that a passage holds a term tf times.
type posting struct{ ord, tf int32 }

// postings appends the passages that hold a term, in no particular order.
func (s *store) postings(ctx context.Context, field, term string, drawn []int, out []posting) (_ []posting, err error) {
	it, err := s.reader.TermFieldReader(ctx, []byte(term), field, true, false, false)
	if err != nil {
		return nil, fmt.Errorf("reading the postings of %q: %w", term, err)
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	var doc bindex.TermFieldDoc
	for {
		next, err := it.Next(doc.Reset())
		if err != nil {
			return nil, fmt.Errorf("reading the postings of %q: %w", term, err)
		}
		if next == nil {
			return out, nil
		}
		n := number(next.ID)
		if n >= uint64(len(drawn)) || drawn[n] < 0 {
			return nil, fmt.Errorf("reading the postings of %q: document %d is not in the passage table", term, n)
		}
		out = append(out, posting{ord: int32(drawn[n]), tf: int32(next.Freq)})
	}
}

// passage reads a stored passage.
func (s *store) passage(id string) (state.Passage, error) {
	var p state.Passage
	doc, err := s.reader.Document(id)
	if err != nil {
		return p, fmt.Errorf("reading passage %q: %w", id, err)
	}
	if doc == nil {
		return p, fmt.Errorf("reading passage %q: %w", id, io.ErrUnexpectedEOF)
	}
	doc.VisitFields(func(f bindex.Field) {
		if f.Name() == passageField {
			err = json.Unmarshal(f.Value(), &p)
		}
	})
	if err == nil && p.ID != id {
		err = fmt.Errorf("it holds passage %q", p.ID)
	}
	if err != nil {
		return p, fmt.Errorf("reading passage %q: %w", id, err)
	}
	return p, nil
}

// guarded runs fn, which reads bleve's and bolt's memory-mapped files, and
// turns their panics, and the faults of a file that was cut while it was
// mapped, into errors. It covers fn's own goroutine only.
func guarded(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("reading the stored index: %v", r)
		}
	}()
	return fn()
}
