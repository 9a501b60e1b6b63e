package embed

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"slices"
	"sync"
	"time"
)

const (
	maxDims = 1 << 16
	// longestClose bounds how long a closing cache waits for others to have written.
	longestClose = 2 * time.Second
)

// DefaultMaxBytes is the default of CacheOptions.MaxBytes: 1 GiB.
const DefaultMaxBytes = 1 << 30

// A Key is a hash of the embedder's ID, the use and the text of a vector.
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

// CacheOptions adjusts a cache. Nil and the zero value mean the defaults.
type CacheOptions struct {
	// MaxBytes bounds the bytes of the vectors and their keys; at least 64 KiB, default
	// DefaultMaxBytes. The file or the tables take up to a third more. Beyond the bound the least
	// recently used batches are deleted. The last written batch stays, whatever its size.
	MaxBytes int64
}

// CacheStats describes a cache, and the requests to this opening of it and to all closed ones.
type CacheStats struct {
	Vectors     int   `json:"vectors"`   // that can be found
	Bytes       int64 `json:"bytes"`     // of the vectors and their keys
	MaxBytes    int64 `json:"max_bytes"` // CacheOptions.MaxBytes
	Hits        int64 `json:"hits"`      // of this opening
	Misses      int64 `json:"misses"`
	TotalHits   int64 `json:"total_hits"` // of this one and those before it
	TotalMisses int64 `json:"total_misses"`
}

// HitRate is the share of hits among all requests, 0 without any.
func (s CacheStats) HitRate() float64 {
	return float64(s.TotalHits) / float64(max(1, s.TotalHits+s.TotalMisses))
}

// CacheRows store the bytes of vectors in batches. One Write adds a batch, and batches are deleted,
// not single vectors. Each Write and each Report increases the use number of its batches. Only
// implementations of a store need this interface.
type CacheRows interface {
	// Read returns the data of keys by index, nil for missing ones, and their batches.
	Read(ctx context.Context, keys []Key) (data [][]byte, batches []int64, err error)
	// Write adds a batch in one transaction. The data of an existing key is replaced in its own
	// batch. Then Write deletes the least recently used batches until keys and data take at most
	// most bytes. The new batch stays.
	Write(ctx context.Context, keys []Key, data [][]byte, most int64) error
	// Report marks batches as used, and adds to the totals of requests.
	Report(ctx context.Context, used []int64, hits, misses int64) error
	// Count sets Vectors, Bytes, TotalHits and TotalMisses.
	Count(ctx context.Context) (CacheStats, error)
	// Close ends the use of the rows.
	Close() error
}

// A Cache stores vectors. It is safe for concurrent use, also by several processes. The vectors of
// one Put are deleted together, because a corpus's vectors are written and needed together.
type Cache struct {
	rows CacheRows
	max  int64

	mu     sync.Mutex
	closed bool
	used   map[int64]bool // batches of which a vector was returned
	hits   int64
	misses int64
}

// NewCache returns the cache in some rows, which it closes. [OpenCache] makes one in a
// directory.
func NewCache(rows CacheRows, opts *CacheOptions) *Cache {
	c := &Cache{rows: rows, max: DefaultMaxBytes, used: map[int64]bool{}}
	if opts != nil && opts.MaxBytes > 0 {
		c.max = max(opts.MaxBytes, 1<<16)
	}
	return c
}

// Get returns the vectors of keys by index, nil for missing ones, including those that other
// processes have added since. A vector with a wrong checksum counts as missing.
func (c *Cache) Get(ctx context.Context, keys []Key) ([][]float32, error) {
	data, batches, err := c.rows.Read(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("reading the cache of vectors: %w", err)
	}
	out := make([][]float32, len(keys))
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, key := range keys {
		if out[i] = decode(key, data[i]); out[i] == nil {
			c.misses++
			continue
		}
		c.hits++
		c.used[batches[i]] = true
	}
	return out, nil
}

// Put adds vectors to the cache, all or none, visible to every process when it returns. While
// another process writes, Put waits until ctx ends; Get does not wait for it.
func (c *Cache) Put(ctx context.Context, keys []Key, vectors [][]float32) error {
	if len(keys) != len(vectors) {
		return fmt.Errorf("writing to the cache of vectors: %d keys for %d vectors", len(keys), len(vectors))
	}
	data := make([][]byte, len(keys))
	for i, v := range vectors {
		if len(v) == 0 || len(v) > maxDims {
			return fmt.Errorf("writing to the cache of vectors: vector %d has %d dimensions; 1 to %d are possible", i+1, len(v), maxDims)
		}
		data[i] = encode(keys[i], v)
	}
	if len(keys) == 0 {
		return nil
	}
	if err := c.rows.Write(ctx, keys, data, c.max); err != nil {
		return fmt.Errorf("writing to the cache of vectors: %w", err)
	}
	return nil
}

// Stats describes the cache. Requests of other processes count after they have closed it. For an
// unreadable cache only the requests to this opening are known.
func (c *Cache) Stats() CacheStats {
	out, err := c.rows.Count(context.Background())
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		out = CacheStats{}
	}
	out.MaxBytes, out.Hits, out.Misses = c.max, c.hits, c.misses
	if !c.closed && err == nil {
		out.TotalHits, out.TotalMisses = out.TotalHits+c.hits, out.TotalMisses+c.misses
	}
	return out
}

// Close marks the used batches, so that they are deleted last, adds the requests to the totals, and
// closes the rows. If others write for too long, both updates are lost. Closing twice is harmless.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	if err := errors.Join(c.report(), c.rows.Close()); err != nil {
		return fmt.Errorf("closing the cache of vectors: %w", err)
	}
	return nil
}

// report writes the batches used and the requests of this opening.
func (c *Cache) report() error {
	if c.hits+c.misses == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), longestClose)
	defer cancel()
	err := c.rows.Report(ctx, slices.Sorted(maps.Keys(c.used)), c.hits, c.misses)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encode writes the coordinates as little-endian float32 with the CRC-32C of the key and of them;
// those of eight bits in a quarter of the space.
func encode(key Key, v []float32) []byte {
	if out := packed(key, v); out != nil {
		return out
	}
	out := make([]byte, 0, 4*len(v)+4)
	for _, x := range v {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return binary.LittleEndian.AppendUint32(out, checksum(key, out))
}

func checksum(key Key, coordinates []byte) uint32 {
	return crc32.Update(crc32.Checksum(key[:], castagnoli), castagnoli, coordinates)
}

// decode reads the output of encode; nil for damaged data.
func decode(key Key, data []byte) []float32 {
	n := len(data)/4 - 1
	if v := unpack(key, data); v != nil {
		return v
	}
	if n < 1 || len(data)%4 != 0 || binary.LittleEndian.Uint32(data[4*n:]) != checksum(key, data[:4*n]) {
		return nil
	}
	v := make([]float32, n)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return v
}
