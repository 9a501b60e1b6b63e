package checkpointtest

import (
	"reflect"
	"testing"

	"example.com/assay/graph"
)

var recordChecks = []check{
	{"one of each kind", func(t *testing.T, s graph.Checkpointer) {
		add(t, s, thread, snapshot(1))
		want := []graph.Record{ // sorted as Load does
			record(1, "task", graph.RecordAnswer, "0", "yes"),
			record(1, "task", graph.RecordError, "", "error"),
			record(1, "task", graph.RecordInterrupt, "", "question"),
			record(1, "task", graph.RecordOnce, "call 1", "result"),
			record(1, "task", graph.RecordUpdate, "", "update"),
		}
		for _, i := range []int{4, 0, 3, 1, 2} {
			commit(t, s, thread, graph.Change{Records: want[i : i+1]})
		}
		loads(t, s, graph.Key{Thread: thread}, []graph.Checkpoint{snapshot(1)}, want...)
	}},
	{"sorted by task, kind and key", func(t *testing.T, s graph.Checkpointer) {
		add(t, s, thread, snapshot(1))
		want := []graph.Record{
			record(1, "", graph.RecordUpdate, "", "0"),
			record(1, "A", graph.RecordUpdate, "", "1"),
			record(1, "a", graph.RecordError, "z", "2"),
			record(1, "a", graph.RecordOnce, "", "3"),
			record(1, "a", graph.RecordOnce, "1", "4"),
			record(1, "a", graph.RecordOnce, "10", "5"),
			record(1, "a", graph.RecordOnce, "2", "6"),
			record(1, "a", graph.RecordOnce, "B", "7"),
			record(1, "a", graph.RecordOnce, "b", "8"),
			record(1, "a", graph.RecordOnce, "ä", "9"),
			record(1, "a", graph.RecordUpdate, "", "10"),
			record(1, "a-b", graph.RecordAnswer, "", "11"),
			record(1, "b", graph.RecordAnswer, "", "12"),
			record(1, "\uFFFD", graph.RecordAnswer, "", "13"),
			record(1, "\U0001F642", graph.RecordAnswer, "", "14"),
		}
		var shuffled []graph.Record
		for i := range want {
			shuffled = append(shuffled, want[(i*7+3)%len(want)])
		}
		commit(t, s, thread, graph.Change{Records: shuffled})
		loads(t, s, graph.Key{Thread: thread}, []graph.Checkpoint{snapshot(1)}, want...)
	}},
	{"all of a thread", func(t *testing.T, s graph.Checkpointer) {
		all, ok := s.(graph.RecordReader)
		if !ok {
			return
		}
		inner := snapshot(1)
		inner.Namespace = "inner"
		want := []graph.Record{
			record(1, "a", graph.RecordOnce, "1", "0"),
			record(1, "b", graph.RecordOnce, "1", "1"),
			record(2, "a", graph.RecordAnswer, "", "2"),
			record(1, "a", graph.RecordOnce, "1", "3"),
		}
		want[3].Namespace = "inner"
		commit(t, s, thread, graph.Change{Add: append(chain(2), inner), Records: []graph.Record{want[2], want[3], want[1], want[0]}})
		add(t, s, "other", snapshot(1))
		commit(t, s, "other", graph.Change{Records: want[:1]})
		got, err := all.Records(t.Context(), thread)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("error %v, records %+v, want %+v", err, got, want)
		}
		if got, err := all.Records(t.Context(), "nobody"); err != nil || len(got) > 0 {
			t.Errorf("%d records of no thread, error %v", len(got), err)
		}
	}},
	{"the same key replaces", func(t *testing.T, s graph.Checkpointer) {
		r := record(1, "task", graph.RecordUpdate, "k", "old")
		commit(t, s, thread, graph.Change{Add: chain(1), Records: []graph.Record{r}})
		commit(t, s, thread, graph.Change{Records: []graph.Record{r}})
		loads(t, s, graph.Key{Thread: thread}, chain(1), r)
		fresh := r
		fresh.Data = []byte("new")
		commit(t, s, thread, graph.Change{Records: []graph.Record{fresh}})
		loads(t, s, graph.Key{Thread: thread}, chain(1), fresh)
		third := r
		third.Data = []byte("third")
		commit(t, s, thread, graph.Change{Records: []graph.Record{r, third}}) // the later one counts
		loads(t, s, graph.Key{Thread: thread}, chain(1), third)
	}},
	{"parts of the key are not run together", func(t *testing.T, s graph.Checkpointer) {
		want := []graph.Record{
			record(1, "a", "update", "bc", "1"),
			record(1, "a", "updateb", "c", "2"),
			record(1, "ab", "update", "c", "3"),
			record(1, "au", "pdate", "bc", "4"),
		}
		commit(t, s, thread, graph.Change{Add: chain(1), Records: want})
		loads(t, s, graph.Key{Thread: thread}, chain(1), want...)
	}},
	{"of their checkpoint and namespace", func(t *testing.T, s graph.Checkpointer) {
		one, two := record(1, "task", graph.RecordUpdate, "", "one"), record(2, "task", graph.RecordUpdate, "", "two")
		inner, other := record(1, "task", graph.RecordUpdate, "", "inner"), record(1, "task", graph.RecordUpdate, "", "other")
		inner.Namespace = "inner"
		commit(t, s, thread, graph.Change{
			Add:     []graph.Checkpoint{snapshot(1), delta(2, 1, 1), delta(3, 2, 1), in("inner", snapshot(1))},
			Records: []graph.Record{two, inner, one},
		})
		commit(t, s, "thread-2", graph.Change{Add: chain(1), Records: []graph.Record{other}})
		loads(t, s, graph.Key{Thread: thread, ID: id(1)}, chain(1), one)
		loads(t, s, graph.Key{Thread: thread, ID: id(2)}, chain(2), two)
		loads(t, s, graph.Key{Thread: thread, ID: id(3)}, chain(3)) // not those of its lineage
		loads(t, s, graph.Key{Thread: thread, Namespace: "inner"}, []graph.Checkpoint{in("inner", snapshot(1))}, inner)
		loads(t, s, graph.Key{Thread: "thread-2"}, chain(1), other)
	}},
	{"without their checkpoint they are stale", func(t *testing.T, s graph.Checkpointer) {
		add(t, s, thread, chain(2)...)
		refused(t, s, thread, graph.Change{Records: []graph.Record{record(3, "task", graph.RecordUpdate, "", "x")}})
		inner := record(1, "task", graph.RecordUpdate, "", "x")
		inner.Namespace = "inner"
		refused(t, s, thread, graph.Change{Records: []graph.Record{inner}})
		refused(t, s, "thread-2", graph.Change{Records: []graph.Record{record(1, "task", graph.RecordUpdate, "", "x")}})
		gone := record(2, "task", graph.RecordUpdate, "", "x")
		refused(t, s, thread, graph.Change{Remove: []graph.Key{{ID: id(2)}}, Records: []graph.Record{gone}})
		loads(t, s, graph.Key{Thread: thread}, chain(2))
	}},
	{"forget one kind of one checkpoint", func(t *testing.T, s graph.Checkpointer) {
		update, once := record(1, "a", graph.RecordUpdate, "", "1"), record(1, "a", graph.RecordOnce, "", "2")
		more, next := record(1, "b", graph.RecordUpdate, "k", "3"), record(2, "a", graph.RecordUpdate, "", "4")
		inner := update
		inner.Namespace = "inner"
		first := in("inner", snapshot(1))
		commit(t, s, thread, graph.Change{
			Add: append(chain(2), first), Records: []graph.Record{update, once, more, next, inner},
		})
		commit(t, s, "thread-2", graph.Change{Add: chain(1), Records: []graph.Record{update}})
		commit(t, s, thread, graph.Change{Forget: []graph.Forget{{Checkpoint: id(1), Kind: graph.RecordUpdate}}})
		loads(t, s, graph.Key{Thread: thread, ID: id(1)}, chain(1), once)
		loads(t, s, graph.Key{Thread: thread, ID: id(2)}, chain(2), next)
		loads(t, s, graph.Key{Thread: thread, Namespace: "inner"}, []graph.Checkpoint{first}, inner)
		loads(t, s, graph.Key{Thread: "thread-2"}, chain(1), update)
		commit(t, s, thread, graph.Change{Forget: []graph.Forget{{Namespace: "inner", Checkpoint: id(1), Kind: graph.RecordUpdate}}})
		loads(t, s, graph.Key{Thread: thread, Namespace: "inner"}, []graph.Checkpoint{first})
	}},
	{"forget what is not there", func(t *testing.T, s graph.Checkpointer) {
		r := record(1, "a", graph.RecordUpdate, "", "1")
		commit(t, s, thread, graph.Change{Add: chain(1), Records: []graph.Record{r}})
		commit(t, s, thread, graph.Change{Forget: []graph.Forget{
			{Checkpoint: id(1), Kind: graph.RecordError}, {Checkpoint: id(7), Kind: graph.RecordUpdate},
			{Namespace: "inner", Checkpoint: id(1), Kind: graph.RecordUpdate},
		}})
		commit(t, s, "thread-2", graph.Change{Forget: []graph.Forget{{Checkpoint: id(1), Kind: graph.RecordUpdate}}})
		loads(t, s, graph.Key{Thread: thread}, chain(1), r)
	}},
}
