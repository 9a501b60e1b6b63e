package memory

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/assay/graph"
)

// A thread is the content of one thread.
type thread struct {
	mu     sync.Mutex
	gone   bool // it is no longer in the saver's map: look it up again
	spaces map[string]*space
}

// A space is one namespace of a thread. Its checkpoints are never changed, and neither are the
// elements of the array in use; new ones are appended. So readers may keep a slice of it without a
// lock.
type space struct {
	checkpoints []*row                    // sorted by ID
	base        int                       // where the last Base was found: the next is often the same
	records     map[string][]graph.Record // by checkpoint, sorted by compareRecords
	last        *common                   // of the newest row
}

// A row is a checkpoint. What the checkpoints of a run share stands in one place.
type row struct {
	id, parent, base string
	source           graph.Source
	step             int
	micros           int64 // since 1970
	data             []byte
	common           *common
}

// A common is what the checkpoints of a run share.
type common struct {
	namespace, run, graph, fingerprint string
	version                            int
	metadata                           map[string]string
}

// row makes the row of a checkpoint.
func (s *space) row(c *graph.Checkpoint) *row {
	k := s.last
	if k == nil || k.run != c.Run || k.graph != c.Graph || k.fingerprint != c.Fingerprint || k.version != c.Version || !maps.Equal(k.metadata, c.Metadata) {
		k = &common{c.Namespace, c.Run, c.Graph, c.Fingerprint, c.Version, c.Metadata}
		s.last = k
	}
	return &row{c.ID, c.Parent, c.Base, c.Source, c.Step, c.Time.UnixMicro(), c.Data, k}
}

func (r *row) checkpoint() graph.Checkpoint {
	k := r.common
	return graph.Checkpoint{
		Namespace: k.namespace, ID: r.id, Parent: r.parent, Base: r.base, Source: r.source, Step: r.step, Time: time.UnixMicro(r.micros).UTC(),
		Run: k.run, Graph: k.graph, Fingerprint: k.fingerprint, Version: k.version, Metadata: k.metadata, Data: r.data,
	}
}

func (t *thread) empty() bool {
	for _, s := range t.spaces {
		if len(s.checkpoints) > 0 {
			return false
		}
	}
	return true
}

// find returns the position of a checkpoint, or where it would be.
func (s *space) find(id string) (at int, found bool) { return find(s.checkpoints, id) }

func find(checkpoints []*row, id string) (at int, found bool) {
	// Nearly every call looks for the newest. The search is written out because the search of
	// package slices copies the elements that it compares.
	low, high := 0, len(checkpoints)
	for at = high - 1; low < high; at = int(uint(low+high) / 2) {
		switch c := strings.Compare(checkpoints[at].id, id); {
		case c == 0:
			return at, true
		case c < 0:
			low = at + 1
		default:
			high = at
		}
	}
	return low, false
}

func (s *space) has(id string) bool {
	_, ok := s.find(id)
	return ok
}

// hasBase is has for a checkpoint's Base.
func (s *space) hasBase(id string) bool {
	if s.base < len(s.checkpoints) && s.checkpoints[s.base].id == id {
		return true
	}
	at, ok := s.find(id)
	s.base = at
	return ok
}

// add inserts a checkpoint at the free position that find returned.
func (s *space) add(at int, c *graph.Checkpoint) {
	if at == len(s.checkpoints) {
		s.checkpoints = append(s.checkpoints, s.row(c))
		return
	}
	s.checkpoints = slices.Concat(s.checkpoints[:at], []*row{s.row(c)}, s.checkpoints[at:])
}

// replace replaces the checkpoint with the same ID, in a space that no reader has seen.
func (s *space) replace(at int, c *graph.Checkpoint) {
	s.checkpoints[at] = s.row(c)
}

// remove removes checkpoints and their records, in a space that no reader has seen.
func (s *space) remove(ids map[string]bool) {
	s.checkpoints = slices.DeleteFunc(s.checkpoints, func(c *row) bool { return ids[c.id] })
	for id := range ids {
		delete(s.records, id)
	}
}

// lineage returns the lineage of the checkpoint at a position, oldest first.
func lineage(checkpoints []*row, at int) ([]graph.Checkpoint, error) {
	last := checkpoints[at]
	var out []graph.Checkpoint
	for c := last; ; c = checkpoints[at] {
		out = append(out, c.checkpoint())
		if c.id == last.base {
			slices.Reverse(out)
			return out, nil
		}
		// Only look among older ones: after Replace, a parent may be newer than its child.
		next, ok := find(checkpoints[:at], c.parent)
		if !ok {
			return nil, fmt.Errorf("checkpoint %s is read from %s, and %q between them is missing", last.id, last.base, c.parent)
		}
		at = next
	}
}

// put adds a record, or replaces the record with the same key.
func (s *space) put(r graph.Record) {
	list := s.records[r.Checkpoint]
	at, ok := slices.BinarySearchFunc(list, r, compareRecords)
	if ok {
		list[at] = r
		return
	}
	s.records[r.Checkpoint] = slices.Insert(list, at, r)
}

// forget removes a checkpoint's records of one kind.
func (s *space) forget(id string, kind graph.RecordKind) {
	list := slices.DeleteFunc(s.records[id], func(r graph.Record) bool { return r.Kind == kind })
	if len(list) == 0 {
		delete(s.records, id)
		return
	}
	s.records[id] = list
}

// cloneSpaces returns a copy that no reader has seen.
func cloneSpaces(spaces map[string]*space) map[string]*space {
	out := maps.Clone(spaces)
	for ns, s := range out {
		c := &space{checkpoints: slices.Clone(s.checkpoints), records: maps.Clone(s.records)}
		for id, list := range c.records {
			c.records[id] = slices.Clone(list)
		}
		out[ns] = c
	}
	return out
}

func compareRecords(a, b graph.Record) int {
	if c := strings.Compare(a.Task, b.Task); c != 0 {
		return c
	}
	if c := strings.Compare(string(a.Kind), string(b.Kind)); c != 0 {
		return c
	}
	return strings.Compare(a.Key, b.Key)
}
