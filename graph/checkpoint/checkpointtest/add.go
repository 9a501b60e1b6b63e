package checkpointtest

import (
	"testing"
	"time"

	"example.com/assay/graph"
)

var addChecks = []check{
	{"every field comes back", func(t *testing.T, s graph.Checkpointer) {
		first := snapshot(1)
		full := graph.Checkpoint{
			Namespace: "inner:7|deep", ID: id(2), Parent: id(1), Base: id(1),
			Source: graph.SourceFork, Step: -1, Time: epoch.In(time.FixedZone("east", 3*3600)),
			Run: "run-7", Graph: "a graph", Fingerprint: "0123abcd", Version: -3,
			Metadata: map[string]string{"": "empty key", "empty": "", "quoted": `"'\`, "größe": "日本\n\t🙂"},
			Data:     []byte("state"),
		}
		first.Namespace = full.Namespace
		r := graph.Record{
			Namespace: full.Namespace, Checkpoint: full.ID, Task: "task-9",
			Kind: graph.RecordOnce, Key: "key 5", Data: []byte("result"),
		}
		commit(t, s, thread, graph.Change{Add: []graph.Checkpoint{first, full}, Records: []graph.Record{r}})
		loads(t, s, graph.Key{Thread: thread, Namespace: full.Namespace, ID: full.ID}, []graph.Checkpoint{first, full}, r)
		equalCheckpoints(t, "the list", list(t, s, graph.Query{Thread: thread, All: true}), []graph.Checkpoint{full, first})
	}},
	{"little is enough", func(t *testing.T, s graph.Checkpointer) {
		c := graph.Checkpoint{ID: "1", Base: "1"}
		add(t, s, thread, c)
		loads(t, s, graph.Key{Thread: thread}, []graph.Checkpoint{c})
	}},
	{"each source", func(t *testing.T, s graph.Checkpointer) {
		sources := []graph.Source{graph.SourceInput, graph.SourceLoop, graph.SourceUpdate, graph.SourceFork}
		for i, source := range sources {
			c := snapshot(i + 1)
			c.Source = source
			add(t, s, thread, c)
			loads(t, s, graph.Key{Thread: thread}, []graph.Checkpoint{c})
		}
	}},
	{"many at once may refer to each other", func(t *testing.T, s graph.Checkpointer) {
		all := chain(5)
		add(t, s, thread, all...)
		loads(t, s, graph.Key{Thread: thread}, all)
	}},
	{"an ID is of its thread and namespace", func(t *testing.T, s graph.Checkpointer) {
		root, inner, other := snapshot(1), in("inner", snapshot(1)), snapshot(1)
		inner.Data, other.Data = []byte("inner"), []byte("other")
		add(t, s, thread, root)
		add(t, s, thread, inner)
		add(t, s, "thread-2", other)
		loads(t, s, graph.Key{Thread: thread, ID: id(1)}, []graph.Checkpoint{root})
		loads(t, s, graph.Key{Thread: thread, Namespace: "inner", ID: id(1)}, []graph.Checkpoint{inner})
		loads(t, s, graph.Key{Thread: "thread-2", ID: id(1)}, []graph.Checkpoint{other})
	}},
	{"an ID between others", func(t *testing.T, s graph.Checkpointer) {
		add(t, s, thread, snapshot(1))
		add(t, s, thread, delta(5, 1, 1))
		add(t, s, thread, delta(3, 1, 1))
		lists(t, s, graph.Query{Thread: thread}, id(5), id(3), id(1))
		loads(t, s, graph.Key{Thread: thread, ID: id(3)}, []graph.Checkpoint{snapshot(1), delta(3, 1, 1)})
	}},
	{"an ID that exists is stale", func(t *testing.T, s graph.Checkpointer) {
		add(t, s, thread, snapshot(1))
		again := snapshot(1)
		again.Data = []byte("another")
		refused(t, s, thread, graph.Change{Add: []graph.Checkpoint{again}})
		loads(t, s, graph.Key{Thread: thread}, []graph.Checkpoint{snapshot(1)})
	}},
	{"an ID twice in one change is stale", func(t *testing.T, s graph.Checkpointer) {
		refused(t, s, thread, graph.Change{Add: []graph.Checkpoint{snapshot(1), snapshot(1)}})
		missing(t, s, graph.Key{Thread: thread})
	}},
	{"a parent that does not exist is stale", func(t *testing.T, s graph.Checkpointer) {
		add(t, s, thread, snapshot(1))
		refused(t, s, thread, graph.Change{Add: []graph.Checkpoint{delta(3, 2, 1)}})
		refused(t, s, thread, graph.Change{Add: []graph.Checkpoint{delta(3, 3, 3)}})
	}},
	{"a base that does not exist is stale", func(t *testing.T, s graph.Checkpointer) {
		add(t, s, thread, snapshot(1))
		refused(t, s, thread, graph.Change{Add: []graph.Checkpoint{delta(3, 1, 2)}})
		none := delta(3, 1, 1)
		none.Base = ""
		refused(t, s, thread, graph.Change{Add: []graph.Checkpoint{none}})
	}},
	{"a parent that comes later in the change is stale", func(t *testing.T, s graph.Checkpointer) {
		all := chain(2)
		refused(t, s, thread, graph.Change{Add: []graph.Checkpoint{all[1], all[0]}})
		missing(t, s, graph.Key{Thread: thread})
	}},
	{"parents and bases of other threads and namespaces do not count", func(t *testing.T, s graph.Checkpointer) {
		add(t, s, thread, chain(2)...)
		refused(t, s, "thread-2", graph.Change{Add: []graph.Checkpoint{delta(3, 2, 3)}})
		refused(t, s, "thread-2", graph.Change{Add: []graph.Checkpoint{delta(3, 2, 1)}})
		refused(t, s, thread, graph.Change{Add: []graph.Checkpoint{in("inner", delta(3, 2, 3))}})
		add(t, s, thread, in("inner", snapshot(1)))
		refused(t, s, thread, graph.Change{Add: []graph.Checkpoint{in("inner", delta(3, 1, 2))}})
	}},
	{"an ID is needed", func(t *testing.T, s graph.Checkpointer) {
		if err := s.Commit(t.Context(), thread, graph.Change{Add: []graph.Checkpoint{{Data: []byte("x")}}}); err == nil {
			t.Error("a checkpoint without an ID was added; want an error")
		}
		if got := threads(t, s); len(got) != 0 {
			t.Errorf("threads = %v; want none", got)
		}
	}},
}
