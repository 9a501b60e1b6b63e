package memory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"sync"

	"example.com/assay/memory/document"
	"example.com/assay/memory/embed"
	"example.com/assay/memory/index"
	"example.com/assay/memory/learn"
	"example.com/assay/memory/retrieval"
	"example.com/assay/memory/text"
	"example.com/assay/state"

	"github.com/gofrs/flock"
)

// CorpusInfo describes a corpus.
type CorpusInfo struct {
	Name        string `json:"name"`
	Files       int    `json:"files"`
	Passages    int    `json:"passages"`
	Documents   int    `json:"documents"`       // a file of records holds several
	Bytes       int64  `json:"bytes"`           // of text
	Embedder    string `json:"embedder"`        // the remote one's ID, or else the offline one's
	Space       string `json:"space,omitempty"` // the remote one's ID; empty without one
	Cut         string `json:"cut,omitempty"`   // how passages are cut before they are embedded; empty for not at all
	Fingerprint string `json:"fingerprint"`
	Generation  string `json:"generation"`
	Index       string `json:"index,omitempty"` // address of the server that holds its index; empty of files
	Fault       string `json:"fault,omitempty"` // from List: why the corpus cannot be opened
}

// A Corpus is an open generation of a corpus. It is safe for concurrent use
// and does not change while it is open, whatever is ingested meanwhile.
type Corpus struct {
	store    *store
	gen      string
	manifest *manifest
	index    *index.Index
	inUse    *flock.Flock
	opts     OpenOptions
	ranker   *RankerInfo // nil without a trained ranker
}

// OpenOptions names the helpers of a search. Nil and the zero value need none.
type OpenOptions struct {
	// Space embeds the questions. It must be the one that the corpus was
	// ingested with; otherwise Search refuses. Nil: the offline embedder alone.
	Space *embed.Space
	// Meaning reads the stretches of what was found beside the question: state.Hit.Near. Nil: nobody does.
	Meaning *embed.Space
	// Reader reads stretches together with the question of a query that asks for it: state.Hit.Read. It
	// takes Meaning. Nil: nobody does.
	Reader Reader
	// Reranker orders what the index found. Nil: the index's own order.
	Reranker Reranker
	// Detector looks for orders to an assistant in the passages that are returned.
	// Nil: nobody does.
	Detector Detector
	// Inspect finds what speaks to an assistant in the passages that are returned. It is
	// taken out of them, with what the Detector finds: state.Passage.Withhold. Nil: nothing is.
	Inspect retrieval.Inspect
	// RerankDepth is how many hits the reranker is shown; default 20, and never
	// fewer than are asked for.
	RerankDepth int
	// Ranker orders what the index found, in place of the trained ranker that
	// the corpus has. Nil: that one, where there is one.
	Ranker *learn.Model
	// Untrained leaves the trained ranker out.
	Untrained bool
	// Servers reaches the server of a corpus whose index is on one. Nil: such a corpus
	// cannot be opened.
	Servers Servers
}

// Open opens a corpus for reading. The errors to expect are
// *UnknownCorpusError, *EmptyCorpusError, *OtherVersionError and
// *CorruptCorpusError. A corpus whose index is on a server needs [OpenWith].
func Open(home, name string) (*Corpus, error) { return OpenWith(home, name, nil) }

// OpenWith is Open with the help of others.
func OpenWith(home, name string, opts *OpenOptions) (*Corpus, error) {
	var o OpenOptions
	if opts != nil {
		o = *opts
	}
	if o.RerankDepth <= 0 {
		o.RerankDepth = defaultRerankDepth
	}
	c, err := open(home, name, o)
	if err != nil {
		return nil, fmt.Errorf("opening corpus: %w", err)
	}
	return c, nil
}

// openTries bounds how often Open starts over because an ingest replaced the
// generation between reading its name and locking it.
const openTries = 100

func open(home, name string, opts OpenOptions) (*Corpus, error) {
	for tries := 1; ; tries++ {
		s, gen, inUse, err := hold(home, name)
		if err != nil {
			return nil, err
		}
		c, err := openGeneration(s, gen, inUse, opts)
		if err == nil {
			return c, nil
		}
		again := tries < openTries && s.gone(gen, inUse)
		if err := errors.Join(err, inUse.Close()); !again {
			return nil, err
		}
	}
}

// gone reports whether a generation that is held is no longer at its place: its corpus was
// removed, and may have been made again.
func (s *store) gone(gen string, inUse *flock.Flock) bool {
	there, err := os.Stat(s.path(gen, inUseFile))
	if err != nil {
		return errors.Is(err, os.ErrNotExist)
	}
	mine, err := inUse.Stat()
	return err == nil && !os.SameFile(mine, there)
}

// hold keeps the live generation of a corpus from being removed by an ingest.
func hold(home, name string) (s *store, gen string, inUse *flock.Flock, err error) {
	if err := CheckName(name); err != nil {
		return nil, "", nil, err
	}
	s = &store{name: name, dir: corpusDir(home, name)}
	if _, err := os.Stat(s.dir); errors.Is(err, os.ErrNotExist) {
		known, err := Names(home)
		if err != nil {
			return nil, "", nil, err
		}
		return nil, "", nil, &UnknownCorpusError{Name: name, Known: known}
	}
	var lastErr error
	for range openTries {
		gen, err := s.current()
		if err != nil {
			return nil, "", nil, err
		}
		if gen == "" {
			return nil, "", nil, &EmptyCorpusError{Name: name}
		}
		inUse, err := useGeneration(s.path(gen, inUseFile))
		if err == nil {
			return s, gen, inUse, nil
		}
		lastErr = err
		if now, err := s.current(); err == nil && now == gen && !errors.Is(lastErr, errLocked) {
			break // nobody replaced it: it is damaged
		}
	}
	return nil, "", nil, &CorruptCorpusError{Name: name, Err: lastErr}
}

// useGeneration holds a generation against removal.
func useGeneration(path string) (*flock.Flock, error) {
	f := flock.New(path, flock.SetFlag(os.O_RDONLY)) // one that was removed is not made again
	err := locked(f.TryRLock())
	if err == nil {
		// Removed between opening and locking, it is no longer the file there.
		var mine, there os.FileInfo
		if mine, err = f.Stat(); err == nil {
			if there, err = os.Stat(path); err == nil && !os.SameFile(mine, there) {
				err = os.ErrNotExist
			}
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// openGeneration opens a generation that is held. After an error the caller lets go of it.
func openGeneration(s *store, gen string, inUse *flock.Flock, opts OpenOptions) (*Corpus, error) {
	var m *manifest
	var manifestErr error
	var reading sync.WaitGroup
	reading.Go(func() { m, manifestErr = readManifest(s.path(gen, manifestFile)) })
	var ix *index.Index
	var err error
	dir, onServer := s.searched(gen)
	if !onServer {
		ix, err = index.OpenIn(dir, opts.Space)
	}
	reading.Wait()
	if onServer && manifestErr == nil {
		ix, err = s.openServed(dir, m, opts)
	}
	switch {
	case manifestErr != nil:
		if ix != nil {
			err = ix.Close()
		}
		return nil, &CorruptCorpusError{Name: s.name, Err: errors.Join(manifestErr, err)}
	case err != nil:
		return nil, s.unopened(m, err)
	}
	m.Info.Name, m.Info.Fingerprint, m.Info.Generation = s.name, m.Fingerprint, gen
	m.Info.Index = m.address()
	c := &Corpus{store: s, gen: gen, manifest: m, index: ix, inUse: inUse, opts: opts}
	if err := c.useRanker(); err != nil {
		return nil, errors.Join(err, ix.Close())
	}
	return c, nil
}

// unopened says why an index cannot be opened.
func (s *store) unopened(m *manifest, err error) error {
	if version, ok := errors.AsType[*index.VersionError](err); ok {
		return &OtherVersionError{Name: s.name, Roots: m.roots(), Got: version.Got, Want: version.Want, Err: err}
	}
	if _, ok := errors.AsType[*index.CorruptError](err); !ok && m.Served != nil {
		return &ServerError{Corpus: s.name, Address: m.Served.Address, Err: err}
	}
	return &CorruptCorpusError{Name: s.name, Err: err}
}

// Close releases the corpus. It is not used afterwards.
func (c *Corpus) Close() error {
	return errors.Join(c.index.Close(), c.inUse.Close())
}

// Current reports whether the corpus still has this generation: nothing was ingested since
// it was opened, and it was not removed.
func (c *Corpus) Current() bool {
	now, err := c.store.current()
	return err == nil && now == c.gen
}

// Name returns the corpus's name.
func (c *Corpus) Name() string { return c.store.name }

// Fingerprint identifies the content: the same files with the same options
// give the same fingerprint, whatever ingests led there.
func (c *Corpus) Fingerprint() string { return c.manifest.Fingerprint }

// Info describes the corpus as it was opened.
func (c *Corpus) Info() CorpusInfo { return c.manifest.Info }

// Training says what the corpus's offline embedder was trained on, when it will
// be trained again, and how vectors are searched.
func (c *Corpus) Training() index.Training { return c.index.Training() }

// Sources lists the names of the corpus's texts, sorted.
func (c *Corpus) Sources() []string {
	out := make([]string, len(c.manifest.Files))
	for i, f := range c.manifest.Files {
		out[i] = f.Source
	}
	return out
}

// Search returns the passages that answer a query. With a Reranker they come
// in its order, or, when it fails, in the index's own, and the result says
// why. With a Detector they hold the orders that it found, or the result says why
// it did not look. A trained ranker orders before the Reranker does. The confidence is
// always that of the index's own order.
//
// The errors to expect are the context's, *EmbedderError, which means that
// nothing was searched, *retrieval.UnknownKeyError of a filter, and *embed.Error.
func (c *Corpus) Search(ctx context.Context, q retrieval.Query) (retrieval.Result, error) {
	r, err := c.search(ctx, q)
	if err == nil && c.opts.Detector != nil {
		err = detect(ctx, c.opts.Detector, &r)
	}
	if err == nil && c.opts.Inspect != nil {
		withhold(c.opts.Inspect, r.Hits)
	}
	if err == nil {
		err = c.mean(ctx, q.Primary, r.Hits)
	}
	if err == nil && c.opts.Meaning != nil && q.Read != "" && c.opts.Reader != nil {
		err = c.answers(ctx, q.Read, r.Hits)
	}
	if _, ok := errors.AsType[*index.SpaceError](err); ok {
		return retrieval.Result{}, &EmbedderError{Corpus: c.store.name, Made: c.manifest.Info.Space, Given: c.opts.Space.ID()}
	}
	if _, ok := errors.AsType[*index.CorruptError](err); ok {
		err = &CorruptCorpusError{Name: c.store.name, Err: err}
	}
	if err != nil && c.manifest.Served != nil && ctx.Err() == nil && !errors.As(err, new(*retrieval.UnknownKeyError)) {
		err = &ServerError{Corpus: c.store.name, Address: c.manifest.Served.Address, Err: err}
	}
	if err != nil {
		return retrieval.Result{}, fmt.Errorf("searching corpus %q: %w", c.store.name, err)
	}
	return r, nil
}

func (c *Corpus) search(ctx context.Context, q retrieval.Query) (retrieval.Result, error) {
	if c.opts.Reranker == nil {
		r, err := c.uncovered(ctx, q)
		if err == nil && c.ranker != nil && c.ranker.Fault != "" {
			r.Fallback = text.Clip("ranking with the trained ranker: "+c.ranker.Fault, maxFallback)
		}
		return r, err
	}
	k := q.K
	if k <= 0 {
		k = index.DefaultK
	}
	shown, lambda := k, q.MMR
	if lambda > 0 { // chosen from what the reranker ordered, not ordered again by it
		shown, q.MMR = max(k, c.opts.RerankDepth), 0
	}
	q.K = max(k, c.opts.RerankDepth)
	r, err := c.uncovered(ctx, q)
	if err == nil {
		err = rerank(ctx, c.opts.Reranker, q.Primary, shown, &r)
	}
	if err == nil && lambda > 0 {
		r.Hits, err = c.index.Diversify(r.Hits, relevances(r.Hits), lambda, k)
	}
	return r, err
}

// relevances are the scores that hits are ordered by: the reranker's, or,
// where it failed, the index's.
func relevances(hits []state.Hit) []float64 {
	out := make([]float64, len(hits))
	for i, h := range hits {
		by := h.Scores[0].Value
		for _, s := range h.Scores {
			if s.Ranker == RankerRerank {
				by = s.Value
			}
		}
		out[i] = by
	}
	return out
}

// Facets lists the metadata of the corpus: its keys, sorted, each with at most
// limit values, the most frequent first.
func (c *Corpus) Facets(ctx context.Context, limit int) ([]index.Facet, error) {
	facets, err := c.index.Facets(ctx, limit)
	if err != nil {
		return nil, fmt.Errorf("reading corpus %q: %w", c.store.name, err)
	}
	return facets, nil
}

// Passage returns the passage of an id, and whether there is one.
func (c *Corpus) Passage(id string) (state.Passage, bool, error) {
	p, ok, err := c.index.Passage(id)
	if err != nil {
		return p, ok, fmt.Errorf("reading passage %q of corpus %q: %w", id, c.store.name, err)
	}
	return p, ok, nil
}

// Embed returns the unit vector of a text in the space of the offline
// embedder, which every corpus has, for package qa. A text without a word of the corpus has the zero vector.
func (c *Corpus) Embed(text string) []float32 { return c.index.Embed(text) }

// TextPath returns the file in which the bytes Start to End of a passage of
// the source are its text: the ingested file itself for markdown and plain
// text, the text that the corpus keeps for the other formats. Original is the
// file that a kept text was extracted from, and empty otherwise. Whether the
// file still is what was ingested is for Check to say.
func (c *Corpus) TextPath(source string) (path, original string, err error) {
	f, err := c.file(source)
	if err != nil || f.Text == "" {
		return f.Path, "", err
	}
	if path, err = filepath.Abs(c.store.path(textsDir, f.Text)); err != nil {
		return "", f.Path, fmt.Errorf("finding the text of %q: %w", source, err)
	}
	return path, f.Path, nil
}

// Check reports whether the text of a source still is what was ingested. A
// file that changed or went is a *document.InputError, a kept text that is
// damaged a *CorruptCorpusError.
func (c *Corpus) Check(source string) error {
	f, err := c.file(source)
	if err != nil {
		return err
	}
	if f.Text != "" {
		if info, err := os.Stat(c.store.path(textsDir, f.Text)); err != nil || info.Size() != int64(f.Bytes) {
			return &CorruptCorpusError{Name: c.store.name, Err: fmt.Errorf("the text kept of %q is gone or cut", source)}
		}
		return nil
	}
	hash, err := document.HashFile(context.Background(), f.Path, &document.LoadOptions{MaxFileBytes: 1 << 40})
	if err == nil && hash != f.Hash {
		err = &document.InputError{Path: f.Path, Msg: "it changed since it was ingested", Hint: "ingest it again"}
	}
	if err != nil {
		return fmt.Errorf("checking %q: %w", source, err)
	}
	return nil
}

func (c *Corpus) file(source string) (file, error) {
	files := c.manifest.Files
	i := sort.Search(len(files), func(i int) bool { return files[i].Source >= source })
	if i == len(files) || files[i].Source != source {
		return file{}, fmt.Errorf("finding the text of %q: corpus %q has no such source", source, c.store.name)
	}
	return files[i], nil
}

// List describes the corpora of a home, sorted by name. One that cannot be
// read is listed with its Fault.
func List(home string) ([]CorpusInfo, error) {
	names, err := Names(home)
	if err != nil {
		return nil, err
	}
	out := make([]CorpusInfo, 0, len(names))
	for _, name := range names {
		out = append(out, describe(home, name))
	}
	return slices.Clip(out), nil
}

// describe reads what the manifest says, without opening the index.
func describe(home, name string) CorpusInfo {
	s := &store{name: name, dir: corpusDir(home, name)}
	gen, err := s.current()
	if err != nil {
		return CorpusInfo{Name: name, Fault: err.Error()}
	}
	if gen == "" {
		return CorpusInfo{Name: name, Fault: (&EmptyCorpusError{Name: name}).Error()}
	}
	m, err := readManifest(s.path(gen, manifestFile))
	if err != nil {
		return CorpusInfo{Name: name, Generation: gen, Fault: (&CorruptCorpusError{Name: name, Err: err}).Error()}
	}
	info := m.Info
	info.Name, info.Fingerprint, info.Generation, info.Index = name, m.Fingerprint, gen, m.address()
	dir, _ := s.searched(gen)
	if _, err := index.ReadStats(dir); err != nil {
		info.Fault = s.unopened(m, err).Error()
	}
	return info
}
