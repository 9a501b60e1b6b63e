package embed

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// vectorOf is the vector that tests keep under a number: its key can be made
// again, and each coordinate follows from the number.
func vectorOf(n int) (Key, []float32) {
	v := make([]float32, 16+n%3)
	for i := range v {
		v[i] = float32(n*31 + i)
	}
	return keyOf(fmt.Sprint(n)), v
}

func put(t testing.TB, c *Cache, numbers ...int) {
	t.Helper()
	var keys []Key
	var vectors [][]float32
	for _, n := range numbers {
		key, v := vectorOf(n)
		keys, vectors = append(keys, key), append(vectors, v)
	}
	if err := c.Put(t.Context(), keys, vectors); err != nil {
		t.Fatal(err)
	}
}

// held counts the vectors of 0 … n-1 that a cache holds; a wrong one fails.
func held(t testing.TB, c *Cache, n int) int {
	t.Helper()
	keys := make([]Key, n)
	for i := range keys {
		keys[i], _ = vectorOf(i)
	}
	got, err := c.Get(keys)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for i, v := range got {
		if v == nil {
			continue
		}
		if _, want := vectorOf(i); !slices.Equal(v, want) {
			t.Fatalf("vector %d is %v; want %v", i, v, want)
		}
		count++
	}
	return count
}

func reopen(t testing.TB, dir string, opts *CacheOptions) *Cache {
	t.Helper()
	c, err := OpenCache(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestKeysDiffer(t *testing.T) {
	seen := map[Key][]string{}
	for _, parts := range [][]string{{"a", "b", "c"}, {"ab", "", "c"}, {"a", "bc", ""}, {"a", "b"}, {"a", "query", "t"}, {"a", "passage", "t"}} {
		if other, ok := seen[keyOf(parts...)]; ok {
			t.Errorf("%q and %q have one key", parts, other)
		}
		seen[keyOf(parts...)] = parts
	}
}

// A segment that ends anywhere holds the whole vectors before that place, and
// takes new ones.
func TestCutAnywhere(t *testing.T) {
	dir := t.TempDir()
	put(t, reopen(t, dir, nil), 0, 1, 2)
	data, err := os.ReadFile(filepath.Join(dir, segmentName(1)))
	if err != nil {
		t.Fatal(err)
	}
	ends := make([]int64, 3)
	var at int64
	for i := range ends {
		_, v := vectorOf(i)
		at += recordSize(len(v))
		ends[i] = at
	}
	for cut := range len(data) + 1 {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, segmentName(1)), data[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		whole := 0
		for _, end := range ends {
			if end <= int64(cut) {
				whole++
			}
		}
		c := reopen(t, dir, nil)
		if got := held(t, c, 3); got != whole {
			t.Fatalf("cut at %d of %d: %d vectors; want %d", cut, len(data), got, whole)
		}
		put(t, c, 3)
		_, v := vectorOf(3)
		want := recordSize(len(v))
		if whole > 0 {
			want += ends[whole-1]
		}
		if info, err := os.Stat(filepath.Join(dir, segmentName(1))); err != nil || info.Size() != want {
			t.Fatalf("cut at %d and written again: %d bytes; want %d, without the torn record", cut, info.Size(), want)
		}
		for _, again := range []*Cache{c, reopen(t, dir, nil)} {
			if got := held(t, again, 4); got != whole+1 {
				t.Fatalf("cut at %d and written again: %d vectors; want %d", cut, got, whole+1)
			}
		}
	}
}

// A byte that changed anywhere costs vectors and never makes a wrong one.
func TestFlippedAnywhere(t *testing.T) {
	dir := t.TempDir()
	put(t, reopen(t, dir, nil), 0, 1, 2)
	path := filepath.Join(dir, segmentName(1))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		bad := slices.Clone(data)
		bad[i] ^= 1 << (i % 8)
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := OpenCache(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := held(t, c, 3); got == 3 {
			t.Errorf("byte %d changed, and nobody noticed", i)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Caches that are open at the same time on one directory, as those of several
// processes are, see each other's vectors and lose none.
func TestSeveralWriters(t *testing.T) {
	const writers, each = 4, 200
	dir := t.TempDir()
	var group sync.WaitGroup
	for w := range writers {
		c := reopen(t, dir, &CacheOptions{MaxBytes: 1 << 20})
		group.Go(func() {
			for i := range each {
				key, v := vectorOf(w*each + i)
				if err := c.Put(t.Context(), []Key{key}, [][]float32{v}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	early := reopen(t, dir, nil)
	group.Wait()
	for name, c := range map[string]*Cache{"opened before": early, "opened after": reopen(t, dir, nil)} {
		if got := held(t, c, writers*each); got != writers*each {
			t.Errorf("%s: %d vectors; want %d", name, got, writers*each)
		}
	}
}

// The directory stays within its bound; what was used lately stays, and a
// reader of a deleted segment goes on.
// What all openings were asked adds up, also of several at once; a file of
// totals that is damaged starts anew.
func TestTotals(t *testing.T) {
	dir := t.TempDir()
	c := reopen(t, dir, nil)
	if got := c.Stats(); got.HitRate() != 0 || got.MaxBytes != DefaultMaxBytes {
		t.Errorf("of a new cache: %+v", got)
	}
	put(t, c, 0, 1, 2)
	held(t, c, 4) // 3 hits, 1 miss
	if got := c.Stats(); got.Hits != 3 || got.Misses != 1 || got.TotalHits != 3 || got.TotalMisses != 1 {
		t.Errorf("before it is closed: %+v", got)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			other, err := OpenCache(dir, nil)
			if err != nil {
				t.Error(err)
				return
			}
			key, _ := vectorOf(0)
			if _, err := other.Get([]Key{key}); err != nil {
				t.Error(err)
			}
			if err := other.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	idle := reopen(t, dir, nil)
	if got := idle.Stats(); got.Hits != 0 || got.TotalHits != 11 || got.TotalMisses != 1 || got.HitRate() != 11./12 {
		t.Errorf("of all openings: %+v", got)
	}
	for _, bad := range []string{"", "x", "1", "-3 4\n"} {
		if err := os.WriteFile(filepath.Join(dir, totalsName), []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := idle.Stats(); got.TotalHits != 0 || got.TotalMisses != 0 {
			t.Errorf("%q: %+v", bad, got)
		}
	}
	gone := filepath.Join(t.TempDir(), "gone")
	removed := reopen(t, gone, nil)
	held(t, removed, 1)
	if err := os.RemoveAll(gone); err != nil {
		t.Fatal(err)
	}
	if err := removed.Close(); err != nil {
		t.Errorf("a cache that was deleted meanwhile: %v", err)
	}
}

// go test -bench CacheHit ./memory/embed
func BenchmarkCacheHit(b *testing.B) {
	for _, dims := range []int{384, 1536} {
		b.Run(fmt.Sprint(dims), func(b *testing.B) {
			c := reopen(b, b.TempDir(), nil)
			keys, vectors := make([]Key, 10000), make([][]float32, 10000)
			for i := range keys {
				keys[i], vectors[i] = keyOf(fmt.Sprint(i)), make([]float32, dims)
			}
			if err := c.Put(context.Background(), keys, vectors); err != nil {
				b.Fatal(err)
			}
			i := 0
			for b.Loop() {
				at := i * 7919 % len(keys)
				got, err := c.Get(keys[at : at+1])
				if err != nil || got[0] == nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	opts := &CacheOptions{MaxBytes: 1 << 16}
	const n = 2000
	first := reopen(t, dir, opts)
	for i := range 40 { // segments of their own times
		put(t, first, i)
	}
	reader := reopen(t, dir, opts)
	c := reopen(t, dir, opts)
	for i := 40; i < n; i++ {
		put(t, c, i)
		if i == n/2 {
			// Segments that were read are marked when their reader closes.
			old := time.Now().Add(-time.Hour)
			for _, number := range c.order {
				if err := os.Chtimes(filepath.Join(dir, segmentName(number)), old, old); err != nil {
					t.Fatal(err)
				}
			}
			user := reopen(t, dir, opts)
			key, _ := vectorOf(n/2 - 50)
			if v, err := user.Get([]Key{key}); err != nil || v[0] == nil {
				t.Fatalf("vector %d is gone too early: %v", n/2-50, err)
			}
			if err := user.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if i == n/2+540 {
			used, _ := vectorOf(n/2 - 50)
			unused, _ := vectorOf(n/2 - 80)
			v, err := c.Get([]Key{used, unused})
			if err != nil {
				t.Fatal(err)
			}
			if v[0] == nil || v[1] != nil {
				t.Errorf("used: %t, not used: %t; want the used one kept longer", v[0] != nil, v[1] != nil)
			}
		}
		if bytes := c.Stats().Bytes; bytes > opts.MaxBytes+2048 {
			t.Fatalf("%d bytes; the bound is %d", bytes, opts.MaxBytes)
		}
	}
	var onDisk int64
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		onDisk += info.Size()
	}
	if onDisk > opts.MaxBytes+2048 {
		t.Errorf("%d bytes on disk; the bound is %d", onDisk, opts.MaxBytes)
	}
	if got := held(t, c, n); got < 300 || got >= n {
		t.Errorf("%d of %d vectors are left", got, n)
	}
	// An open file outlives its name: a reader has what it had until it looks
	// for something else.
	for _, want := range []int{40, 0} {
		if got := held(t, reader, 40); got != want {
			t.Errorf("%d vectors of deleted segments are found; want %d", got, want)
		}
		key, _ := vectorOf(-1)
		if _, err := reader.Get([]Key{key}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMisuse(t *testing.T) {
	c := reopen(t, t.TempDir(), nil)
	if err := c.Put(t.Context(), make([]Key, 2), make([][]float32, 1)); err == nil {
		t.Error("two keys for one vector")
	}
	if err := c.Put(t.Context(), make([]Key, 1), make([][]float32, 1)); err == nil {
		t.Error("a vector without dimensions")
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	key, v := vectorOf(1)
	if err := c.Put(t.Context(), []Key{key}, [][]float32{v}); err == nil {
		t.Error("written after Close")
	}
	if _, err := c.Get([]Key{key}); err == nil {
		t.Error("read after Close")
	}
}

// FuzzSegment opens a segment of any bytes: no panic, and no vector under a
// key unless its checksums say so.
func FuzzSegment(f *testing.F) {
	key, v := vectorOf(1)
	whole := appendRecord(nil, key, v)
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add(binary.LittleEndian.AppendUint32([]byte(recordMagic), 1<<31))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, segmentName(1)), data, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := OpenCache(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Get([]Key{key}); err != nil {
			t.Error(err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

// BenchmarkHit measures a vector of 1,024 dimensions among 10,000.
func BenchmarkHit(b *testing.B) {
	c := reopen(b, b.TempDir(), nil)
	keys := make([]Key, 10_000)
	vectors := make([][]float32, len(keys))
	for i := range keys {
		keys[i] = keyOf(fmt.Sprint(i))
		vectors[i] = make([]float32, 1024)
		vectors[i][0] = float32(i)
	}
	if err := c.Put(context.Background(), keys, vectors); err != nil {
		b.Fatal(err)
	}
	i := 0
	for b.Loop() {
		v, err := c.Get(keys[i%len(keys) : i%len(keys)+1])
		if err != nil || v[0][0] != float32(i%len(keys)) {
			b.Fatal(v, err)
		}
		i++
	}
}
