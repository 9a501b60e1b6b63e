package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"

	"example.com/assay/memory/embed"
	"example.com/assay/memory/lsa"
	"example.com/assay/memory/text"
	"example.com/assay/memory/vector"
	"example.com/assay/state"
)

// An Index is an open generation. It is safe for concurrent use, also by
// several processes; nothing that reads it changes it.
type Index struct {
	dir         string
	store       source // nil when there are no passages
	table       *table
	model       *lsa.Model
	vectors     *vector.Set // a row of model.Dims per passage
	codedFile   *os.File    // that vectors read from; nil for a small index
	calibration Calibration // of confidences
	stats       Stats
	changed     int          // passages added or removed since the embedder was trained
	space       *embed.Space // questions are embedded in it; nil for none
	meaning     *meaning     // nil without a remote embedder
	trained     *trained     // nil without a trained ranker

	// Derived from the table by prepare, which searches need.
	docOf    []int32      // document per passage
	norm     []float64    // per passage: what BM25 adds to a term's frequency, for its length
	inDoc    [][]int32    // passages per document
	sizes    []int32      // how many
	docLen   []float64    // terms per document, its name included
	nameOf   [][]nameTerm // of the table
	nameUses []nameCount  // documents whose name holds each of the table's nameTerms, one term's after the other's
	nameFrom []int        // per term: where its begin, and their end
	titles   []titleRef   // of the table
	bm25     BM25         // resolved
	avgLen   float64
	avgPairs float64
	avgDoc   float64
	grouped  bool // most passages share their document with others

	// Of the generation; of a pool, the table holds a few of them.
	passages, allDocs int
	lexicon           *lexicon   // what is known of them where they are on a server; nil of files
	server            Collection // nil of files
	where             []Where    // of a pool: the filter that it was found by

	languages []text.Language // of the passages; nil where all are English

	stems    *stemCache
	stemmers *sync.Pool // of analyses of what a server found; nil of files

	scratch   *sync.Pool
	gatherers *sync.Pool
	closing   sync.RWMutex // held for reading while files are read
	closed    bool
}

type nameCount struct {
	doc   int32
	count int
}

// Open opens a generation for reading. It checks every file's checksum, but of a
// large one the parts, of which what is read is checked when it is read: what was
// changed there is a *CorruptError of the search. The
// error is a *CorruptError or a *VersionError when the directory is not a
// whole generation of this version, and wraps fs.ErrNotExist when there is
// none. Of an index with vectors of an embedder, words alone find then: see OpenIn.
func Open(dir string) (*Index, error) { return OpenIn(dir, nil) }

// OpenIn is Open with the space that questions are embedded in. Whether it is
// that of the index shows when a search needs it: the error of Search is a
// *SpaceError then. An index without vectors needs none.
func OpenIn(dir string, space *embed.Space) (*Index, error) {
	return openChecking(dir, space, checkedWhole)
}

// openChecking is OpenIn with other parts than the constant's checked whole.
func openChecking(dir string, space *embed.Space, whole int64) (*Index, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	if m.has(lexiconFile) {
		return nil, fmt.Errorf("opening index %q: its passages are on a server; open it with that", dir)
	}
	wait := m.verifyOthers(dir, m.sidecars(), whole)
	x, files, err := readSidecars(dir, m)
	if err := errors.Join(err, wait()); err != nil {
		return nil, closing(x, err)
	}
	x.space = space
	x.prepare()
	if err := x.openStore(m.Parts, sumsOf(m.Parts, files)); err != nil {
		return nil, closing(x, &CorruptError{Dir: dir, Err: err})
	}
	return x, nil
}

// closing is an error that leaves an index, which may be nil, unopened.
func closing(x *Index, err error) error {
	if x == nil {
		return err
	}
	return errors.Join(err, x.Close())
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

// readSidecars reads all of a generation but what searches read of its parts.
func readSidecars(dir string, m *manifest) (*Index, map[string][]byte, error) {
	files, err := m.read(dir, m.sidecars())
	if err != nil {
		return nil, nil, err
	}
	x, err := assemble(dir, m, files)
	if err == nil {
		for _, sums := range sumsOf(m.Parts, files) {
			if len(sums)%sumSize != 0 {
				err = errors.New("reading the check sums: not a file of them of this version")
			}
		}
	}
	if err != nil {
		return nil, nil, &CorruptError{Dir: dir, Err: err}
	}
	return x, files, nil
}

// sumsOf are the check sums of the parts.
func sumsOf(parts []part, files map[string][]byte) [][]byte {
	out := make([][]byte, len(parts))
	for i, p := range parts {
		sums, _ := bytes.CutPrefix(files[p.Name+sumsExt], []byte(sumsMagic))
		out[i] = sums
	}
	return out
}

// assemble decodes the sidecar files.
func assemble(dir string, m *manifest, files map[string][]byte) (*Index, error) {
	var t *table
	var set *vector.Set
	var coded *os.File
	model := new(lsa.Model)
	var errs [2]error
	parallel(len(errs), func(i int) {
		if i == 0 {
			t, errs[i] = decodeTable(files[tableFile])
		} else if errs[i] = model.Decode(files[modelFile], m.Stats.Embedder); errs[i] == nil {
			set, coded, errs[i] = openVectors(dir, m, files, m.Stats.Passages, model.Dims())
		}
	})
	err := errors.Join(errs[:]...)
	if err == nil && t.len() != m.Stats.Passages {
		err = fmt.Errorf("the table holds %d passages, want %d", t.len(), m.Stats.Passages)
	}
	if err != nil && coded != nil {
		err = errors.Join(err, coded.Close())
	}
	if err != nil {
		return nil, err
	}
	x := newIndex(dir, t, model, set, m.Stats.BM25)
	x.codedFile = coded
	x.calibration, x.stats, x.changed = m.Calibration, m.Stats, m.Changed
	if m.Scale == nil {
		return x, nil
	}
	if x.meaning, err = openMeaning(dir, m, files, t.len()); err != nil {
		x.meaning = nil
		if coded != nil {
			err = errors.Join(err, coded.Close())
		}
		return nil, err
	}
	return x, nil
}

func newIndex(dir string, t *table, model *lsa.Model, vectors *vector.Set, bm25 BM25) *Index {
	x := &Index{dir: dir, table: t, model: model, vectors: vectors, bm25: bm25.Resolved(), stems: &stemCache{stems: make(map[string]string)}}
	x.pools(t.len(), len(t.docs))
	return x
}

// pools makes the memory of searches.
func (x *Index) pools(passages, docs int) {
	x.scratch = &sync.Pool{New: func() any { return newScratch(passages, docs) }}
	x.gatherers = &sync.Pool{New: func() any { return &gatherer{place: make([]int32, docs)} }}
}

// openStore opens the parts, if there is anything in them.
func (x *Index) openStore(parts []part, sums [][]byte) error {
	if x.table.len() == 0 {
		return nil
	}
	return guarded(func() error {
		parts, err := openStore(x.dir, x.table, parts, sums)
		if err == nil {
			x.store = parts
			err = x.findLanguages(context.Background())
		}
		return err
	})
}

// prepare derives what ranking needs from the table.
func (x *Index) prepare() {
	t := x.table
	x.docOf, x.norm = make([]int32, t.len()), make([]float64, t.len())
	x.docLen = make([]float64, len(t.docs))
	x.nameOf, x.titles = t.nameOf, t.titles
	var length, pairs int
	parallel(2, func(i int) {
		if i == 0 {
			x.inDoc = t.members()
			return
		}
		for ord := range int32(t.len()) {
			doc, terms := t.doc(ord), t.number(ord, rowLength)
			x.docOf[ord] = int32(doc)
			x.docLen[doc] += float64(terms)
			length += terms
			pairs += t.number(ord, rowBigrams)
		}
	})
	x.nameDocuments()
	x.passages, x.allDocs = t.len(), len(t.docs)
	x.sizes = make([]int32, len(t.docs))
	shared := 0
	var docs float64
	for doc, members := range x.inDoc {
		x.sizes[doc] = int32(len(members))
		if len(members) > 1 {
			shared += len(members)
		}
		docs += x.docLen[doc]
	}
	n := float64(max(1, t.len()))
	x.avgLen, x.avgPairs, x.avgDoc = float64(length)/n, float64(pairs)/n, docs/float64(max(1, len(t.docs)))
	for ord := range x.norm {
		x.norm[ord] = lengthNorm(float64(t.number(int32(ord), rowLength)), x.avgLen, x.bm25.K1, x.bm25.B)
	}
	x.grouped = 2*shared >= t.len()
}

// nameDocuments makes the documents of each stem of their names, and counts these
// among the documents' terms.
func (x *Index) nameDocuments() {
	t := x.table
	from := make([]int, len(t.nameTerms)+1)
	for _, name := range t.nameOf {
		for _, n := range name {
			from[n.term+1]++
		}
	}
	for i := range t.nameTerms {
		from[i+1] += from[i]
	}
	x.nameFrom, x.nameUses = from, make([]nameCount, from[len(t.nameTerms)])
	next := slices.Clone(from)
	for doc, name := range t.nameOf {
		for _, n := range name {
			x.nameUses[next[n.term]] = nameCount{doc: int32(doc), count: int(n.count)}
			next[n.term]++
			x.docLen[doc] += float64(nameWeight * n.count)
		}
	}
}

// members lists the passages of a document.
func (x *Index) members(doc int32) []int32 {
	if found, ok := x.store.(*pool); ok {
		return found.members[doc]
	}
	return x.inDoc[doc]
}

// named lists the documents with a stem in their name, and how often it is there.
func (x *Index) named(term string) []nameCount {
	at, found := slices.BinarySearch(x.table.nameTerms, term)
	if !found {
		return nil
	}
	return x.nameUses[x.nameFrom[at]:x.nameFrom[at+1]]
}

// inName reports whether a stem is part of a document's name.
func (x *Index) inName(doc int, term string) bool {
	_, found := slices.BinarySearchFunc(x.nameOf[doc], term, func(n nameTerm, term string) int {
		return strings.Compare(x.table.nameTerms[n.term], term)
	})
	return found
}

var errClosed = errors.New("the index is closed")

// read runs fn while the files are open.
func (x *Index) read(fn func() error) error {
	x.closing.RLock()
	defer x.closing.RUnlock()
	if x.closed {
		return errClosed
	}
	err := guarded(fn)
	if damage, ok := errors.AsType[*panicked](err); ok {
		return &CorruptError{Dir: x.dir, Err: damage}
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
	var errs []error
	if x.store != nil {
		errs = append(errs, guarded(x.store.close))
	}
	for _, f := range x.files() {
		errs = append(errs, f.Close())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("closing index %q: %w", x.dir, err)
	}
	return nil
}

// files are those that vectors are read from.
func (x *Index) files() []*os.File {
	var out []*os.File
	if x.codedFile != nil {
		out = append(out, x.codedFile)
	}
	if x.meaning != nil && x.meaning.file != nil {
		out = append(out, x.meaning.file)
	}
	return out
}

// Stats describes the generation.
func (x *Index) Stats() Stats { return x.stats }

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
	t := Training{BM25: x.bm25, Calibration: x.calibration, Fitted: x.model.Docs(), Sampled: min(x.model.Docs(), lsa.Sample), Changed: x.changed}
	if x.table.len() >= refitBelow {
		t.RefitAt = int(math.Ceil(refitShare * float64(x.model.Docs())))
	}
	lists := x.vectors.Lists()
	if x.meaning != nil {
		lists = x.meaning.set.Lists()
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
	if _, ok := x.table.find(id); !ok {
		return p, false, nil
	}
	err = x.read(func() (err error) {
		p, err = x.store.passage(id)
		return err
	})
	return p, err == nil, err
}

// Embed returns a unit vector of a text, for comparison by dot product with
// vectors of the same index. Words that the corpus does not hold take
// part: see [lsa.Model.Embed]. A text without content words gives the zero
// vector.
func (x *Index) Embed(s string) []float32 {
	return x.model.Embed(lsa.Bag(x.terms(s)))
}

// queryTerms are the stems of an English query without the words that questions are
// wrapped in; if nothing else is left, those count too.
func queryTerms(s string) []string {
	for _, stop := range []text.StopList{text.QueryStops, text.DocStops} {
		if list := terms(s, stop); len(list) > 0 {
			return list
		}
	}
	return nil
}
