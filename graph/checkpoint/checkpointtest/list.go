package checkpointtest

import (
	"testing"
	"time"

	"example.com/assay/graph"
)

var listChecks = []check{
	{"what does not exist", func(t *testing.T, s graph.Checkpointer) {
		lists(t, s, graph.Query{Thread: thread})
		lists(t, s, graph.Query{Thread: thread, All: true})
		add(t, s, thread, chain(2)...)
		lists(t, s, graph.Query{Thread: thread, Namespace: "inner"})
		lists(t, s, graph.Query{Thread: "thread-2", All: true})
	}},
	{"filters", func(t *testing.T, s graph.Checkpointer) {
		fillForList(t, s)
		for _, q := range listQueries() {
			lists(t, s, q.query, q.want...)
		}
	}},
	{"filters agree with Matches", func(t *testing.T, s graph.Checkpointer) {
		fillForList(t, s)
		all := list(t, s, graph.Query{Thread: thread, All: true})
		for _, q := range listQueries() {
			var want []string
			for _, c := range all {
				if q.query.Matches(c) && (q.query.Limit <= 0 || len(want) < q.query.Limit) {
					want = append(want, c.Namespace+c.ID)
				}
			}
			lists(t, s, q.query, want...)
		}
	}},
	{"breaking out early", func(t *testing.T, s graph.Checkpointer) {
		add(t, s, thread, chain(10)...)
		for range 20 { // more loops than a store can have connections
			for c, err := range s.List(t.Context(), graph.Query{Thread: thread}) {
				if err != nil || c.ID != id(10) {
					t.Fatalf("first is %s, %v; want %s", c.ID, err, id(10))
				}
				break
			}
		}
		add(t, s, thread, delta(11, 10, 1))
		lists(t, s, graph.Query{Thread: thread, Limit: 1}, id(11))
	}},
	{"a list can be read twice", func(t *testing.T, s graph.Checkpointer) {
		add(t, s, thread, chain(3)...)
		seq := s.List(t.Context(), graph.Query{Thread: thread})
		for range 2 {
			n := 0
			for c, err := range seq {
				if err != nil || c.ID != id(3-n) {
					t.Fatalf("number %d is %s, %v; want %s", n, c.ID, err, id(3-n))
				}
				n++
			}
			if n != 3 {
				t.Errorf("%d checkpoints; want 3", n)
			}
		}
	}},
	{"the loop may use the checkpointer", func(t *testing.T, s graph.Checkpointer) {
		const n = 700
		add(t, s, thread, chain(n)...)
		seen := 0
		for c, err := range s.List(t.Context(), graph.Query{Thread: thread}) {
			if err != nil {
				t.Fatal(err)
			}
			if c.ID != id(n-seen) {
				t.Fatalf("number %d is %s; want %s", seen, c.ID, id(n-seen))
			}
			seen++
			if seen%50 == 1 {
				add(t, s, thread, delta(n+seen, n-seen+1, 1))
				loads(t, s, graph.Key{Thread: thread, ID: id(1)}, chain(1))
				lists(t, s, graph.Query{Thread: thread, Limit: 1}, id(n+seen))
			}
		}
		if seen != n {
			t.Errorf("%d checkpoints; want the %d that there were when the loop began", seen, n)
		}
	}},
	{"the loop may remove what it sees", func(t *testing.T, s graph.Checkpointer) {
		const n = 300
		for i := 1; i <= n; i++ {
			if i%100 == 0 {
				add(t, s, thread, chain(n)[i-100:i]...)
			}
		}
		seen := 0
		for c, err := range s.List(t.Context(), graph.Query{Thread: thread}) {
			if err != nil {
				t.Fatal(err)
			}
			commit(t, s, thread, graph.Change{Remove: []graph.Key{{ID: c.ID}}})
			seen++
		}
		if seen != n {
			t.Errorf("%d checkpoints; want %d", seen, n)
		}
		lists(t, s, graph.Query{Thread: thread})
	}},
}

// fillForList adds eight checkpoints in three namespaces, and others to another thread.
func fillForList(t *testing.T, s graph.Checkpointer) {
	t.Helper()
	all := chain(5)
	for i, source := range []graph.Source{graph.SourceInput, graph.SourceLoop, graph.SourceLoop, graph.SourceFork, graph.SourceLoop} {
		all[i].Source = source
	}
	all[3].Parent = id(2)
	all[3].Run, all[4].Run = "run-2", "run-2"
	all[0].Metadata = map[string]string{"user": "ann", "plan": "free", "empty": ""}
	all[1].Metadata = map[string]string{"user": "ann", "plan": "paid"}
	all[2].Metadata = map[string]string{"user": "bob", "plan": "paid", `"`: `'; -- %_\`}
	all[4].Metadata = map[string]string{"user": "ann%"}
	inner := in("inner", snapshot(3))
	inner.Parent = ""
	all = append(all, inner, in("inner", delta(4, 3, 3)), in("a", snapshot(1)))
	add(t, s, thread, all...)
	add(t, s, "thread-2", chain(7)...)
}

type listQuery struct {
	query graph.Query
	want  []string
}

func listQueries() []listQuery {
	type q = graph.Query
	type m = map[string]string
	all := []listQuery{
		{q{}, []string{id(5), id(4), id(3), id(2), id(1)}},
		{q{Namespace: "inner"}, []string{"inner" + id(4), "inner" + id(3)}},
		{q{All: true}, []string{id(5), id(4), id(3), id(2), id(1), "a" + id(1), "inner" + id(4), "inner" + id(3)}},
		{q{All: true, Namespace: "none"}, []string{id(5), id(4), id(3), id(2), id(1), "a" + id(1), "inner" + id(4), "inner" + id(3)}},
		{q{Before: id(3)}, []string{id(2), id(1)}},
		{q{Before: id(1)}, nil},
		{q{Before: id(9)}, []string{id(5), id(4), id(3), id(2), id(1)}},
		{q{All: true, Before: id(4)}, []string{id(3), id(2), id(1), "a" + id(1), "inner" + id(3)}},
		{q{Parent: id(2)}, []string{id(4), id(3)}},
		{q{Parent: id(5)}, nil},
		{q{All: true, Parent: id(3)}, []string{"inner" + id(4)}},
		{q{Source: graph.SourceInput}, []string{id(1)}},
		{q{Source: graph.SourceLoop}, []string{id(5), id(3), id(2)}},
		{q{Source: graph.SourceUpdate}, nil},
		{q{Run: "run-2"}, []string{id(5), id(4)}},
		{q{Run: "run"}, nil},
		{q{Metadata: m{"user": "ann"}}, []string{id(2), id(1)}},
		{q{Metadata: m{"user": "ann", "plan": "paid"}}, []string{id(2)}},
		{q{Metadata: m{"user": "bob", "plan": "free"}}, nil},
		{q{Metadata: m{"user": "ann%"}}, []string{id(5)}},
		{q{Metadata: m{"empty": ""}}, []string{id(1)}},
		{q{Metadata: m{"none": ""}}, nil},
		{q{Metadata: m{`"`: `'; -- %_\`}}, []string{id(3)}},
		{q{Metadata: m{"ann": "user"}}, nil},
		{q{Limit: 2}, []string{id(5), id(4)}},
		{q{Limit: 50}, []string{id(5), id(4), id(3), id(2), id(1)}},
		{q{All: true, Limit: 7}, []string{id(5), id(4), id(3), id(2), id(1), "a" + id(1), "inner" + id(4)}},
		{q{Before: id(4), Limit: 1}, []string{id(3)}},
		{q{Before: id(5), Source: graph.SourceLoop, Run: "run-1", Parent: id(1), Metadata: m{"plan": "paid"}, Limit: 3}, []string{id(2)}},
		{q{All: true, Run: "run-1", Source: graph.SourceLoop, Limit: 3}, []string{id(3), id(2), "a" + id(1)}},
	}
	for i := range all {
		all[i].query.Thread = thread
	}
	return all
}

var threadChecks = []check{
	{"none", func(t *testing.T, s graph.Checkpointer) {
		if got := threads(t, s); len(got) != 0 {
			t.Errorf("threads = %v; want none", got)
		}
	}},
	{"sorted, with counts and times", func(t *testing.T, s graph.Checkpointer) {
		want := []graph.Thread{{ID: ""}, {ID: "10"}, {ID: "9"}, {ID: "B"}, {ID: "a-c"}, {ID: "ab"}, {ID: "ä"}, {ID: "\uFFFD"}, {ID: "\U0001F642"}}
		for i := range want {
			k := (i*4 + 2) % len(want)
			add(t, s, want[k].ID, chain(k+1)...)
			add(t, s, want[k].ID, in("inner", snapshot(1)))
			want[k].Checkpoints = k + 2
			want[k].Updated = epoch.Add(time.Duration(k+1) * time.Second).Truncate(time.Microsecond)
		}
		got := threads(t, s)
		if len(got) != len(want) {
			t.Fatalf("threads = %v; want %v", got, want)
		}
		for i, w := range want {
			if g := got[i]; g.ID != w.ID || g.Checkpoints != w.Checkpoints || !g.Updated.Equal(w.Updated) || g.Updated.Location() != time.UTC {
				t.Errorf("thread %d is %+v; want %+v", i, g, w)
			}
		}
	}},
	{"one without checkpoints is gone", func(t *testing.T, s graph.Checkpointer) {
		for _, name := range []string{"cleared", "kept", "removed", "namespace"} {
			add(t, s, name, chain(2)...)
		}
		commit(t, s, "cleared", graph.Change{Clear: true})
		commit(t, s, "removed", graph.Change{Remove: []graph.Key{{ID: id(1)}, {ID: id(2)}}})
		commit(t, s, "namespace", graph.Change{Remove: []graph.Key{{}}})
		commit(t, s, "kept", graph.Change{Remove: []graph.Key{{ID: id(1)}}})
		got := threads(t, s)
		if len(got) != 1 || got[0].ID != "kept" || got[0].Checkpoints != 1 {
			t.Errorf("threads = %+v; want kept alone, with one checkpoint", got)
		}
	}},
	{"breaking out early, and changing threads in the loop", func(t *testing.T, s graph.Checkpointer) {
		const n = 30
		for i := range n {
			add(t, s, id(i), snapshot(1))
		}
		for range 20 {
			for th, err := range s.Threads(t.Context()) {
				if err != nil || th.ID != id(0) {
					t.Fatalf("first is %v, %v; want %s", th, err, id(0))
				}
				break
			}
		}
		seen := 0
		for th, err := range s.Threads(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if th.Checkpoints == 0 {
				t.Errorf("thread %s has no checkpoints; want those only that have some", th.ID)
			}
			if seen == 0 { // a loop may or may not still see the last one
				commit(t, s, id(n-1), graph.Change{Clear: true})
			}
			commit(t, s, th.ID, graph.Change{Clear: true})
			seen++
		}
		if left := threads(t, s); seen < n-1 || len(left) != 0 {
			t.Errorf("%d threads, %d after all were cleared; want %d or one less, and none", seen, len(left), n)
		}
	}},
}
