package checkpointtest

import (
	"errors"
	"strings"
	"testing"

	"example.com/assay/graph"
)

var nameChecks = []check{
	{"odd names", func(t *testing.T, s graph.Checkpointer) {
		odd := []string{
			"", " ", "a/b", "../../etc/passwd", `C:\x`, "'", `"`, "; DROP TABLE checkpoints; --", "%", "_", "a%", "a_",
			"日本語", "é", "e\u0301", "\U0001F642", "line\nbreak", "tab\t", "\x01\x1f\x7f", "null", "NULL", "$1", "?", ":name", "@p", "{}", `\u0000`,
			strings.Repeat("long ", 200), strings.Repeat("🙂", 999) + "1", strings.Repeat("🙂", 999) + "2", random(1000),
		}
		for _, name := range odd {
			c := in(name, snapshot(1))
			c.Run, c.Graph, c.Fingerprint, c.Source = name, name, name, graph.Source(name)
			c.Metadata = map[string]string{name: name}
			r := graph.Record{Namespace: name, Checkpoint: c.ID, Task: name, Kind: graph.RecordKind(name), Key: name, Data: []byte(name)}
			commit(t, s, name, graph.Change{Add: []graph.Checkpoint{c}, Records: []graph.Record{r}})
			commit(t, s, "all", graph.Change{Add: []graph.Checkpoint{c}, Records: []graph.Record{r}})
		}
		for _, name := range odd {
			c := in(name, snapshot(1))
			c.Run, c.Graph, c.Fingerprint, c.Source = name, name, name, graph.Source(name)
			c.Metadata = map[string]string{name: name}
			r := graph.Record{Namespace: name, Checkpoint: c.ID, Task: name, Kind: graph.RecordKind(name), Key: name, Data: []byte(name)}
			for _, th := range []string{name, "all"} {
				loads(t, s, graph.Key{Thread: th, Namespace: name}, []graph.Checkpoint{c}, r)
				lists(t, s, graph.Query{Thread: th, Namespace: name, Run: name, Source: c.Source, Metadata: c.Metadata}, name+c.ID)
			}
			lists(t, s, graph.Query{Thread: name, All: true}, name+c.ID)
		}
		if got := threads(t, s); len(got) != len(odd)+1 {
			t.Errorf("%d threads; want %d", len(got), len(odd)+1)
		}
		for _, name := range odd {
			unlock, err := s.Lock(t.Context(), name)
			if err != nil {
				t.Errorf("Lock(%.40q): %v", name, err)
				continue
			}
			unlock()
		}
		commit(t, s, "_", graph.Change{Clear: true})
		commit(t, s, "all", graph.Change{Remove: []graph.Key{{Namespace: "%"}}})
		if got := list(t, s, graph.Query{Thread: "all", All: true}); len(got) != len(odd)-1 {
			t.Errorf("%d namespaces are left; want %d", len(got), len(odd)-1)
		}
		if got := threads(t, s); len(got) != len(odd) {
			t.Errorf("%d threads are left; want %d", len(got), len(odd))
		}
	}},
	{"zero bytes and what is not UTF-8 are refused everywhere", refusedNames},
}

func refusedNames(t *testing.T, s graph.Checkpointer) {
	add(t, s, thread, snapshot(1))
	for _, name := range []string{"a\x00b", "\x00", "\xff", "a\xc3", "\xed\xa0\x80"} {
		c := func(set func(*graph.Checkpoint)) graph.Change {
			c := snapshot(2)
			set(&c)
			return graph.Change{Add: []graph.Checkpoint{delta(3, 1, 1), c}}
		}
		r := func(set func(*graph.Record)) graph.Change {
			r := record(1, "task", graph.RecordUpdate, "", "")
			set(&r)
			return graph.Change{Records: []graph.Record{r}}
		}
		for what, change := range map[string]graph.Change{
			"namespace":         c(func(c *graph.Checkpoint) { c.Namespace, c.Parent = name, "" }),
			"ID":                c(func(c *graph.Checkpoint) { c.ID, c.Base = name, name }),
			"source":            c(func(c *graph.Checkpoint) { c.Source = graph.Source(name) }),
			"run":               c(func(c *graph.Checkpoint) { c.Run = name }),
			"graph":             c(func(c *graph.Checkpoint) { c.Graph = name }),
			"fingerprint":       c(func(c *graph.Checkpoint) { c.Fingerprint = name }),
			"key of metadata":   c(func(c *graph.Checkpoint) { c.Metadata = map[string]string{name: "v"} }),
			"value of metadata": c(func(c *graph.Checkpoint) { c.Metadata = map[string]string{"k": name} }),
			"task":              r(func(r *graph.Record) { r.Task = name }),
			"kind":              r(func(r *graph.Record) { r.Kind = graph.RecordKind(name) }),
			"key":               r(func(r *graph.Record) { r.Key = name }),
		} {
			if err := s.Commit(t.Context(), thread, change); err == nil {
				t.Errorf("%s %q was accepted; want an error", what, name)
			} else if errors.Is(err, graph.ErrStale) {
				t.Errorf("%s %q: error = %v; want one that is not ErrStale", what, name, err)
			}
		}
		if err := s.Commit(t.Context(), name, graph.Change{Add: chain(1)}); err == nil {
			t.Errorf("thread %q was accepted; want an error", name)
		}
		if _, _, err := s.Load(t.Context(), graph.Key{Thread: name}); err == nil || errors.Is(err, graph.ErrNoCheckpoint) {
			t.Errorf("Load of thread %q: error = %v; want one that is not ErrNoCheckpoint", name, err)
		}
		if unlock, err := s.Lock(t.Context(), name); err == nil {
			unlock()
			t.Errorf("thread %q was locked; want an error", name)
		}
		for _, q := range []graph.Query{{Thread: name}, {Thread: thread, Run: name}, {Thread: thread, Metadata: map[string]string{"k": name}}} {
			if err := listError(t.Context(), s, q); err == nil {
				t.Errorf("List(%+v) was accepted; want an error", q)
			}
		}
	}
	loads(t, s, graph.Key{Thread: thread}, chain(1))
	if got := threads(t, s); len(got) != 1 || got[0].Checkpoints != 1 {
		t.Errorf("threads = %+v; want one with one checkpoint", got)
	}
}

// random returns n letters that compression hardly shortens.
func random(n int) string {
	out, x := make([]rune, n), uint32(1)
	for i := range out {
		x = x*1664525 + 1013904223
		out[i] = rune(0x4e00 + x>>16%20000)
	}
	return string(out)
}
