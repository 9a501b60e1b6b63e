package embed

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"

	"example.com/assay/internal/sqlfile"
)

const (
	cacheName = "vectors.db"
	maxDims   = 1 << 16
	// busy is how long SQLite waits before change asks whether the context has
	// ended: its own wait cannot be ended.
	busy = 50 * time.Millisecond
	// longestClose bounds how long a closing cache waits for others to have written.
	longestClose = 2 * time.Second
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
	// MaxBytes bounds the bytes of the vectors and their keys, 64 KiB at least;
	// default DefaultMaxBytes. The file takes up to a third more. When there are
	// more, the batches that were used the longest ago are deleted. The batch that
	// was written last stays, whatever its size.
	MaxBytes int64
}

// CacheStats describes a cache, and what this opening of it and all openings
// that are closed were asked.
type CacheStats struct {
	Vectors     int   `json:"vectors"`   // that can be found
	Bytes       int64 `json:"bytes"`     // of the vectors and their keys
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

// A Cache keeps vectors on disk. It is safe for concurrent use, also by several
// processes on one machine.
//
// What one Put wrote is a batch. Batches are deleted and not single vectors,
// because a corpus's vectors are written together and are needed together. Commits
// do not wait for the disk: a power cut may lose the last vectors, which are then
// made again.
type Cache struct {
	path string
	max  int64
	file *sqlfile.File

	mu     sync.Mutex
	closed bool
	used   map[int64]bool // batches of which a vector was returned
	hits   int64
	misses int64
}

// cacheSchema is what a cache's file holds. The use of a batch is a number that
// grows with each Put and each Close.
var cacheSchema = sqlfile.Schema{Application: 0x41537663, Steps: []string{`
	CREATE TABLE batches (id INTEGER PRIMARY KEY, vectors INTEGER NOT NULL, bytes INTEGER NOT NULL, used INTEGER NOT NULL) STRICT;
	CREATE TABLE vectors (key BLOB NOT NULL UNIQUE, batch INTEGER NOT NULL, vector BLOB NOT NULL) STRICT;
	CREATE INDEX vectors_batch ON vectors (batch);
	CREATE TABLE totals (hits INTEGER NOT NULL, misses INTEGER NOT NULL) STRICT;
	INSERT INTO totals VALUES (0, 0);`,
}}

// OpenCache opens the cache in a directory, which is made when it is missing.
// Vectors of an earlier version of this program, which kept them in files of its
// own, are deleted: they are made again when they are needed.
func OpenCache(dir string, opts *CacheOptions) (*Cache, error) {
	c := &Cache{path: filepath.Join(dir, cacheName), max: DefaultMaxBytes, used: map[int64]bool{}}
	if opts != nil && opts.MaxBytes > 0 {
		c.max = max(opts.MaxBytes, 1<<16)
	}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = removeEarlier(dir)
	}
	if err == nil {
		c.file, err = sqlfile.Open(context.Background(), c.path, cacheSchema, &sqlfile.Options{
			Synchronous: "NORMAL", Busy: busy, Pragmas: []string{"auto_vacuum(INCREMENTAL)"},
		})
	}
	if err != nil {
		return nil, fmt.Errorf("opening the cache of vectors in %s: %w", dir, err)
	}
	return c, nil
}

// removeEarlier deletes the files of the cache's earlier form.
func removeEarlier(dir string) error {
	earlier, err := filepath.Glob(filepath.Join(dir, "[0-9]*.vec"))
	if err != nil || len(earlier) == 0 {
		return err
	}
	for _, path := range append(earlier, filepath.Join(dir, "totals"), filepath.Join(dir, "lock")) {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Get returns the vectors of keys by index, nil where there is none. What
// other processes have added meanwhile is found, too. A vector whose checksum is
// wrong counts as none.
func (c *Cache) Get(keys []Key) ([][]float32, error) {
	out, used, err := c.get(keys)
	if err != nil {
		return nil, fmt.Errorf("reading the cache of vectors: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, v := range out {
		if v == nil {
			c.misses++
			continue
		}
		c.hits++
		c.used[used[i]] = true
	}
	return out, nil
}

// get returns the vectors and their batches.
func (c *Cache) get(keys []Key) (out [][]float32, batches []int64, err error) {
	ctx := context.Background()
	stmt, err := c.file.Read.PrepareContext(ctx, "SELECT batch, vector FROM vectors WHERE key = ?")
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, stmt.Close()) }()
	out, batches = make([][]float32, len(keys)), make([]int64, len(keys))
	for i, key := range keys {
		var data []byte
		err := stmt.QueryRowContext(ctx, key[:]).Scan(&batches[i], &data)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		out[i] = decode(key, data)
	}
	return out, batches, nil
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
	err := c.change(ctx, func(tx *sql.Tx) error {
		batch, err := c.put(ctx, tx, keys, vectors)
		if err != nil {
			return err
		}
		return c.sweep(ctx, tx, batch)
	})
	if err != nil {
		return fmt.Errorf("writing to the cache of vectors: %w", err)
	}
	return nil
}

// change makes a change in one transaction, once no other process writes.
func (c *Cache) change(ctx context.Context, make func(*sql.Tx) error) error {
	return sqlfile.WhileBusy(ctx, func() error {
		tx, err := c.file.Write.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback() // after Commit there is nothing to undo
		if err := make(tx); err != nil {
			return err
		}
		return tx.Commit()
	})
}

// put writes a batch and returns its number. A vector that is there already is
// written over in its own batch: it may be damaged.
func (c *Cache) put(ctx context.Context, tx *sql.Tx, keys []Key, vectors [][]float32) (batch int64, err error) {
	if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(id), 0) + 1 FROM batches").Scan(&batch); err != nil {
		return 0, err
	}
	insert, err := tx.PrepareContext(ctx, "INSERT INTO vectors VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET vector = excluded.vector RETURNING batch")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, insert.Close()) }()
	var count, size, in int64
	for i, key := range keys {
		data := encode(key, vectors[i])
		if err := insert.QueryRowContext(ctx, key[:], batch, data).Scan(&in); err != nil {
			return 0, err
		}
		if in == batch {
			count++
			size += int64(len(key) + len(data))
		}
	}
	if count == 0 {
		return batch, nil
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO batches SELECT ?, ?, ?, coalesce(max(used), 0) + 1 FROM batches", batch, count, size)
	return batch, err
}

// sweep deletes batches, those first that were used the longest ago, until the
// cache is within its bound. The batch of a number stays.
func (c *Cache) sweep(ctx context.Context, tx *sql.Tx, stays int64) error {
	var total int64
	if err := tx.QueryRowContext(ctx, "SELECT coalesce(sum(bytes), 0) FROM batches").Scan(&total); err != nil || total <= c.max {
		return err
	}
	for total > c.max {
		var id, size int64
		err := tx.QueryRowContext(ctx, "SELECT id, bytes FROM batches WHERE id <> ? ORDER BY used, id LIMIT 1", stays).Scan(&id, &size)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err == nil {
			_, err = tx.ExecContext(ctx, "DELETE FROM vectors WHERE batch = ?1; DELETE FROM batches WHERE id = ?1", id)
		}
		if err != nil {
			return err
		}
		total -= size
	}
	_, err := tx.ExecContext(ctx, "PRAGMA incremental_vacuum") // also after the bound was lowered
	return err
}

// Stats describes the cache. What other processes have asked it is counted
// when they have closed it. Of a cache that cannot be read nothing is known but
// what this opening was asked.
func (c *Cache) Stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := CacheStats{MaxBytes: c.max, Hits: c.hits, Misses: c.misses}
	row := c.file.Read.QueryRow("SELECT coalesce(sum(vectors), 0), coalesce(sum(bytes), 0), (SELECT hits FROM totals), (SELECT misses FROM totals) FROM batches")
	if err := row.Scan(&out.Vectors, &out.Bytes, &out.TotalHits, &out.TotalMisses); err != nil {
		out = CacheStats{MaxBytes: c.max, Hits: c.hits, Misses: c.misses}
	}
	if !c.closed {
		out.TotalHits, out.TotalMisses = out.TotalHits+c.hits, out.TotalMisses+c.misses
	}
	return out
}

// Close marks the batches that were used, so that they are deleted last, adds
// what was asked to the totals, and closes the file. Where others write for too
// long, both are lost: nobody waits for a report. Closing twice is harmless.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	if err := errors.Join(c.report(), c.file.Close()); err != nil {
		return fmt.Errorf("closing the cache of vectors: %w", err)
	}
	return nil
}

// report writes what this opening has used and was asked.
func (c *Cache) report() error {
	if _, err := os.Stat(c.path); c.hits+c.misses == 0 || errors.Is(err, fs.ErrNotExist) { // deleted while it was open
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), longestClose)
	defer cancel()
	err := c.change(ctx, func(tx *sql.Tx) error {
		var now int64
		if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(used), 0) + 1 FROM batches").Scan(&now); err != nil {
			return err
		}
		for batch := range c.used {
			if _, err := tx.ExecContext(ctx, "UPDATE batches SET used = ? WHERE id = ?", now, batch); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, "UPDATE totals SET hits = hits + ?, misses = misses + ?", c.hits, c.misses)
		return err
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encode writes the coordinates as float32, in little-endian numbers, and the
// CRC-32C of the key and of them.
func encode(key Key, v []float32) []byte {
	out := make([]byte, 0, 4*len(v)+4)
	for _, x := range v {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return binary.LittleEndian.AppendUint32(out, checksum(key, out))
}

func checksum(key Key, coordinates []byte) uint32 {
	return crc32.Update(crc32.Checksum(key[:], castagnoli), castagnoli, coordinates)
}

// decode reads what encode writes; nil of what is damaged.
func decode(key Key, data []byte) []float32 {
	n := len(data)/4 - 1
	if n < 1 || len(data)%4 != 0 || binary.LittleEndian.Uint32(data[4*n:]) != checksum(key, data[:4*n]) {
		return nil
	}
	v := make([]float32, n)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return v
}
