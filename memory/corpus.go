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
	Documents   int    `json:"documents"`       // a file of records has several
	Bytes       int64  `json:"bytes"`           // of text
	Embedder    string `json:"embedder"`        // the remote one's ID, or else the offline one's
	Space       string `json:"space,omitempty"` // the remote one's ID; empty without one
	Cut         string `json:"cut,omitempty"`   // how passages are cut before they are embedded; empty for not at all
	Fingerprint string `json:"fingerprint"`
	Generation  string `json:"generation"`
	Index       string `json:"index,omitempty"` // address of the server with its index; empty for files
	Fault       string `json:"fault,omitempty"` // from List: why the corpus cannot be opened
}

// A Corpus is an open generation of a corpus. It is safe for concurrent use and does not change
// while it is open, even if the corpus is ingested again.
type Corpus struct {
	store    *store
	gen      string
	manifest *manifest
	index    *index.Index
	inUse    *flock.Flock
	opts     OpenOptions
	ranker   *RankerInfo // nil without a trained ranker
}

// OpenOptions configure [OpenWith]. Nil means the zero value.
type OpenOptions struct {
	// Space embeds the questions. It must be the one that the corpus was ingested with; otherwise
	// Search fails. Nil: the offline embedder only.
	Space *embed.Space
	// Meaning rates parts of the found passages against the question: state.Hit.Near. Optional.
	Meaning *embed.Space
	// Reader reads parts of passages together with the question if the query asks for it:
	// state.Hit.Read. It requires Meaning. Optional.
	Reader Reader
	// Reranker reorders the hits of the index. Optional.
	Reranker Reranker
	// Detector detects prompt injections in the returned passages. Optional.
	Detector Detector
	// Inspect finds prompt injections in the returned passages. They are removed, with those that
	// the Detector finds: state.Passage.Withhold. Nil removes nothing.
	Inspect retrieval.Inspect
	// RerankDepth is the number of hits passed to the Reranker; default 20, and at least the number
	// asked for.
	RerankDepth int
	// Ranker orders the hits of the index in place of the corpus's own trained ranker. Nil: that
	// one, if the corpus has one.
	Ranker *learn.Model
	// Untrained leaves the trained ranker out.
	Untrained bool
	// Servers connects to the server of a corpus whose index is on one. Without it such a corpus
	// cannot be opened.
	Servers Servers
}

// Open opens a corpus for reading. The errors to expect are
// *UnknownCorpusError, *EmptyCorpusError, *OtherVersionError and
// *CorruptCorpusError. A corpus whose index is on a server needs [OpenWith].
func Open(home, name string) (*Corpus, error) { return OpenWith(home, name, nil) }

// OpenWith is [Open] with options.
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

// gone reports whether a locked generation is no longer in its place: its corpus was removed, and
// perhaps created again.
func (s *store) gone(gen string, inUse *flock.Flock) bool {
	there, err := os.Stat(s.path(gen, inUseFile))
	if err != nil {
		return errors.Is(err, os.ErrNotExist)
	}
	mine, err := inUse.Stat()
	return err == nil && !os.SameFile(mine, there)
}

// hold locks the live generation of a corpus so that no ingest removes it.
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

// useGeneration takes the shared lock that keeps a generation from being removed.
func useGeneration(path string) (*flock.Flock, error) {
	f := flock.New(path, flock.SetFlag(os.O_RDONLY)) // a removed one is not created again
	err := locked(f.TryRLock())
	if err == nil {
		// If it was removed between opening and locking, the file there is another one.
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

// openGeneration opens a locked generation. After an error the caller releases the lock.
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

// Fingerprint identifies the content: the same files with the same options give the same
// fingerprint, however they were ingested.
func (c *Corpus) Fingerprint() string { return c.manifest.Fingerprint }

// Info describes the corpus as it was opened.
func (c *Corpus) Info() CorpusInfo { return c.manifest.Info }

// Training describes the training of the corpus's offline embedder and how vectors are searched.
func (c *Corpus) Training() index.Training { return c.index.Training() }

// Sources lists the names of the corpus's texts, sorted.
func (c *Corpus) Sources() []string {
	out := make([]string, len(c.manifest.Files))
	for i, f := range c.manifest.Files {
		out[i] = f.Source
	}
	return out
}

// Search returns the passages that answer a query. With a Reranker they are in its order or, if it
// fails, in the index's order, and the result gives the reason. With a Detector they have the
// prompt injections it found, or the result says why it found none. A trained ranker orders the
// hits before the Reranker. The confidence is always that of the index's own order.
//
// Errors are those of ctx, *EmbedderError, which means that nothing was searched,
// *retrieval.UnknownKeyError for a filter, and *embed.Error.
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
	if lambda > 0 { // chosen from the reranked hits, not reranked again
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

// Embed returns the unit vector of a text from the corpus's offline embedder, for package qa. A
// text without a word of the corpus has the zero vector.
func (c *Corpus) Embed(text string) []float32 { return c.index.Embed(text) }

// TextPath returns the file whose bytes Start to End are the text of a passage of the source: the
// ingested file itself for markdown and plain text, the corpus's extracted text for the other
// formats. original is the file that a text was extracted from, and empty otherwise. Check reports
// whether the file is unchanged.
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

// Check returns an error if the text of a source is no longer the ingested one: a
// *document.InputError for a changed or missing file, a *CorruptCorpusError for a damaged extracted
// text.
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
		err = changed(f.Path)
	}
	if err != nil {
		return fmt.Errorf("checking %q: %w", source, err)
	}
	return nil
}

// Format returns the format of a source, as document.Document has it; "" for an unknown source.
func (c *Corpus) Format(source string) string {
	f, err := c.file(source)
	if err != nil {
		return ""
	}
	return f.Format
}

// Original returns the bytes of the file that was ingested as a source. If it is another one now, or
// longer than most bytes, the error is a *document.InputError.
func (c *Corpus) Original(ctx context.Context, source string, most int64) ([]byte, error) {
	f, err := c.file(source)
	if err != nil {
		return nil, err
	}
	data, hash, err := document.ReadFile(ctx, f.Path, most)
	if err == nil && hash != f.Hash {
		err = changed(f.Path)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the file of %q: %w", source, err)
	}
	return data, nil
}

// Document reads the file of a source again, as Ingest did. If it is another one now, or longer than
// most bytes, the error is a *document.InputError.
func (c *Corpus) Document(ctx context.Context, source string, most int64) (document.Document, error) {
	f, err := c.file(source)
	if err != nil {
		return document.Document{}, err
	}
	s := c.manifest.Settings
	d, err := document.Load(ctx, f.Path, source, &document.LoadOptions{TextField: s.TextField, TitleField: s.TitleField, IDField: s.IDField, DocField: s.DocField, MaxFileBytes: most})
	if err == nil && d.Hash != f.Hash {
		err = changed(f.Path)
	}
	if err != nil {
		return document.Document{}, fmt.Errorf("reading %q again: %w", source, err)
	}
	return d, nil
}

func changed(path string) error {
	return &document.InputError{Path: path, Msg: "it changed since it was ingested", Hint: "ingest it again"}
}

func (c *Corpus) file(source string) (file, error) {
	files := c.manifest.Files
	i := sort.Search(len(files), func(i int) bool { return files[i].Source >= source })
	if i == len(files) || files[i].Source != source {
		return file{}, fmt.Errorf("finding the text of %q: corpus %q has no such source", source, c.store.name)
	}
	return files[i], nil
}

// List describes the corpora of a home, sorted by name. One that cannot be read has its Fault set.
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

// describe reads the description from the manifest, without opening the index.
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
