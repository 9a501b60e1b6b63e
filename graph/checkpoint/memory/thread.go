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

// A thread is what the saver keeps of one thread.
type thread struct {
	mu     sync.Mutex
	gone   bool // no longer in the saver's map: look again
	spaces map[string]*space
}

// A space is one namespace of a thread. Its array of checkpoints is never
// changed where it has elements, and neither are those; new ones are appended
// to it, so that readers may keep a slice of it without a lock.
type space struct {
	checkpoints []*graph.Checkpoint       // sorted by ID
	base        int                       // where the last Base was found: the next is often the same
	records     map[string][]graph.Record // by checkpoint, sorted by compareRecords
}

func (t *thread) empty() bool {
	for _, s := range t.spaces {
		if len(s.checkpoints) > 0 {
			return false
		}
	}
	return true
}

// find returns where a checkpoint is, or would be.
func (s *space) find(id string) (at int, found bool) { return find(s.checkpoints, id) }

func find(checkpoints []*graph.Checkpoint, id string) (at int, found bool) {
	// Nearly every call asks for the newest. The search is written out because that of
	// package slices copies what it compares.
	low, high := 0, len(checkpoints)
	for at = high - 1; low < high; at = int(uint(low+high) / 2) {
		switch c := strings.Compare(checkpoints[at].ID, id); {
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

// hasBase is has for what checkpoints are read from.
func (s *space) hasBase(id string) bool {
	if s.base < len(s.checkpoints) && s.checkpoints[s.base].ID == id {
		return true
	}
	at, ok := s.find(id)
	s.base = at
	return ok
}

// add puts a checkpoint at its place, which find has found free.
func (s *space) add(at int, c *graph.Checkpoint) {
	if at == len(s.checkpoints) {
		s.checkpoints = append(s.checkpoints, kept(c))
		return
	}
	s.checkpoints = slices.Concat(s.checkpoints[:at], []*graph.Checkpoint{kept(c)}, s.checkpoints[at:])
}

// replace puts a checkpoint in place of the one with its ID, in a space that no
// reader has seen.
func (s *space) replace(at int, c *graph.Checkpoint) {
	s.checkpoints[at] = kept(c)
}

// remove removes checkpoints with their records, in a space that no reader has
// seen.
func (s *space) remove(ids map[string]bool) {
	s.checkpoints = slices.DeleteFunc(s.checkpoints, func(c *graph.Checkpoint) bool { return ids[c.ID] })
	for id := range ids {
		delete(s.records, id)
	}
}

// lineage returns the checkpoint at a place and those that it is read from,
// oldest first.
func lineage(checkpoints []*graph.Checkpoint, at int) ([]graph.Checkpoint, error) {
	last := checkpoints[at]
	var out []graph.Checkpoint
	for c := last; ; c = checkpoints[at] {
		out = append(out, *c)
		if c.ID == last.Base {
			slices.Reverse(out)
			return out, nil
		}
		// Only among the older ones: after Replace a parent may be newer than its child.
		next, ok := find(checkpoints[:at], c.Parent)
		if !ok {
			return nil, fmt.Errorf("checkpoint %s is read from %s, and %q between them is missing", last.ID, last.Base, c.Parent)
		}
		at = next
	}
}

// put adds a record, or replaces the one that has its key.
func (s *space) put(r graph.Record) {
	list := s.records[r.Checkpoint]
	at, ok := slices.BinarySearchFunc(list, r, compareRecords)
	if ok {
		list[at] = r
		return
	}
	s.records[r.Checkpoint] = slices.Insert(list, at, r)
}

// forget removes the records of a kind that a checkpoint has.
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

// kept is a checkpoint as every checkpointer keeps it.
func kept(c *graph.Checkpoint) *graph.Checkpoint {
	out := *c
	out.Time = c.Time.UTC().Truncate(time.Microsecond)
	return &out
}
