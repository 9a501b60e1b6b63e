package checkpointtest

import (
	"testing"

	"example.com/assay/graph"
)

var changeChecks = []check{
	{"nothing", func(t *testing.T, s graph.Checkpointer) {
		commit(t, s, thread, graph.Change{})
		if got := threads(t, s); len(got) != 0 {
			t.Errorf("threads = %v; want none", got)
		}
	}},
	{"clear takes the thread and no other", func(t *testing.T, s graph.Checkpointer) {
		r := record(1, "task", graph.RecordUpdate, "", "update")
		for _, name := range []string{thread, "thread-2", "thread"} {
			commit(t, s, name, graph.Change{
				Add: []graph.Checkpoint{snapshot(1), in("inner", snapshot(1))}, Records: []graph.Record{r},
			})
		}
		commit(t, s, thread, graph.Change{Clear: true})
		missing(t, s, graph.Key{Thread: thread})
		missing(t, s, graph.Key{Thread: thread, Namespace: "inner"})
		lists(t, s, graph.Query{Thread: thread, All: true})
		for _, name := range []string{"thread-2", "thread"} {
			loads(t, s, graph.Key{Thread: name}, []graph.Checkpoint{snapshot(1)}, r)
			loads(t, s, graph.Key{Thread: name, Namespace: "inner"}, []graph.Checkpoint{in("inner", snapshot(1))})
		}
		add(t, s, thread, snapshot(1))
		loads(t, s, graph.Key{Thread: thread}, []graph.Checkpoint{snapshot(1)})
	}},
	{"clear of a thread that does not exist", func(t *testing.T, s graph.Checkpointer) {
		commit(t, s, thread, graph.Change{Clear: true})
		missing(t, s, graph.Key{Thread: thread})
	}},
	{"clear and add put a copy of a thread in another's place", func(t *testing.T, s graph.Checkpointer) {
		r := record(3, "task", graph.RecordInterrupt, "", "question")
		commit(t, s, thread, graph.Change{
			Add: append(chain(3), in("inner", snapshot(1))), Records: []graph.Record{r},
		})
		commit(t, s, "copy", graph.Change{
			Add:     []graph.Checkpoint{snapshot(1), delta(9, 1, 1)},
			Records: []graph.Record{record(1, "old", graph.RecordUpdate, "", "old")},
		})
		var all []graph.Checkpoint
		for _, c := range list(t, s, graph.Query{Thread: thread, All: true}) {
			all = append([]graph.Checkpoint{c}, all...)
		}
		commit(t, s, "copy", graph.Change{Clear: true, Add: all, Records: []graph.Record{r}})
		loads(t, s, graph.Key{Thread: "copy"}, chain(3), r)
		loads(t, s, graph.Key{Thread: "copy", ID: id(1)}, []graph.Checkpoint{snapshot(1)})
		loads(t, s, graph.Key{Thread: "copy", Namespace: "inner"}, []graph.Checkpoint{in("inner", snapshot(1))})
		missing(t, s, graph.Key{Thread: "copy", ID: id(9)})
		loads(t, s, graph.Key{Thread: thread}, chain(3), r)
	}},
	{"remove checkpoints with their records", func(t *testing.T, s graph.Checkpointer) {
		r2, r3 := record(2, "task", graph.RecordUpdate, "", "two"), record(3, "task", graph.RecordUpdate, "", "three")
		change := graph.Change{Add: []graph.Checkpoint{snapshot(1), snapshot(2), snapshot(3)}, Records: []graph.Record{r2, r3}}
		commit(t, s, thread, change)
		add(t, s, thread, in("inner", snapshot(1)), in("inner", snapshot(2)))
		add(t, s, "thread-2", snapshot(1), snapshot(2))
		commit(t, s, thread, graph.Change{Remove: []graph.Key{{ID: id(2)}, {ID: id(1)}, {ID: id(8)}, {Namespace: "none", ID: id(3)}}})
		lists(t, s, graph.Query{Thread: thread, All: true}, id(3), "inner"+id(2), "inner"+id(1))
		loads(t, s, graph.Key{Thread: thread}, []graph.Checkpoint{snapshot(3)}, r3)
		loads(t, s, graph.Key{Thread: "thread-2"}, []graph.Checkpoint{snapshot(2)})
		first := snapshot(2)
		first.Parent = ""
		add(t, s, thread, first)
		loads(t, s, graph.Key{Thread: thread, ID: id(2)}, []graph.Checkpoint{first}) // not with r2
	}},
	{"the thread of a key to remove is not read", func(t *testing.T, s graph.Checkpointer) {
		add(t, s, thread, snapshot(1))
		add(t, s, "thread-2", snapshot(1))
		commit(t, s, thread, graph.Change{Remove: []graph.Key{{Thread: "thread-2", ID: id(1)}}})
		missing(t, s, graph.Key{Thread: thread})
		loads(t, s, graph.Key{Thread: "thread-2"}, []graph.Checkpoint{snapshot(1)})
	}},
	{"remove a namespace", func(t *testing.T, s graph.Checkpointer) {
		r := record(1, "task", graph.RecordUpdate, "", "update")
		inner := r
		inner.Namespace = "inner"
		names := []string{"", "inner", "inner:2", "in"}
		for _, ns := range names {
			add(t, s, thread, in(ns, snapshot(1)), in(ns, snapshot(2)))
		}
		commit(t, s, thread, graph.Change{Records: []graph.Record{r, inner}})
		commit(t, s, thread, graph.Change{Remove: []graph.Key{{Namespace: "inner"}, {Namespace: "none"}}})
		missing(t, s, graph.Key{Thread: thread, Namespace: "inner"})
		lists(t, s, graph.Query{Thread: thread, All: true}, id(2), id(1), "in"+id(2), "in"+id(1), "inner:2"+id(2), "inner:2"+id(1))
		add(t, s, thread, in("inner", snapshot(1)))
		loads(t, s, graph.Key{Thread: thread, Namespace: "inner"}, []graph.Checkpoint{in("inner", snapshot(1))}) // not with its old record
		commit(t, s, thread, graph.Change{Remove: []graph.Key{{}}})
		missing(t, s, graph.Key{Thread: thread})
		loads(t, s, graph.Key{Thread: thread, Namespace: "in"}, []graph.Checkpoint{in("in", snapshot(2))})
	}},
	{"remove in a thread that does not exist", func(t *testing.T, s graph.Checkpointer) {
		commit(t, s, thread, graph.Change{Remove: []graph.Key{{ID: id(1)}, {Namespace: "inner"}}})
		if got := threads(t, s); len(got) != 0 {
			t.Errorf("threads = %v; want none", got)
		}
	}},
	{"replace", func(t *testing.T, s graph.Checkpointer) {
		r := record(2, "task", graph.RecordUpdate, "", "update")
		commit(t, s, thread, graph.Change{Add: chain(3), Records: []graph.Record{r}})
		add(t, s, thread, in("inner", snapshot(1)), in("inner", snapshot(2)))
		c := delta(2, 1, 2)
		c.Parent, c.Source, c.Step, c.Time = "", graph.SourceUpdate, 77, epoch
		c.Run, c.Graph, c.Fingerprint, c.Version = "r", "g", "f", 9
		c.Metadata, c.Data = map[string]string{"k": "v"}, []byte("merged")
		commit(t, s, thread, graph.Change{Replace: []graph.Checkpoint{c}})
		loads(t, s, graph.Key{Thread: thread, ID: id(2)}, []graph.Checkpoint{c}, r)
		loads(t, s, graph.Key{Thread: thread, ID: id(1)}, []graph.Checkpoint{snapshot(1)})
		loads(t, s, graph.Key{Thread: thread, Namespace: "inner"}, []graph.Checkpoint{in("inner", snapshot(2))})
		lists(t, s, graph.Query{Thread: thread}, id(3), id(2), id(1))
	}},
	{"replace of what does not exist is stale", func(t *testing.T, s graph.Checkpointer) {
		add(t, s, thread, snapshot(1))
		refused(t, s, thread, graph.Change{Replace: []graph.Checkpoint{delta(2, 1, 1)}})
		refused(t, s, thread, graph.Change{Replace: []graph.Checkpoint{in("inner", snapshot(1))}})
		refused(t, s, "thread-2", graph.Change{Replace: []graph.Checkpoint{snapshot(1)}})
		refused(t, s, thread, graph.Change{Clear: true, Replace: []graph.Checkpoint{snapshot(1)}})
		refused(t, s, thread, graph.Change{Remove: []graph.Key{{ID: id(1)}}, Replace: []graph.Checkpoint{snapshot(1)}})
		refused(t, s, thread, graph.Change{Replace: []graph.Checkpoint{delta(2, 1, 1)}, Add: []graph.Checkpoint{delta(2, 1, 1)}})
		lists(t, s, graph.Query{Thread: thread}, id(1))
	}},
	{"all parts in their order", func(t *testing.T, s graph.Checkpointer) {
		commit(t, s, thread, graph.Change{
			Add:     chain(3),
			Records: []graph.Record{record(1, "task", graph.RecordUpdate, "", "old"), record(1, "task", graph.RecordError, "", "error")},
		})
		merged := delta(2, 1, 2)
		merged.Parent, merged.Data = "", []byte("merged")
		last := delta(3, 2, 2)
		change := graph.Change{
			Remove:  []graph.Key{{ID: id(3)}},
			Replace: []graph.Checkpoint{merged},
			Add:     []graph.Checkpoint{last},
			Forget:  []graph.Forget{{Checkpoint: id(1), Kind: graph.RecordUpdate}},
			Records: []graph.Record{record(1, "task", graph.RecordUpdate, "", "new"), record(3, "task", graph.RecordUpdate, "", "three")},
		}
		commit(t, s, thread, change)
		loads(t, s, graph.Key{Thread: thread}, []graph.Checkpoint{merged, last}, change.Records[1])
		loads(t, s, graph.Key{Thread: thread, ID: id(1)}, []graph.Checkpoint{snapshot(1)},
			record(1, "task", graph.RecordError, "", "error"), change.Records[0])
	}},
	{"all or nothing", allOrNothing},
}

// allOrNothing makes changes whose last part is refused, and whose earlier parts alone would change
// something.
func allOrNothing(t *testing.T, s graph.Checkpointer) {
	before := []graph.Record{record(2, "task", graph.RecordUpdate, "", "update")}
	commit(t, s, thread, graph.Change{Add: chain(2), Records: before})
	add(t, s, thread, in("inner", snapshot(1)))
	merged := snapshot(2)
	merged.Data = []byte("merged")
	lost := graph.Record{Checkpoint: id(99), Task: "task", Kind: graph.RecordUpdate}
	taken := []graph.Checkpoint{delta(3, 2, 1), delta(2, 1, 1)}
	for _, change := range []graph.Change{
		{Clear: true, Add: []graph.Checkpoint{snapshot(1), delta(3, 2, 1)}},
		{Clear: true, Records: []graph.Record{record(2, "task", graph.RecordUpdate, "", "x")}},
		{Remove: []graph.Key{{Namespace: "inner"}, {ID: id(1)}}, Replace: []graph.Checkpoint{delta(7, 2, 1)}},
		{Remove: []graph.Key{{ID: id(1)}}, Add: []graph.Checkpoint{delta(3, 2, 1)}},
		{Replace: []graph.Checkpoint{merged, delta(7, 2, 1)}},
		{Replace: []graph.Checkpoint{merged}, Add: taken},
		{Add: taken},
		{Add: append([]graph.Checkpoint{in("new", snapshot(1))}, taken...)},
		{Add: []graph.Checkpoint{delta(3, 2, 1), in("new", snapshot(1)), delta(4, 3, 1), delta(2, 1, 1)}},
		{Add: []graph.Checkpoint{delta(3, 2, 1), delta(4, 3, 1), delta(5, 1, 77)}},
		{Add: []graph.Checkpoint{delta(3, 2, 1)}, Records: []graph.Record{record(3, "task", graph.RecordUpdate, "", "x"), lost}},
		{Forget: []graph.Forget{{Checkpoint: id(2), Kind: graph.RecordUpdate}}, Records: []graph.Record{lost}},
		{Records: []graph.Record{record(2, "task", graph.RecordUpdate, "", "other"), record(2, "more", graph.RecordUpdate, "", "more"), lost}},
	} {
		refused(t, s, thread, change)
		loads(t, s, graph.Key{Thread: thread}, chain(2), before...)
		lists(t, s, graph.Query{Thread: thread, All: true}, id(2), id(1), "inner"+id(1))
		if t.Failed() {
			t.Fatalf("after the change %+v", change)
		}
	}
	refused(t, s, "thread-2", graph.Change{Add: []graph.Checkpoint{snapshot(1), delta(3, 2, 1)}})
	if got := threads(t, s); len(got) != 1 {
		t.Errorf("threads = %v; want one", got)
	}
}
