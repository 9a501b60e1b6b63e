package embed

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/internal/sqlfile"
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
	got, err := c.Get(t.Context(), keys)
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

// A byte of a vector that changed anywhere costs the vector and never makes a
// wrong one. The next Put mends it.
func TestFlippedAnywhere(t *testing.T) {
	dir := t.TempDir()
	c := reopen(t, dir, nil)
	put(t, c, 0, 1, 2)
	key, v := vectorOf(1)
	data := encode(key, v)
	for i := range data {
		bad := slices.Clone(data)
		bad[i] ^= 1 << (i % 8)
		for name, bad := range map[string][]byte{"changed": bad, "cut": data[:i]} {
			if _, err := c.rows.(*cacheFile).file.Write.Exec("UPDATE vectors SET vector = ? WHERE key = ?", append([]byte{}, bad...), key[:]); err != nil {
				t.Fatal(err)
			}
			if got := held(t, c, 3); got != 2 {
				t.Errorf("byte %d %s: %d vectors; want 2", i, name, got)
			}
		}
	}
	other, _ := vectorOf(2)
	if _, err := c.rows.(*cacheFile).file.Write.Exec("UPDATE vectors SET vector = ? WHERE key = ?", data, other[:]); err != nil {
		t.Fatal(err)
	}
	if got := held(t, c, 3); got != 1 {
		t.Errorf("with the vector of another key: %d vectors; want 1", got)
	}
	put(t, c, 1, 2)
	if got := held(t, reopen(t, dir, nil), 3); got != 3 {
		t.Errorf("written again: %d vectors; want 3", got)
	}
	if got := c.Stats(); got.Vectors != 3 {
		t.Errorf("written again: %+v", got)
	}
}

// Files of the cache's earlier form are deleted, and nothing else is.
func TestEarlierForm(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"00000001.vec", "00000002.vec", "totals", "lock", "notes.vec"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(t, reopen(t, dir, nil), 0)
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	left = slices.DeleteFunc(left, func(path string) bool { return strings.HasPrefix(filepath.Base(path), cacheName) })
	if len(left) != 1 || filepath.Base(left[0]) != "notes.vec" {
		t.Errorf("left are %q", left)
	}
}

// What is no cache is an error that names its place, and is not changed.
func TestDamagedFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, cacheName)
	text := strings.Repeat("no vectors ", 20)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenCache(dir, nil); !sqlfile.Damaged(err) || !strings.Contains(err.Error(), dir) {
		t.Errorf("error %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != text {
		t.Errorf("the file holds %d bytes, %v", len(data), err)
	}
}

// A cache whose file was deleted meanwhile closes.
func TestDeletedWhileOpen(t *testing.T) {
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
				got, err := c.Get(context.Background(), keys[at:at+1])
				if err != nil || got[0] == nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}

// What was swept gives its place on the disk back.
func TestSweepShrinks(t *testing.T) {
	c := reopen(t, t.TempDir(), &CacheOptions{MaxBytes: 1 << 16})
	big := make([]float32, maxDims)
	if err := c.Put(t.Context(), []Key{{1}}, [][]float32{big}); err != nil {
		t.Fatal(err)
	}
	put(t, c, 1)
	var pages int64
	if err := c.rows.(*cacheFile).file.Read.QueryRow("SELECT page_count FROM pragma_page_count").Scan(&pages); err != nil || pages > 16 {
		t.Errorf("%d pages hold one vector, %v", pages, err)
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
	if _, err := c.Get(t.Context(), []Key{key}); err == nil {
		t.Error("read after Close")
	}
}

// Any bytes in place of a vector: no panic, and no vector unless the checksum says
// so.
func FuzzDecode(f *testing.F) {
	key, v := vectorOf(1)
	whole := encode(key, v)
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add(whole[:4])
	f.Fuzz(func(t *testing.T, data []byte) {
		if got := decode(key, data); got != nil && !slices.Equal(encode(key, got), data) {
			t.Errorf("%x was read as %v", data, got)
		}
	})
}

// BenchmarkPut writes batches of 64 vectors of 1,024 dimensions.
func BenchmarkPut(b *testing.B) {
	c := reopen(b, b.TempDir(), nil)
	keys, vectors := make([]Key, 64), make([][]float32, 64)
	for i := range vectors {
		vectors[i] = make([]float32, 1024)
	}
	n := 0
	for b.Loop() {
		for i := range keys {
			keys[i] = keyOf(fmt.Sprint(n))
			n++
		}
		if err := c.Put(context.Background(), keys, vectors); err != nil {
			b.Fatal(err)
		}
	}
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
		v, err := c.Get(context.Background(), keys[i%len(keys):i%len(keys)+1])
		if err != nil || v[0][0] != float32(i%len(keys)) {
			b.Fatal(v, err)
		}
		i++
	}
}
