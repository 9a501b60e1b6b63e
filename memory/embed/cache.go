package embed

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"example.com/assay/memory/internal/flock"
)

const (
	segmentShare = 64 // segments that a full cache has about
	lockName     = "lock"
)

// DefaultMaxBytes is the bound of a cache whose options do not say: 1 GiB.
const DefaultMaxBytes = 1 << 30

// A Key says what a vector was made of.
type Key [sha256.Size]byte

// keyOf hashes the parts with their lengths, so that no two lists of parts
// run together to the same bytes.
func keyOf(parts ...string) Key {
	h := sha256.New()
	for _, p := range parts {
		h.Write(binary.AppendUvarint(nil, uint64(len(p))))
		h.Write([]byte(p))
	}
	return Key(h.Sum(nil))
}

// CacheOptions adjusts OpenCache. Nil and the zero value mean the defaults.
type CacheOptions struct {
	// MaxBytes is about how large the directory may grow, 64 KiB at least;
	// default DefaultMaxBytes. When it is more, the files that were used the longest ago
	// are deleted, each about a 64th of MaxBytes. A larger batch of vectors
	// than that stays whole.
	MaxBytes int64
}

// CacheStats describes a cache, and what this opening of it and all openings
// that are closed were asked.
type CacheStats struct {
	Vectors     int   `json:"vectors"`   // that can be found
	Bytes       int64 `json:"bytes"`     // on disk
	MaxBytes    int64 `json:"max_bytes"` // CacheOptions.MaxBytes
	Hits        int64 `json:"hits"`      // of this opening
	Misses      int64 `json:"misses"`
	TotalHits   int64 `json:"total_hits"` // of this one and those before it
	TotalMisses int64 `json:"total_misses"`
}

// HitRate is the share of hits in all that was asked, 0 when nothing was.
func (s CacheStats) HitRate() float64 {
	return float64(s.TotalHits) / float64(max(1, s.TotalHits+s.TotalMisses))
}

// A Cache keeps vectors on disk. It is safe for concurrent use, also by
// several processes on one machine.
//
// The directory holds segments, files to which records are appended under a
// lock. A record carries checksums, so that one that a process left half
// written is not taken for a vector, and the next writer cuts it off. Nothing
// is synced: a power cut may lose vectors, which are then made again.
type Cache struct {
	dir     string
	max     int64
	writing chan struct{} // holds one thing while this opening writes, or waits for others to have written

	mu       sync.Mutex
	closed   bool
	segments map[int]*segment
	order    []int // numbers of segments, ascending
	places   map[Key]place
	hits     int64
	misses   int64
}

// A place is where a record lies.
type place struct {
	in   *segment
	at   int64
	dims int32
}

// OpenCache opens the cache in a directory, which is made when it is missing.
// It reads the head of every record, not the vectors.
func OpenCache(dir string, opts *CacheOptions) (*Cache, error) {
	c := &Cache{dir: dir, max: DefaultMaxBytes, writing: make(chan struct{}, 1), segments: map[int]*segment{}, places: map[Key]place{}}
	if opts != nil && opts.MaxBytes > 0 {
		c.max = max(opts.MaxBytes, 1<<16)
	}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = c.refresh()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the cache of vectors: %w", err), c.Close())
	}
	return c, nil
}

var errClosed = errors.New("the cache is closed")

// Get returns the vectors of keys by index, nil where there is none. What
// other processes have added meanwhile is found, too. A damaged record counts
// as none.
func (c *Cache) Get(keys []Key) ([][]float32, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, fmt.Errorf("reading the cache of vectors: %w", errClosed)
	}
	out := make([][]float32, len(keys))
	missing := c.find(keys, out)
	if missing > 0 {
		if err := c.refresh(); err != nil {
			return nil, fmt.Errorf("reading the cache of vectors: %w", err)
		}
		missing = c.find(keys, out)
	}
	c.hits += int64(len(keys) - missing)
	c.misses += int64(missing)
	return out, nil
}

// find fills what out lacks, and returns how much it lacks then.
func (c *Cache) find(keys []Key, out [][]float32) (missing int) {
	for i, key := range keys {
		if out[i] != nil {
			continue
		}
		p, ok := c.places[key]
		if ok && !p.in.gone {
			if v, ok := p.in.read(key, p); ok {
				out[i], p.in.used = v, true
				continue
			}
		}
		delete(c.places, key)
		missing++
	}
	return missing
}

// Put adds vectors to the cache. All of them, and none of them by half, can
// be found by every process once it returns. While another process writes, it
// waits, until the context ends; Get does not wait for it.
func (c *Cache) Put(ctx context.Context, keys []Key, vectors [][]float32) error {
	if len(keys) != len(vectors) {
		return fmt.Errorf("writing to the cache of vectors: %d keys for %d vectors", len(keys), len(vectors))
	}
	for i, v := range vectors {
		if len(v) == 0 || len(v) > maxDims {
			return fmt.Errorf("writing to the cache of vectors: vector %d has %d dimensions; 1 to %d are possible", i+1, len(v), maxDims)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	if err := c.locked(ctx, func() error { return c.put(keys, vectors) }); err != nil {
		return fmt.Errorf("writing to the cache of vectors: %w", err)
	}
	return nil
}

// locked runs fn while no other process writes.
func (c *Cache) locked(ctx context.Context, fn func() error) (err error) {
	select {
	case c.writing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-c.writing }()
	lock, err := os.OpenFile(filepath.Join(c.dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }() // which ends the lock
	if err := flock.Wait(ctx, lock); err != nil {
		return err
	}
	return fn()
}

func (c *Cache) put(keys []Key, vectors [][]float32) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return errClosed
	}
	if err := c.refresh(); err != nil {
		return err
	}
	active, err := c.active()
	if err != nil {
		return err
	}
	at := active.end
	if err := active.write(keys, vectors); err != nil {
		return err
	}
	for i, v := range vectors {
		c.places[keys[i]] = place{active, at, int32(len(v))}
		at += recordSize(len(v))
	}
	return c.sweep()
}

// active returns the segment to append to, made when the last one is full.
func (c *Cache) active() (*segment, error) {
	number := 1
	if n := len(c.order); n > 0 {
		number = c.order[n-1]
		last := c.segments[number]
		if last.end < c.max/segmentShare {
			return last, nil
		}
		number++
	}
	s, err := openSegment(filepath.Join(c.dir, segmentName(number)), os.O_CREATE)
	if err != nil {
		return nil, err
	}
	c.segments[number] = s
	c.order = append(c.order, number)
	return s, nil
}

// Stats describes the cache. What other processes have asked it is counted
// when they have closed it.
func (c *Cache) Stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := CacheStats{Vectors: len(c.places), MaxBytes: c.max, Hits: c.hits, Misses: c.misses}
	if hits, misses, err := c.readTotals(); err == nil { // else nothing is known of others
		out.TotalHits, out.TotalMisses = hits, misses
	}
	if !c.closed {
		out.TotalHits, out.TotalMisses = out.TotalHits+c.hits, out.TotalMisses+c.misses
	}
	for _, n := range c.order {
		out.Bytes += c.segments[n].end
	}
	return out
}

// Close marks the files that were used, so that they are deleted last, adds
// what was asked to the totals, and releases the files. Closing twice is
// harmless.
func (c *Cache) Close() error {
	first, err := c.release()
	if first {
		if totals := c.addTotals(); totals != nil {
			err = errors.Join(err, fmt.Errorf("closing the cache of vectors: %w", totals))
		}
	}
	return err
}

// release closes the files, and reports whether they were open.
func (c *Cache) release() (first bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false, nil
	}
	c.closed = true
	var errs []error
	now := time.Now()
	for _, n := range slices.Sorted(maps.Keys(c.segments)) {
		s := c.segments[n]
		if s.used {
			err := os.Chtimes(s.path, now, now)
			if err != nil && !errors.Is(err, os.ErrNotExist) { // another process has swept it
				errs = append(errs, fmt.Errorf("closing the cache of vectors: %w", err))
			}
		}
		errs = append(errs, s.file.Close())
	}
	return true, errors.Join(errs...)
}
