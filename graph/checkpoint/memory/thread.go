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

// find returns the position of a checkpoint, or where it would be.
func (s *space) find(id string) (at int, found bool) { return find(s.checkpoints, id) }

func find(checkpoints []*graph.Checkpoint, id string) (at int, found bool) {
	// Nearly every call looks for the newest. The search is written out because the search of
	// package slices copies the elements that it compares.
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

// hasBase is has for a checkpoint's Base.
func (s *space) hasBase(id string) bool {
	if s.base < len(s.checkpoints) && s.checkpoints[s.base].ID == id {
		return true
	}
	at, ok := s.find(id)
	s.base = at
	return ok
}

// add inserts a checkpoint at the free position that find returned.
func (s *space) add(at int, c *graph.Checkpoint) {
	if at == len(s.checkpoints) {
		s.checkpoints = append(s.checkpoints, kept(c))
		return
	}
	s.checkpoints = slices.Concat(s.checkpoints[:at], []*graph.Checkpoint{kept(c)}, s.checkpoints[at:])
}

// replace replaces the checkpoint with the same ID, in a space that no reader has seen.
func (s *space) replace(at int, c *graph.Checkpoint) {
	s.checkpoints[at] = kept(c)
}

// remove removes checkpoints and their records, in a space that no reader has seen.
func (s *space) remove(ids map[string]bool) {
	s.checkpoints = slices.DeleteFunc(s.checkpoints, func(c *graph.Checkpoint) bool { return ids[c.ID] })
	for id := range ids {
		delete(s.records, id)
	}
}

// lineage returns the lineage of the checkpoint at a position, oldest first.
func lineage(checkpoints []*graph.Checkpoint, at int) ([]graph.Checkpoint, error) {
	last := checkpoints[at]
	var out []graph.Checkpoint
	for c := last; ; c = checkpoints[at] {
		out = append(out, *c)
		if c.ID == last.Base {
			slices.Reverse(out)
			return out, nil
		}
		// Only look among older ones: after Replace, a parent may be newer than its child.
		next, ok := find(checkpoints[:at], c.Parent)
		if !ok {
			return nil, fmt.Errorf("checkpoint %s is read from %s, and %q between them is missing", last.ID, last.Base, c.Parent)
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

// kept is the copy of a checkpoint that the saver stores.
func kept(c *graph.Checkpoint) *graph.Checkpoint {
	out := *c
	out.Time = c.Time.UTC().Truncate(time.Microsecond)
	return &out
}
