package embedtest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"example.com/assay/memory/embed"
)

// OpenCache opens the cache of one place, which the test's end closes. Each call opens it
// once more.
type OpenCache func(t *testing.T, opts *embed.CacheOptions) *embed.Cache

// TestCache tests a cache of vectors on any implementation of its rows. Each call of place creates
// a new store.
func TestCache(t *testing.T, place func(t *testing.T) OpenCache) {
	for _, c := range []struct {
		name string
		test func(*testing.T, OpenCache)
	}{{"Keeps", keeps}, {"SeveralWriters", severalWriters}, {"Totals", totals}, {"Sweep", sweeps}} {
		t.Run(c.name, func(t *testing.T) { c.test(t, place(t)) })
	}
}

// vectorOf is the vector under a number: each coordinate follows from the number.
func vectorOf(n int) (embed.Key, []float32) {
	v := make([]float32, 16+n%3)
	for i := range v {
		v[i] = float32(n*31 + i)
	}
	return embed.Key{byte(n), byte(n >> 8), byte(n >> 16), 1}, v
}

func put(t *testing.T, c *embed.Cache, numbers ...int) {
	t.Helper()
	var keys []embed.Key
	var vectors [][]float32
	for _, n := range numbers {
		key, v := vectorOf(n)
		keys, vectors = append(keys, key), append(vectors, v)
	}
	if err := c.Put(t.Context(), keys, vectors); err != nil {
		t.Fatal(err)
	}
}

// held returns which of some numbers a cache has; a wrong vector fails the test.
func held(t *testing.T, c *embed.Cache, numbers ...int) (out []int) {
	t.Helper()
	keys := make([]embed.Key, len(numbers))
	for i, n := range numbers {
		keys[i], _ = vectorOf(n)
	}
	got, err := c.Get(t.Context(), keys)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if v == nil {
			continue
		}
		if _, want := vectorOf(numbers[i]); !slices.Equal(v, want) {
			t.Fatalf("vector %d is %v; want %v", numbers[i], v, want)
		}
		out = append(out, numbers[i])
	}
	return out
}

func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func keeps(t *testing.T, open OpenCache) {
	c := open(t, nil)
	if got := held(t, c, 0, 1); len(got) != 0 {
		t.Errorf("an empty cache has %v", got)
	}
	if got, err := c.Get(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("of no keys: %v, %v", got, err)
	}
	put(t, c, 1, 2)
	put(t, c, 2, 3) // existing data is replaced
	if got := held(t, open(t, nil), 3, 0, 1, 2, 2); !slices.Equal(got, []int{3, 1, 2, 2}) {
		t.Errorf("held %v", got)
	}
	if got := c.Stats(); got.Vectors != 3 || got.Bytes != 3*(32+4)+4*(17+18+16) {
		t.Errorf("stats %+v", got)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	key, v := vectorOf(4)
	if err := c.Put(ended, []embed.Key{key}, [][]float32{v}); err == nil {
		t.Error("written after the context's end")
	}
	if got := held(t, c, 4); len(got) != 0 {
		t.Errorf("a refused vector is there: %v", got)
	}
}

// Caches that are open at the same time, as in several processes, see each other's vectors and lose
// none.
func severalWriters(t *testing.T, open OpenCache) {
	const writers, each = 4, 200
	var group sync.WaitGroup
	for w := range writers {
		c := open(t, &embed.CacheOptions{MaxBytes: 1 << 20})
		group.Go(func() {
			for i := range each {
				key, v := vectorOf(w*each + i)
				if err := c.Put(t.Context(), []embed.Key{key}, [][]float32{v}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	early := open(t, nil)
	group.Wait()
	for name, c := range map[string]*embed.Cache{"opened before": early, "opened after": open(t, nil)} {
		if got := held(t, c, upTo(writers*each)...); len(got) != writers*each {
			t.Errorf("%s: %d vectors; want %d", name, len(got), writers*each)
		}
	}
}

// The requests of all openings add up, also of concurrent ones.
func totals(t *testing.T, open OpenCache) {
	c := open(t, nil)
	if got := c.Stats(); got.HitRate() != 0 || got.MaxBytes != embed.DefaultMaxBytes {
		t.Errorf("of a new cache: %+v", got)
	}
	put(t, c, 0, 1, 2)
	held(t, c, 0, 1, 2, 3) // 3 hits, 1 miss
	if got := c.Stats(); got.Hits != 3 || got.Misses != 1 || got.TotalHits != 3 || got.TotalMisses != 1 {
		t.Errorf("before it is closed: %+v", got)
	}
	var group sync.WaitGroup
	for range 8 {
		other := open(t, nil)
		group.Go(func() {
			key, _ := vectorOf(0)
			if _, err := other.Get(t.Context(), []embed.Key{key}); err != nil {
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
	if got := open(t, nil).Stats(); got.Hits != 0 || got.TotalHits != 11 || got.TotalMisses != 1 || got.HitRate() != 11./12 {
		t.Errorf("of all openings: %+v", got)
	}
}

// The cache stays within its bound, and recently used vectors stay.
func sweeps(t *testing.T, open OpenCache) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	opts := &embed.CacheOptions{MaxBytes: 1 << 16}
	const n = 1700
	c := open(t, opts)
	for i := range n {
		put(t, c, i)
		if i == n/2 { // batches that were read are marked when their reader closes
			user := open(t, opts)
			if got := held(t, user, n/2-50); len(got) != 1 {
				t.Fatalf("vector %d is gone too early", n/2-50)
			}
			if err := user.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if i == n/2+590 {
			if got := held(t, c, n/2-50, n/2-80); !slices.Equal(got, []int{n/2 - 50}) {
				t.Errorf("left are %v; want the one that was used", got)
			}
		}
		if bytes := c.Stats().Bytes; bytes > opts.MaxBytes {
			t.Fatalf("%d bytes; the bound is %d", bytes, opts.MaxBytes)
		}
	}
	if got := held(t, c, upTo(n)...); len(got) < 300 || len(got) >= n || len(got) != c.Stats().Vectors {
		t.Errorf("%d of %d vectors are left, %+v", len(got), n, c.Stats())
	}
	// One batch above the bound stays whole until the next.
	if err := c.Put(t.Context(), []embed.Key{{2}}, [][]float32{make([]float32, 1<<15)}); err != nil {
		t.Fatal(err)
	}
	if got := c.Stats(); got.Vectors != 1 || len(held(t, c, upTo(n)...)) != 0 {
		t.Errorf("with a large batch: %+v", got)
	}
	put(t, c, 1)
	if got := c.Stats(); got.Vectors != 1 || fmt.Sprint(held(t, c, upTo(n)...)) != "[1]" {
		t.Errorf("after a large batch: %+v", got)
	}
}
