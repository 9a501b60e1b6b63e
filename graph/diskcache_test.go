package graph_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

// diskGraph is cachedGraph as another process would compile it.
func diskGraph(t *testing.T, dir string, count *int, ttl time.Duration) *graph.Compiled[board] {
	t.Helper()
	return mustCompile(t, cachedGraph(count, policy{Store: &graph.DiskCache[board]{Dir: dir}, TTL: ttl}))
}

func TestDiskCacheOutlivesTheGraph(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "made", "when", "needed")
		count := 0
		for _, c := range []struct {
			x, ran int
			wait   time.Duration
		}{{2, 1, 0}, {2, 1, 0}, {3, 2, 0}, {2, 2, 900 * ms}, {2, 3, 100 * ms}} {
			time.Sleep(c.wait)
			p := play(t.Context(), diskGraph(t, dir, &count, time.Second), update{x.Add(c.x)}, graph.RunOptions{})
			if p.err != nil || count != c.ran || len(p.final.Log) != 2 || p.final.Log[0] != string(rune('0'+2*c.x)) {
				t.Errorf("x %d: ran %d, want %d; log %q, error %v", c.x, count, c.ran, p.final.Log, p.err)
			}
		}
	})
}

func TestDiskCacheOfBrokenFiles(t *testing.T) {
	dir := t.TempDir()
	count := 0
	run := func() error {
		_, err := diskGraph(t, dir, &count, 0).Invoke(t.Context(), update{x.Add(2)}, nil)
		return err
	}
	if err := run(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "??", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %q, error %v", files, err)
	}
	for i, broken := range []string{"", "{", `{"update":[{"channel":"gone","op":"add","value":1}]}`, `{"update":7}`} {
		if err := os.WriteFile(files[0], []byte(broken), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := run(); err != nil || count != i+2 {
			t.Errorf("%q: ran %d, error %v", broken, count, err)
		}
		if err := run(); err != nil || count != i+2 {
			t.Errorf("%q: not replaced: ran %d, error %v", broken, count, err)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o644); err != nil { // a file where the folder should be
		t.Fatal(err)
	}
	if err := run(); err == nil || !strings.Contains(err.Error(), `node "a"`) || !strings.Contains(err.Error(), "cache") {
		t.Errorf("a folder that cannot be made: %v", err)
	}
	if _, err := cachedGraph(&count, policy{Store: &graph.DiskCache[board]{}}).Compile(nil); err == nil || !strings.Contains(err.Error(), "Dir") {
		t.Errorf("no folder: %v", err)
	}
}

func TestDiskCacheSweeps(t *testing.T) {
	dir := t.TempDir()
	count := 0
	for i := range 3 {
		if _, err := diskGraph(t, dir, &count, time.Duration(i)*time.Nanosecond).Invoke(t.Context(), update{x.Add(i)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	cache := graph.DiskCache[board]{Dir: dir}
	if n, err := cache.Sweep(time.Time{}); n != 2 || err != nil {
		t.Errorf("swept %d that have expired, error %v", n, err)
	}
	if n, err := cache.Sweep(time.Now().Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("swept %d that are old, error %v", n, err)
	}
	if n, err := (&graph.DiskCache[board]{Dir: filepath.Join(dir, "missing")}).Sweep(time.Time{}); n != 0 || err != nil {
		t.Errorf("swept %d of nothing, error %v", n, err)
	}
}

// TestNoCacheKeepsAnAnswer: an answer in one thread is not used in another.
func TestNoCacheKeepsAnAnswer(t *testing.T) {
	for name, store := range map[string]graph.CacheStore[board]{"memory": &graph.Cache[board]{}, "disk": &graph.DiskCache[board]{Dir: t.TempDir()}} {
		t.Run(name, func(t *testing.T) {
			ask := func(ctx context.Context, _ board) (update, error) {
				v, err := graph.Interrupt[string](ctx, "name", "who?")
				return update{log.Add(v)}, err
			}
			child := mustCompile(t, wire("START -> deep", map[string]node{"deep": ask}))
			g := newBoard()
			g.AddNode("ask", ask, options{Cache: &policy{Store: store}})
			g.AddNode("outer", func(ctx context.Context, s board) (update, error) {
				out, err := child.Invoke(ctx, update{}, nil)
				return update{log.Add(out.Log...)}, err
			}, options{Cache: &policy{Store: store}})
			g.AddEdge(graph.Start, "ask")
			g.AddEdge("ask", "outer")
			app, err := g.Compile(&graph.CompileOptions{Checkpointer: memory.New()})
			if err != nil {
				t.Fatal(err)
			}
			for _, thread := range []string{"ann", "bob"} {
				opts := &graph.RunOptions{Thread: thread}
				_, err := app.Invoke(t.Context(), update{}, opts)
				for range 2 {
					if err == nil {
						t.Fatalf("%s was not asked", thread)
					}
					opts.Resume = []graph.Answer{graph.Reply(thread)}
					var out board
					if out, err = app.Resume(t.Context(), nil, opts); err == nil && !slices.Equal(out.Log, []string{thread, thread}) {
						t.Errorf("%s gets %q", thread, out.Log)
					}
				}
				if err != nil {
					t.Errorf("%s: %v", thread, err)
				}
			}
		})
	}
}
