package memory

import (
	"fmt"
	"slices"

	"example.com/assay/graph"
)

// commit makes a change, or nothing of it. A change that only adds, as every superstep does, is
// made in place and undone after an error. A change that removes or replaces is made on a copy.
func (t *thread) commit(change *graph.Change) error {
	spaces := t.spaces
	switch {
	case change.Clear:
		spaces = map[string]*space{}
	case len(change.Remove)+len(change.Replace) > 0:
		spaces = cloneSpaces(spaces)
	}
	remove(spaces, change.Remove)
	for i := range change.Replace {
		c := &change.Replace[i]
		s := spaces[c.Namespace]
		if s == nil || !s.has(c.ID) {
			return stale("replacing", c.Namespace, c.ID, "does not exist")
		}
		at, _ := s.find(c.ID)
		s.replace(at, c)
	}

	var few [4]mark
	marks, err := few[:0], error(nil)
	for i := 0; i < len(change.Add) && err == nil; i++ {
		marks, err = add(spaces, &change.Add[i], marks)
	}
	for i := 0; i < len(change.Records) && err == nil; i++ {
		r := &change.Records[i]
		if s := spaces[r.Namespace]; s == nil || !s.has(r.Checkpoint) {
			err = stale("recording for", r.Namespace, r.Checkpoint, "does not exist")
		}
	}
	if err != nil {
		for _, m := range slices.Backward(marks) {
			m.space.checkpoints = m.before
		}
		return err
	}

	for _, f := range change.Forget {
		if s := spaces[f.Namespace]; s != nil {
			s.forget(f.Checkpoint, f.Kind)
		}
	}
	for _, r := range change.Records {
		spaces[r.Namespace].put(r)
	}
	t.spaces = spaces
	return nil
}

// A mark is a space's list of checkpoints before some were added. Checkpoints are never changed in
// place, so a mark is enough to undo a change.
type mark struct {
	space  *space
	before []*row
}

func remove(spaces map[string]*space, keys []graph.Key) {
	if len(keys) == 0 {
		return
	}
	ids := map[string]map[string]bool{}
	for _, key := range keys {
		if key.ID == "" {
			delete(spaces, key.Namespace)
			continue
		}
		if ids[key.Namespace] == nil {
			ids[key.Namespace] = map[string]bool{}
		}
		ids[key.Namespace][key.ID] = true
	}
	for ns, gone := range ids {
		if s := spaces[ns]; s != nil {
			s.remove(gone)
		}
	}
}

// add adds a checkpoint to its space, and returns marks with one for that space.
func add(spaces map[string]*space, c *graph.Checkpoint, marks []mark) ([]mark, error) {
	s := spaces[c.Namespace]
	if s == nil {
		s = &space{records: map[string][]graph.Record{}}
		spaces[c.Namespace] = s
	}
	at, taken := s.find(c.ID)
	switch {
	case taken:
		return marks, stale("adding", c.Namespace, c.ID, "exists")
	case c.Parent != "" && !s.has(c.Parent):
		return marks, stale("adding", c.Namespace, c.ID, fmt.Sprintf("comes from %s, which does not exist", c.Parent))
	case c.Base != c.ID && !s.hasBase(c.Base):
		return marks, stale("adding", c.Namespace, c.ID, fmt.Sprintf("is read from %q, which does not exist", c.Base))
	}
	if len(marks) == 0 || marks[len(marks)-1].space != s {
		marks = append(marks, mark{s, s.checkpoints})
	}
	s.add(at, c)
	return marks, nil
}

func stale(doing, namespace, id, why string) error {
	where := ""
	if namespace != "" {
		where = fmt.Sprintf(" of namespace %q", namespace)
	}
	return fmt.Errorf("%s checkpoint %s%s, which %s: %w", doing, id, where, why, graph.ErrStale)
}
