package embed_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/assay/memory/embed"
	"example.com/assay/memory/embed/embedtest"
)

func space(t testing.TB, e embed.Embedder, opts *embed.Options) *embed.Space {
	t.Helper()
	s, err := embed.New(e, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func openCache(t testing.TB, dir string, opts *embed.CacheOptions) *embed.Cache {
	t.Helper()
	c, err := embed.OpenCache(dir, opts)
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

func texts(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("passage%d about topic%d", i, i%7)
	}
	return out
}

// Batches of any size, asked for by any number of callers, give the vectors
// that one text at a time gives, at unit length and in order.
func TestBatchesDoNotMatter(t *testing.T) {
	in := append(texts(50), texts(50)[10:20]...) // ten of them twice
	want := make([][]float32, len(in))
	for i, s := range in {
		v, err := space(t, &embedtest.Words{}, nil).Passages(t.Context(), []string{s}, nil)
		if err != nil {
			t.Fatal(err)
		}
		want[i] = v[0]
		var norm float64
		for _, x := range v[0] {
			norm += float64(x) * float64(x)
		}
		if math.Abs(norm-1) > 1e-6 {
			t.Fatalf("vector %d has length² %v", i, norm)
		}
	}
	for _, opts := range []embed.Options{{Batch: 1}, {Batch: 7, Concurrency: 3}, {Batch: 1000}, {BatchBytes: 1}, {BatchBytes: 100, Concurrency: 8}} {
		e := &embedtest.Words{}
		var last [2]int
		got, err := space(t, e, &opts).Passages(t.Context(), in, func(done, total int) { last = [2]int{done, total} })
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if !slices.Equal(got[i], want[i]) {
				t.Errorf("%+v: vector %d differs", opts, i)
			}
		}
		if len(e.Seen()) != 50 {
			t.Errorf("%+v: %d texts were sent; want 50, each once", opts, len(e.Seen()))
		}
		if last != [2]int{50, 50} {
			t.Errorf("%+v: the last progress is %v", opts, last)
		}
	}
}

// All callers of a space together make no more calls at once than it allows.
func TestConcurrencyIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, peak atomic.Int64
		e := &embedtest.Words{Before: func(context.Context, int, []string) error {
			if n := now.Add(1); n > peak.Load() {
				peak.Store(n)
			}
			time.Sleep(time.Second)
			now.Add(-1)
			return nil
		}}
		s := space(t, e, &embed.Options{Batch: 1, Concurrency: 3})
		start := time.Now()
		done := make(chan error)
		for c := range 2 {
			go func() {
				_, err := s.Passages(t.Context(), texts(12)[6*c:6*c+6], nil)
				done <- err
			}()
		}
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if peak.Load() != 3 || time.Since(start) != 4*time.Second {
			t.Errorf("at most %d at once, %v in all; want 3 and 4s", peak.Load(), time.Since(start))
		}
	})
}

// What cannot be a vector of the space is an error that names the embedder,
// and nothing of that answer is kept.
func TestBadVectors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for name, tc := range map[string]struct {
		after func([][]float32) [][]float32
		want  string
	}{
		"too few":      {func(v [][]float32) [][]float32 { return v[1:] }, "2 vectors for 3 texts"},
		"too many":     {func(v [][]float32) [][]float32 { return append(v, v[0]) }, "4 vectors for 3 texts"},
		"nil":          {func([][]float32) [][]float32 { return nil }, "0 vectors for 3 texts"},
		"one shorter":  {func(v [][]float32) [][]float32 { v[1] = v[1][1:]; return v }, "63 dimensions after others of 64"},
		"one empty":    {func(v [][]float32) [][]float32 { v[0] = nil; return v }, "a vector of 0 dimensions"},
		"not a number": {func(v [][]float32) [][]float32 { v[2][5] = nan; return v }, "vector 3 of 3 cannot be used: coordinate 6 of 64 is NaN"},
		"infinite":     {func(v [][]float32) [][]float32 { v[0][0] = inf; return v }, "-Inf"},
		"no direction": {func(v [][]float32) [][]float32 { clear(v[1]); return v }, "vector 2 of 3 cannot be used: all 64 coordinates are zero"},
	} {
		t.Run(name, func(t *testing.T) {
			cache := openCache(t, t.TempDir(), nil)
			e := &embedtest.Words{After: tc.after}
			_, err := space(t, e, &embed.Options{Cache: cache}).Passages(t.Context(), texts(3), nil)
			bad, ok := errors.AsType[*embed.Error](err)
			if !ok || bad.Embedder != e.ID() || !strings.Contains(err.Error(), e.ID()) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v; want an *embed.Error of %q with %q", err, e.ID(), tc.want)
			}
			if n := cache.Stats().Vectors; n != 0 {
				t.Errorf("%d vectors of a refused answer were kept", n)
			}
		})
	}
}

// A vector that the cache holds is held to the same length as a new one.
func TestCachedVectorOfOtherLength(t *testing.T) {
	dir := t.TempDir()
	short := &embedtest.Words{After: func(v [][]float32) [][]float32 { return [][]float32{v[0][:8]} }}
	cache := openCache(t, dir, nil)
	if _, err := space(t, short, &embed.Options{Cache: cache}).Passages(t.Context(), texts(1), nil); err != nil {
		t.Fatal(err)
	}
	_, err := space(t, &embedtest.Words{}, &embed.Options{Cache: cache}).Passages(t.Context(), texts(2), nil)
	if err == nil || !strings.Contains(err.Error(), "64 dimensions after others of 8") {
		t.Errorf("error %v", err)
	}
}

// Failing at any call leaves what came before in the cache; the next attempt
// asks for the rest only, and the result is that of an undisturbed one.
func TestResume(t *testing.T) {
	in := texts(20)
	want, err := space(t, &embedtest.Words{}, nil).Passages(t.Context(), in, nil)
	if err != nil {
		t.Fatal(err)
	}
	failure := errors.New("quota")
	for failAt := 1; failAt <= 5; failAt++ {
		dir := t.TempDir()
		e := &embedtest.Words{Before: func(_ context.Context, call int, _ []string) error {
			if call == failAt {
				return failure
			}
			return nil
		}}
		opts := &embed.Options{Cache: openCache(t, dir, nil), Batch: 4, Concurrency: 1}
		if _, err := space(t, e, opts).Passages(t.Context(), in, nil); !errors.Is(err, failure) || !strings.Contains(err.Error(), e.ID()) {
			t.Fatalf("error %v", err)
		}
		if got := opts.Cache.Stats().Vectors; got != 4*(failAt-1) {
			t.Errorf("failing at call %d leaves %d vectors; want %d", failAt, got, 4*(failAt-1))
		}
		again := &embedtest.Words{}
		got, err := space(t, again, &embed.Options{Cache: openCache(t, dir, nil), Batch: 4}).Passages(t.Context(), in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if again.Calls() != 6-failAt {
			t.Errorf("after a failure at call %d, %d calls; want %d", failAt, again.Calls(), 6-failAt)
		}
		for i := range want {
			if !slices.Equal(got[i], want[i]) {
				t.Errorf("vector %d differs after a failure at call %d", i, failAt)
			}
		}
	}
}

// Cancelling ends the waiting calls and returns the cause as it is.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &embedtest.Words{Before: func(ctx context.Context, _ int, _ []string) error {
			<-ctx.Done()
			return errors.New("a provider's own words")
		}}
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			time.Sleep(time.Minute)
			cancel(cause)
		}()
		_, err := space(t, e, &embed.Options{Batch: 1, Concurrency: 2}).Passages(ctx, texts(10), nil)
		if err != cause {
			t.Errorf("error %v; want the cause", err)
		}
		if e.Calls() > 2 {
			t.Errorf("%d calls were made; want no more than run at once", e.Calls())
		}
	})
}

// asked embeds questions otherwise than passages.
type asked struct {
	embedtest.Words
	questions atomic.Int64
}

func (a *asked) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	a.questions.Add(1)
	v, err := a.Embed(ctx, []string{"question: " + text})
	if err != nil {
		return nil, err
	}
	return v[0], nil
}

// A question has a vector of its own where the embedder makes one, in the
// cache, too; where it does not, it shares that of the passage.
func TestQueries(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "vectors")
	e := &asked{}
	s := space(t, e, &embed.Options{Cache: openCache(t, dir, nil)})
	var got [2][][]float32
	for i := range got {
		p, err := s.Passages(t.Context(), []string{"a lien"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		q, err := s.Queries(t.Context(), []string{"a lien", "a lease"})
		if err != nil {
			t.Fatal(err)
		}
		got[i] = append(p, q...)
	}
	if slices.Equal(got[0][0], got[0][1]) {
		t.Error("the question has the passage's vector")
	}
	for i := range got[0] {
		if !slices.Equal(got[0][i], got[1][i]) {
			t.Errorf("vector %d changed", i)
		}
	}
	if e.questions.Load() != 2 || e.Calls() != 3 {
		t.Errorf("%d questions in %d calls; want 2 in 3, and none the second time", e.questions.Load(), e.Calls())
	}
	plain := &embedtest.Words{Name: "plain"}
	s = space(t, plain, &embed.Options{Cache: openCache(t, dir, nil)})
	if _, err := s.Passages(t.Context(), []string{"a lien"}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Queries(t.Context(), []string{"a lien"}); err != nil {
		t.Fatal(err)
	}
	if plain.Calls() != 1 {
		t.Errorf("%d calls; want 1", plain.Calls())
	}
	if st := s.Stats(); st.Calls != 1 || st.Texts != 1 {
		t.Errorf("stats %+v", st)
	}
}

type nameless struct{ embedtest.Words }

func (*nameless) ID() string { return " " }

func TestNew(t *testing.T) {
	if _, err := embed.New(nil, nil); err == nil {
		t.Error("a space without an embedder")
	}
	if _, err := embed.New(&nameless{}, nil); err == nil {
		t.Error("a space without an ID")
	}
}

// Some asks for no more texts than it may, the first ones, and Missing counts what the cache lacks.
func TestSome(t *testing.T) {
	e := &embedtest.Words{}
	cache, err := embed.OpenCache(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer cache.Close()
	s, err := embed.New(e, &embed.Options{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"a lamp", "a boat", "a lamp", "a kite", "a mast"}
	missing := func(want int) {
		t.Helper()
		if n, err := s.Missing(t.Context(), texts); err != nil || n != want {
			t.Errorf("%d are missing, want %d (%v)", n, want, err)
		}
	}
	missing(4)
	for _, c := range []struct{ most, known int }{{0, 0}, {2, 3}, {1, 4}, {5, 5}, {0, 5}} {
		got, err := s.Some(t.Context(), texts, c.most)
		known := 0
		for _, v := range got {
			if v != nil {
				known++
			}
		}
		if err != nil || known != c.known {
			t.Errorf("at most %d: %d have a vector, want %d (%v)", c.most, known, c.known, err)
		}
	}
	missing(0)
	if n := len(e.Seen()); n != 4 {
		t.Errorf("%d texts were sent; 4 are distinct", n)
	}
}
