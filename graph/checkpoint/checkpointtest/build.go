package checkpointtest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"example.com/assay/graph"
)

const thread = "thread-1"

// epoch has a part below the microsecond, which checkpointers drop.
var epoch = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

// id is the n-th ID; later IDs are greater strings.
func id(n int) string { return fmt.Sprintf("id-%06d", n) }

// snapshot is the n-th checkpoint of the root namespace, with the whole state. Only the first has
// no parent.
func snapshot(n int) graph.Checkpoint {
	c := delta(n, n-1, n)
	if n == 1 {
		c.Parent = ""
	}
	return c
}

// delta is a checkpoint of the root namespace, given by its own number and the numbers of its
// parent and its base.
func delta(n, parent, base int) graph.Checkpoint {
	return graph.Checkpoint{
		ID: id(n), Parent: id(parent), Base: id(base),
		Source: graph.SourceLoop, Step: n, Time: epoch.Add(time.Duration(n) * time.Second),
		Run: "run-1", Graph: "graph", Fingerprint: "f00d", Version: 1,
		Data: fmt.Appendf(nil, "data %d", n),
	}
}

// in returns the checkpoint in another namespace.
func in(namespace string, c graph.Checkpoint) graph.Checkpoint {
	c.Namespace = namespace
	return c
}

// chain is a snapshot and n-1 deltas after it, numbered from 1.
func chain(n int) []graph.Checkpoint {
	out := []graph.Checkpoint{snapshot(1)}
	for i := 2; i <= n; i++ {
		out = append(out, delta(i, i-1, 1))
	}
	return out
}

func record(n int, task string, kind graph.RecordKind, key, data string) graph.Record {
	return graph.Record{Checkpoint: id(n), Task: task, Kind: kind, Key: key, Data: []byte(data)}
}

func commit(t *testing.T, s graph.Checkpointer, thread string, change graph.Change) {
	t.Helper()
	if err := s.Commit(t.Context(), thread, change); err != nil {
		t.Fatalf("Commit: %v", err)
	}
}

func add(t *testing.T, s graph.Checkpointer, thread string, checkpoints ...graph.Checkpoint) {
	t.Helper()
	commit(t, s, thread, graph.Change{Add: checkpoints})
}

// refused checks that a change fails with ErrStale.
func refused(t *testing.T, s graph.Checkpointer, thread string, change graph.Change) {
	t.Helper()
	if err := s.Commit(t.Context(), thread, change); !errors.Is(err, graph.ErrStale) {
		t.Errorf("Commit: error = %v; want ErrStale", err)
	}
}

// loads checks that a checkpoint loads with this lineage and these records.
func loads(t *testing.T, s graph.Checkpointer, key graph.Key, lineage []graph.Checkpoint, records ...graph.Record) {
	t.Helper()
	gotLineage, gotRecords, err := s.Load(t.Context(), key)
	if err != nil {
		t.Errorf("Load(%v): %v", key, err)
		return
	}
	equalCheckpoints(t, fmt.Sprintf("lineage of %v", key), gotLineage, lineage)
	if len(gotRecords) != len(records) {
		t.Errorf("%v has %d records %v; want %d %v", key, len(gotRecords), gotRecords, len(records), records)
		return
	}
	for i, want := range records {
		if got := gotRecords[i]; !sameRecord(got, want) {
			t.Errorf("record %d of %v is %+v; want %+v", i, key, got, want)
		}
	}
}

// missing checks that a checkpoint does not exist.
func missing(t *testing.T, s graph.Checkpointer, key graph.Key) {
	t.Helper()
	if _, _, err := s.Load(t.Context(), key); !errors.Is(err, graph.ErrNoCheckpoint) {
		t.Errorf("Load(%v): error = %v; want ErrNoCheckpoint", key, err)
	}
}

func list(t *testing.T, s graph.Checkpointer, query graph.Query) []graph.Checkpoint {
	t.Helper()
	var out []graph.Checkpoint
	for c, err := range s.List(t.Context(), query) {
		if err != nil {
			t.Fatalf("List: %v", err)
		}
		out = append(out, c)
	}
	return out
}

// lists checks the IDs that a query selects. An ID outside the root namespace has its namespace
// before it.
func lists(t *testing.T, s graph.Checkpointer, query graph.Query, want ...string) {
	t.Helper()
	var got []string
	for _, c := range list(t, s, query) {
		got = append(got, c.Namespace+c.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("List(%+v) = %q; want %q", query, got, want)
	}
}

func threads(t *testing.T, s graph.Checkpointer) []graph.Thread {
	t.Helper()
	var out []graph.Thread
	for th, err := range s.Threads(t.Context()) {
		if err != nil {
			t.Fatalf("Threads: %v", err)
		}
		out = append(out, th)
	}
	return out
}

func equalCheckpoints(t *testing.T, what string, got, want []graph.Checkpoint) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s has %d checkpoints; want %d", what, len(got), len(want))
		return
	}
	for i := range want {
		if !sameCheckpoint(got[i], want[i]) {
			t.Errorf("checkpoint %d of %s is %+.500v; want %+.500v", i, what, got[i], want[i])
		}
	}
}

// sameCheckpoint reports whether a store may return got for want.
func sameCheckpoint(got, want graph.Checkpoint) bool {
	return got.Namespace == want.Namespace && got.ID == want.ID && got.Parent == want.Parent &&
		got.Base == want.Base && got.Source == want.Source && got.Step == want.Step &&
		got.Time.Equal(want.Time.Truncate(time.Microsecond)) && got.Time.Location() == time.UTC &&
		got.Run == want.Run && got.Graph == want.Graph && got.Fingerprint == want.Fingerprint &&
		got.Version == want.Version && maps.Equal(got.Metadata, want.Metadata) && bytes.Equal(got.Data, want.Data)
}

func sameRecord(got, want graph.Record) bool {
	return got.Namespace == want.Namespace && got.Checkpoint == want.Checkpoint && got.Task == want.Task &&
		got.Kind == want.Kind && got.Key == want.Key && bytes.Equal(got.Data, want.Data)
}

func sorted[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
