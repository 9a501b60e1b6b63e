package checkpointtest

import (
	"errors"
	"testing"

	"example.com/assay/graph"
)

var loadChecks = []check{
	{"what does not exist", func(t *testing.T, s graph.Checkpointer) {
		missing(t, s, graph.Key{Thread: thread})
		missing(t, s, graph.Key{Thread: thread, ID: id(1)})
		add(t, s, thread, chain(2)...)
		missing(t, s, graph.Key{Thread: thread, ID: id(3)})
		missing(t, s, graph.Key{Thread: thread, ID: "id"})
		missing(t, s, graph.Key{Thread: thread, Namespace: "inner"})
		missing(t, s, graph.Key{Thread: thread, Namespace: "inner", ID: id(1)})
		missing(t, s, graph.Key{Thread: "thread-2"})
		missing(t, s, graph.Key{Thread: "thread-2", ID: id(1)})
	}},
	{"the newest, or one by its ID", func(t *testing.T, s graph.Checkpointer) {
		add(t, s, thread, snapshot(1))
		add(t, s, thread, snapshot(2))
		late := snapshot(3)
		late.Time = epoch.Add(-1) // the ID says which is newest, not the time
		add(t, s, thread, late)
		add(t, s, thread, in("inner", snapshot(1)))
		loads(t, s, graph.Key{Thread: thread}, []graph.Checkpoint{late})
		loads(t, s, graph.Key{Thread: thread, ID: id(2)}, []graph.Checkpoint{snapshot(2)})
		loads(t, s, graph.Key{Thread: thread, Namespace: "inner"}, []graph.Checkpoint{in("inner", snapshot(1))})
	}},
	{"IDs are compared by their bytes", func(t *testing.T, s graph.Checkpointer) {
		for _, id := range []string{"b", "B", "a-c", "ab", "\U0001F642", "\uFFFD", "10", "9"} {
			add(t, s, thread, graph.Checkpoint{ID: id, Base: id})
		}
		lists(t, s, graph.Query{Thread: thread}, "\U0001F642", "\uFFFD", "b", "ab", "a-c", "B", "9", "10")
		loads(t, s, graph.Key{Thread: thread}, []graph.Checkpoint{{ID: "\U0001F642", Base: "\U0001F642"}})
	}},
	{"a lineage goes down to its base and no further", func(t *testing.T, s graph.Checkpointer) {
		all := append(chain(3), snapshot(4), delta(5, 4, 4), delta(6, 5, 4))
		add(t, s, thread, all...)
		loads(t, s, graph.Key{Thread: thread}, all[3:])
		loads(t, s, graph.Key{Thread: thread, ID: id(4)}, all[3:4])
		loads(t, s, graph.Key{Thread: thread, ID: id(3)}, all[:3])
	}},
	{"a lineage of forks", func(t *testing.T, s graph.Checkpointer) {
		//  1 - 2 - 3 - 6
		//       \ 4 - 5 - 8
		//  1 - 7
		all := map[int]graph.Checkpoint{1: snapshot(1)}
		for _, e := range [][2]int{{2, 1}, {3, 2}, {4, 2}, {5, 4}, {6, 3}, {7, 1}, {8, 5}} {
			all[e[0]] = delta(e[0], e[1], 1)
		}
		for _, n := range sorted(all) {
			add(t, s, thread, all[n])
		}
		for _, path := range [][]int{{1}, {1, 2}, {1, 2, 3}, {1, 2, 3, 6}, {1, 2, 4}, {1, 2, 4, 5}, {1, 2, 4, 5, 8}, {1, 7}} {
			var want []graph.Checkpoint
			for _, n := range path {
				want = append(want, all[n])
			}
			loads(t, s, graph.Key{Thread: thread, ID: id(path[len(path)-1])}, want)
		}
	}},
	{"a fork that is read from a snapshot of its own", func(t *testing.T, s graph.Checkpointer) {
		fork := delta(4, 1, 4)
		add(t, s, thread, append(chain(3), fork, delta(5, 4, 4), delta(6, 3, 1))...)
		loads(t, s, graph.Key{Thread: thread, ID: id(5)}, []graph.Checkpoint{fork, delta(5, 4, 4)})
		loads(t, s, graph.Key{Thread: thread}, append(chain(3), delta(6, 3, 1)))
	}},
	{"a gap is an error and not an absence", func(t *testing.T, s graph.Checkpointer) {
		add(t, s, thread, append(chain(5), snapshot(6))...)
		commit(t, s, thread, graph.Change{Remove: []graph.Key{{ID: id(3)}}})
		for _, n := range []int{4, 5} {
			_, _, err := s.Load(t.Context(), graph.Key{Thread: thread, ID: id(n)})
			if err == nil || errors.Is(err, graph.ErrNoCheckpoint) {
				t.Errorf("Load of %s without %s: error = %v; want one that is not ErrNoCheckpoint", id(n), id(3), err)
			}
		}
		loads(t, s, graph.Key{Thread: thread, ID: id(2)}, chain(2))
		loads(t, s, graph.Key{Thread: thread}, []graph.Checkpoint{snapshot(6)})
		lists(t, s, graph.Query{Thread: thread}, id(6), id(5), id(4), id(2), id(1))
		commit(t, s, thread, graph.Change{Remove: []graph.Key{{ID: id(1)}}})
		if _, _, err := s.Load(t.Context(), graph.Key{Thread: thread, ID: id(2)}); err == nil || errors.Is(err, graph.ErrNoCheckpoint) {
			t.Errorf("Load of %s without its base: error = %v; want one that is not ErrNoCheckpoint", id(2), err)
		}
	}},
	{"a new snapshot mends a gap", func(t *testing.T, s graph.Checkpointer) {
		add(t, s, thread, chain(4)...)
		merged := delta(3, 2, 3)
		rest := delta(4, 3, 3)
		commit(t, s, thread, graph.Change{
			Remove: []graph.Key{{ID: id(1)}, {ID: id(2)}}, Replace: []graph.Checkpoint{merged, rest},
		})
		loads(t, s, graph.Key{Thread: thread}, []graph.Checkpoint{merged, rest})
	}},
}
