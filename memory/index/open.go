package index

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"example.com/assay/memory/embed"
	"example.com/assay/memory/index/internal/codec"
	"example.com/assay/memory/index/internal/ranking"
	"example.com/assay/memory/index/internal/served"
	"example.com/assay/memory/index/internal/storage"
	"example.com/assay/memory/lsa"
	"example.com/assay/memory/vector"
	"example.com/assay/state"
)

// An Index is an open generation. It is safe for concurrent use, also by
// several processes; nothing that reads it changes it.
type Index struct {
	gen    *generation
	corpus *ranking.Corpus
	space  *embed.Space // questions are embedded in it; nil for none

	server Collection // nil of files

	closing sync.RWMutex // held for reading while files are read
	closed  bool
}

// Open opens a generation for reading, and compares its files with their check sums. It does
// not read the parts of a large generation: a search that reads changed ones returns a
// *CorruptError.
//
// The error is a *CorruptError or a *VersionError when the directory is not a whole
// generation of this version, and wraps fs.ErrNotExist when there is none. An index with
// vectors of a remote embedder is searched by words alone: see OpenIn.
func Open(dir string) (*Index, error) { return OpenIn(dir, nil) }

// OpenIn is Open with the space that questions are embedded in. Search returns a *SpaceError
// where the vectors of the index are of another. An index without vectors needs no space.
func OpenIn(dir string, space *embed.Space) (*Index, error) {
	return openChecking(dir, space, checkedWhole)
}

// openChecking is OpenIn that compares parts with their check sums up to so many bytes.
func openChecking(dir string, space *embed.Space, whole int64) (*Index, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	if m.has(lexiconFile) {
		return nil, fmt.Errorf("opening index %q: its passages are on a server; open it with that", dir)
	}
	wait := m.verifyOthers(dir, m.sidecars(), whole)
	files, err := m.read(dir, m.sidecars())
	var g *generation
	if err == nil {
		if g, err = decodeGeneration(dir, m, files); err != nil {
			err = &CorruptError{Dir: dir, Err: err}
		}
	}
	if err := errors.Join(err, wait()); err != nil {
		if g != nil {
			err = errors.Join(err, g.close())
		}
		return nil, err
	}
	x := &Index{gen: g, space: space, corpus: ranking.New(g.table, g.model, g.vectors, g.rules())}
	if space != nil && g.meaning != nil && g.meaning.Set.Len() > 0 {
		x.corpus.Meaning = g.meaning
	}
	if err := codec.Guarded(func() error {
		s, err := storage.Open(dir, g.table, m.Parts, func(name string) ([]byte, error) { return files[name], nil }, g.damaged)
		if err != nil {
			return err
		}
		return x.corpus.ReadFrom(context.Background(), s)
	}); err != nil {
		return nil, errors.Join(&CorruptError{Dir: dir, Err: err}, x.Close())
	}
	return x, nil
}

// ReadStats returns what a generation's manifest says of it, without opening
// or checking its other files. The errors are those of Open.
func ReadStats(dir string) (Stats, error) {
	m, err := readManifest(dir)
	if err != nil {
		return Stats{}, err
	}
	return m.Stats, nil
}

var errClosed = errors.New("the index is closed")

// read runs fn while the files are open.
func (x *Index) read(fn func() error) error {
	x.closing.RLock()
	defer x.closing.RUnlock()
	if x.closed {
		return errClosed
	}
	err := codec.Guarded(fn)
	if damage, ok := errors.AsType[*codec.Panicked](err); ok {
		return &CorruptError{Dir: x.gen.dir, Err: damage}
	}
	return err
}

// Close waits for searches that are running and releases the files. Closing
// twice is harmless.
func (x *Index) Close() error {
	x.closing.Lock()
	defer x.closing.Unlock()
	if x.closed {
		return nil
	}
	x.closed = true
	var err error
	if x.corpus.Store != nil { // it was opened
		err = codec.Guarded(x.corpus.Store.Close)
	}
	if err = errors.Join(err, x.gen.close()); err != nil {
		return fmt.Errorf("closing index %q: %w", x.gen.dir, err)
	}
	return nil
}

// Stats describes the generation.
func (x *Index) Stats() Stats { return x.gen.Stats }

// Training says what the offline embedder of a generation was trained on, when
// it will be trained again, and how vectors are searched.
type Training struct {
	Fitted  int `json:"fitted"`   // passages of the corpus when it was trained
	Sampled int `json:"sampled"`  // of those, what it was trained on
	Changed int `json:"changed"`  // passages added or removed since; they are folded in
	RefitAt int `json:"refit_at"` // as many changes, and it is trained again; 0: it is at every change

	BM25        BM25        `json:"bm25"`        // what passages are ranked with
	Calibration Calibration `json:"calibration"` // of confidences

	Lists  int     `json:"lists"`            // that the vectors are shared out among; 0: all are looked at
	Probes int     `json:"probes,omitempty"` // lists that a query looks at
	Recall float64 `json:"recall,omitempty"` // share of the ten nearest that these hold, as measured on training
}

// Training describes the embedder of the generation, and the lists of its
// vectors, those of a remote embedder where there is one.
func (x *Index) Training() Training {
	t := Training{BM25: x.gen.Stats.BM25.Resolved(), Calibration: x.gen.Calibration, Fitted: x.gen.model.Docs(), Sampled: min(x.gen.model.Docs(), lsa.Sample), Changed: x.gen.Changed}
	if x.gen.table.Len() >= refitBelow {
		t.RefitAt = int(math.Ceil(refitShare * float64(x.gen.model.Docs())))
	}
	lists := x.gen.vectors.Lists()
	if x.gen.meaning != nil {
		lists = x.gen.meaning.Set.Lists()
	}
	if lists != nil && lists.Probes() < lists.Count() {
		t.Lists, t.Probes, t.Recall = lists.Count(), lists.Probes(), lists.Recall()
	}
	return t
}

// Passage returns the passage with an id, as it was added, and whether there is one.
// Where its document is not in English, its metadata say in which language it is.
func (x *Index) Passage(id string) (p state.Passage, ok bool, err error) {
	if x.server != nil {
		return x.fetched(id)
	}
	ord, ok := x.gen.table.Find(id)
	if !ok {
		return p, false, nil
	}
	err = x.read(func() (err error) {
		p, err = x.corpus.Store.Passage(ord)
		return err
	})
	return p, err == nil, err
}

// Embed returns a unit vector of a text, for comparison by dot product with
// vectors of the same index. Words that the corpus does not hold take
// part: see [lsa.Model.Embed]. A text without content words gives the zero
// vector.
func (x *Index) Embed(s string) []float32 {
	return x.gen.model.Embed(lsa.Bag(x.corpus.Reader.Terms(s)))
}

// OpenServed opens what Publish wrote to a directory, for searches of the passages in a
// collection. It does not ask the server. Errors are those of Open; a generation whose
// passages are in files is an error, too.
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
	corpus, err := ranking.NewServed(context.Background(), l, g.model, g.rules())
	if err != nil {
		return nil, err
	}
	g.table = corpus.Table
	return &Index{gen: g, server: server, corpus: corpus}, nil
}
