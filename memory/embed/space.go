package embed

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
)

const (
	defaultBatch       = 64
	defaultBatchBytes  = 128 << 10
	defaultConcurrency = 4
)

// Options adjusts New. Nil and the zero value mean the defaults.
type Options struct {
	Cache       *Cache // looked up first; nil for none
	Batch       int    // texts of a call; default 64
	BatchBytes  int    // bytes of a call's texts, unless one alone is longer; default 128 KiB
	Concurrency int    // calls at once, of all callers together; default 4
	EightBits   bool   // rounds every coordinate to eight bits; a quarter of the space in the cache
}

// A Space embeds texts with one embedder. It is safe for concurrent use.
type Space struct {
	embedder Embedder
	query    QueryEmbedder // nil when questions are embedded as passages are
	id       string
	opts     Options
	slots    chan struct{}
	dims     atomic.Int64 // of the first vector; 0 before it
	calls    atomic.Int64
	asked    atomic.Int64
}

// Stats counts the work of a Space since it was created.
type Stats struct {
	Calls int64 `json:"calls"` // of the embedder
	Texts int64 `json:"texts"` // in these calls
}

// New returns the space of an embedder.
func New(e Embedder, opts *Options) (*Space, error) {
	if e == nil {
		return nil, errors.New("making a space: no embedder is given")
	}
	id := e.ID()
	if strings.TrimSpace(id) == "" {
		return nil, errors.New("making a space: the embedder has no ID, so that its vectors could not be told from others")
	}
	s := &Space{embedder: e, id: id}
	s.query, _ = e.(QueryEmbedder)
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.Batch <= 0 {
		s.opts.Batch = defaultBatch
	}
	if s.opts.BatchBytes <= 0 {
		s.opts.BatchBytes = defaultBatchBytes
	}
	if s.opts.Concurrency <= 0 {
		s.opts.Concurrency = defaultConcurrency
	}
	s.slots = make(chan struct{}, s.opts.Concurrency)
	return s, nil
}

// ID is the embedder's ID, as it was when the space was made; "" of nil.
func (s *Space) ID() string {
	if s == nil {
		return ""
	}
	return s.id
}

// Stats returns the number of calls and texts so far.
func (s *Space) Stats() Stats { return Stats{Calls: s.calls.Load(), Texts: s.asked.Load()} }

// Uses of a text; each has separate vectors.
const (
	asPassage = "passage"
	asQuery   = "query"
)

// Passages returns the unit vectors of texts that are searched, by index. progress is called with
// the number of distinct texts done, never concurrently; nil is allowed. An error is that of ctx,
// an *Error, or one of the cache. Vectors embedded before an *Error are in the cache.
func (s *Space) Passages(ctx context.Context, texts []string, progress func(done, total int)) ([][]float32, error) {
	return s.vectors(ctx, asPassage, texts, -1, progress)
}

// Some is Passages, but embeds only the first most texts that are not in the cache. The
// vectors of the others are nil.
func (s *Space) Some(ctx context.Context, texts []string, most int) ([][]float32, error) {
	return s.vectors(ctx, asPassage, texts, most, nil)
}

// Missing counts the distinct texts that the cache does not have.
func (s *Space) Missing(ctx context.Context, texts []string) (n int, err error) {
	_, w, err := s.known(ctx, asPassage, texts)
	if err != nil {
		return 0, err
	}
	for _, v := range w.found {
		if v == nil {
			n++
		}
	}
	return n, nil
}

// Queries is Passages for the texts that are searched for.
func (s *Space) Queries(ctx context.Context, texts []string) ([][]float32, error) {
	if s.query == nil {
		return s.vectors(ctx, asPassage, texts, -1, nil)
	}
	return s.vectors(ctx, asQuery, texts, -1, nil)
}

// vectors looks every distinct text up and asks for the rest, or for most of them where most is not
// negative.
func (s *Space) vectors(ctx context.Context, use string, texts []string, most int, progress func(done, total int)) ([][]float32, error) {
	place, w, err := s.known(ctx, use, texts)
	if err != nil {
		return nil, err
	}
	w.most, w.progress = most, progress
	w.finished(0)
	if err := w.ask(ctx); err != nil {
		return nil, err
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = w.found[place[text]]
	}
	return out, nil
}

// known looks every distinct text up. place says where each is.
func (s *Space) known(ctx context.Context, use string, texts []string) (place map[string]int, w *work, err error) {
	place = make(map[string]int, len(texts))
	var distinct []string
	for _, text := range texts {
		if _, ok := place[text]; !ok {
			place[text] = len(distinct)
			distinct = append(distinct, text)
		}
	}
	w = &work{space: s, use: use, texts: distinct, keys: make([]Key, len(distinct))}
	for i, text := range distinct {
		w.keys[i] = keyOf(s.id, use, text)
	}
	return place, w, w.lookUp(ctx)
}

// accept checks the answer to n texts and gives the vectors unit length.
func (s *Space) accept(answer [][]float32, n int) ([][]float32, error) {
	if len(answer) != n {
		return nil, &Error{s.id, fmt.Errorf("it returned %d vectors for %d texts", len(answer), n)}
	}
	out := make([][]float32, n)
	for i, v := range answer {
		if err := s.sameDims(len(v)); err != nil {
			return nil, err
		}
		var err error
		if out[i], err = unit(v); err != nil {
			return nil, &Error{s.id, fmt.Errorf("vector %d of %d cannot be used: %w", i+1, n, err)}
		}
		if s.opts.EightBits {
			out[i] = eightBits(out[i])
		}
	}
	return out, nil
}

// sameDims checks that all vectors of a space have the length of the first.
func (s *Space) sameDims(n int) error {
	if n == 0 || n > maxDims {
		return &Error{s.id, fmt.Errorf("it returned a vector of %d dimensions; 1 to %d are possible", n, maxDims)}
	}
	if !s.dims.CompareAndSwap(0, int64(n)) && s.dims.Load() != int64(n) {
		return &Error{s.id, fmt.Errorf("it returned a vector of %d dimensions after others of %d", n, s.dims.Load())}
	}
	return nil
}

// call asks the embedder for one batch, in turn with other callers.
func (s *Space) call(ctx context.Context, use string, texts []string) ([][]float32, error) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	s.calls.Add(1)
	s.asked.Add(int64(len(texts)))
	var answer [][]float32
	var err error
	if use == asQuery {
		var v []float32
		v, err = s.query.EmbedQuery(ctx, texts[0])
		answer = [][]float32{v}
	} else {
		answer, err = s.embedder.Embed(ctx, texts)
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, &Error{s.id, err}
	}
	return s.accept(answer, len(texts))
}

// work is the state of one call of Passages or Queries.
type work struct {
	space    *Space
	use      string
	texts    []string // distinct
	keys     []Key
	found    [][]float32
	most     int // that are asked for; negative for all
	progress func(done, total int)

	mu   sync.Mutex // guards done and the calls of progress
	done int
}

func (w *work) lookUp(ctx context.Context) error {
	w.found = make([][]float32, len(w.texts))
	if cache := w.space.opts.Cache; cache != nil {
		var err error
		if w.found, err = cache.Get(ctx, w.keys); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return err
		}
	}
	n := 0
	for _, v := range w.found {
		if v == nil {
			continue
		}
		if err := w.space.sameDims(len(v)); err != nil {
			return err
		}
		n++
	}
	w.finished(n)
	return nil
}

func (w *work) finished(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done += n
	if w.progress != nil {
		w.progress(w.done, len(w.texts))
	}
}

// batches groups the texts that are not in the cache into calls.
func (w *work) batches() [][]int {
	most := w.space.opts.Batch
	if w.use == asQuery {
		most = 1
	}
	var out [][]int
	size, left := 0, w.most
	for i, v := range w.found {
		if v != nil {
			continue
		}
		if left == 0 {
			break
		}
		left--
		last := len(out) - 1
		if last < 0 || len(out[last]) == most || size+len(w.texts[i]) > w.space.opts.BatchBytes {
			out = append(out, nil)
			last, size = last+1, 0
		}
		out[last] = append(out[last], i)
		size += len(w.texts[i])
	}
	return out
}

// ask makes the calls. The first failure cancels the others; answers that have arrived are still
// cached.
func (w *work) ask(ctx context.Context) error {
	batches := w.batches()
	if len(batches) == 0 {
		return nil
	}
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan []int)
	var group sync.WaitGroup
	for range min(w.space.opts.Concurrency, len(batches)) {
		group.Go(func() {
			for batch := range next {
				if err := w.one(inner, batch); err != nil {
					stop(err)
				}
			}
		})
	}
feed:
	for _, batch := range batches {
		select {
		case next <- batch:
		case <-inner.Done():
			break feed
		}
	}
	close(next)
	group.Wait()
	return context.Cause(inner)
}

// one embeds a batch and caches the answer.
func (w *work) one(ctx context.Context, batch []int) error {
	texts, keys := make([]string, len(batch)), make([]Key, len(batch))
	for j, i := range batch {
		texts[j], keys[j] = w.texts[i], w.keys[i]
	}
	vectors, err := w.space.call(ctx, w.use, texts)
	if err != nil {
		return err
	}
	for j, i := range batch {
		w.found[i] = vectors[j]
	}
	if cache := w.space.opts.Cache; cache != nil {
		if err := cache.Put(ctx, keys, vectors); err != nil {
			return err
		}
	}
	w.finished(len(batch))
	return nil
}
