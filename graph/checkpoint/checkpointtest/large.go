package checkpointtest

import (
	"testing"

	"example.com/assay/graph"
)

var largeChecks = []check{
	{"any bytes", func(t *testing.T, s graph.Checkpointer) {
		c := snapshot(1)
		c.Data = nil
		for i := range 256 {
			c.Data = append(c.Data, byte(i), 0xff)
		}
		r := record(1, "task", graph.RecordUpdate, "", "\x00\xff\xfe")
		commit(t, s, thread, graph.Change{Add: []graph.Checkpoint{c}, Records: []graph.Record{r}})
		loads(t, s, graph.Key{Thread: thread}, []graph.Checkpoint{c}, r)
	}},
	{"no bytes", func(t *testing.T, s graph.Checkpointer) {
		none, empty := snapshot(1), snapshot(2)
		none.Data, empty.Data, empty.Metadata = nil, []byte{}, map[string]string{}
		r := graph.Record{Checkpoint: id(2), Task: "task", Kind: graph.RecordUpdate}
		commit(t, s, thread, graph.Change{Add: []graph.Checkpoint{none, empty}, Records: []graph.Record{r}})
		loads(t, s, graph.Key{Thread: thread, ID: id(1)}, []graph.Checkpoint{none})
		loads(t, s, graph.Key{Thread: thread, ID: id(2)}, []graph.Checkpoint{empty}, r)
	}},
	{"16 MB", func(t *testing.T, s graph.Checkpointer) {
		c, d := snapshot(1), delta(2, 1, 1)
		c.Data = make([]byte, 16<<20)
		for i := range c.Data {
			c.Data[i] = byte(i * i >> 7)
		}
		r := record(2, "task", graph.RecordUpdate, "", string(c.Data[:5<<20]))
		commit(t, s, thread, graph.Change{Add: []graph.Checkpoint{c, d}, Records: []graph.Record{r}})
		loads(t, s, graph.Key{Thread: thread}, []graph.Checkpoint{c, d}, r)
	}},
	{"a lineage of 5,000", func(t *testing.T, s graph.Checkpointer) {
		all := chain(5000)
		for i := 0; i < len(all); i += 500 {
			add(t, s, thread, all[i:i+500]...)
		}
		loads(t, s, graph.Key{Thread: thread}, all)
		loads(t, s, graph.Key{Thread: thread, ID: id(4321)}, all[:4321])
		got := list(t, s, graph.Query{Thread: thread})
		if len(got) != len(all) || got[0].ID != id(5000) || got[4999].ID != id(1) {
			t.Fatalf("the list has %d checkpoints; want %d, newest first", len(got), len(all))
		}
		var old []graph.Key
		for _, c := range all[:4999] {
			old = append(old, graph.Key{ID: c.ID})
		}
		last := snapshot(5000)
		last.Parent = ""
		commit(t, s, thread, graph.Change{Remove: old, Replace: []graph.Checkpoint{last}})
		loads(t, s, graph.Key{Thread: thread}, []graph.Checkpoint{last})
		lists(t, s, graph.Query{Thread: thread}, id(5000))
	}},
}
