package graph

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// PruneOptions select the checkpoints that Prune removes. Nil is the zero
// value.
type PruneOptions struct {
	// KeepLast is how many of the newest checkpoints of each namespace stay. Default 1. A negative
	// value is an error.
	KeepLast int
	// OlderThan limits the removal to checkpoints made before it. Default: any
	// age.
	OlderThan time.Time
}

// Prune removes old checkpoints of a thread and returns their number. It takes
// the thread's lock (ErrThreadBusy) and makes one Commit. A missing thread has
// nothing to remove.
//
// The remaining checkpoints keep their state, due tasks and interrupts. A
// checkpoint whose parent is removed gets its nearest remaining ancestor as
// parent. The newest checkpoint of each namespace stays. Checkpoints of a
// stateful subgraph stay while an outer checkpoint continues from them.
// Checkpoints of a subgraph's run are removed with the last checkpoint before
// its task. An unreadable remaining checkpoint is an error, and nothing is
// removed.
func Prune(ctx context.Context, saver Checkpointer, thread string, opts *PruneOptions) (removed int, err error) {
	if opts == nil {
		opts = &PruneOptions{}
	}
	if opts.KeepLast < 0 {
		return 0, fmt.Errorf("pruning thread %q: KeepLast is %d: it must not be negative", thread, opts.KeepLast)
	}
	removed, err = trim(ctx, saver, thread, func(c *Checkpoint, newer int) bool {
		return newer >= max(1, opts.KeepLast) && (opts.OlderThan.IsZero() || c.Time.Before(opts.OlderThan))
	})
	if err != nil {
		return 0, fmt.Errorf("pruning thread %q: %w", thread, err)
	}
	return removed, nil
}

// DeleteRuns removes the checkpoints of some runs of a thread, under the same rules as Prune, and
// returns their number. Unlike Prune it also removes the newest: the thread returns to its earlier
// state. Later checkpoints of other runs stay and keep what the removed runs had written.
func DeleteRuns(ctx context.Context, saver Checkpointer, thread string, runs ...string) (removed int, err error) {
	removed, err = trim(ctx, saver, thread, func(c *Checkpoint, _ int) bool { return slices.Contains(runs, c.Run) })
	if err != nil {
		return 0, fmt.Errorf("deleting runs of thread %q: %w", thread, err)
	}
	return removed, nil
}

// trim removes the checkpoints that goes selects. Newer counts the newer
// checkpoints of the same namespace.
func trim(ctx context.Context, saver Checkpointer, thread string, goes func(c *Checkpoint, newer int) bool) (int, error) {
	unlock, err := saver.Lock(ctx, thread)
	if err != nil {
		return 0, err
	}
	defer unlock()
	spaces, err := readSpaces(ctx, saver, thread)
	if err != nil {
		return 0, err
	}
	var change Change
	removed := 0
	records := sync.OnceValues(func() ([]Record, error) {
		var staying []Checkpoint
		for _, name := range slices.Sorted(maps.Keys(spaces)) {
			for i := range spaces[name].survivors {
				staying = append(staying, spaces[name].rows[i])
			}
		}
		return recordsOf(ctx, saver, thread, staying)
	})
	for _, name := range slices.Sorted(maps.Keys(spaces)) { // an outer graph comes before its subgraphs
		s := spaces[name]
		pins, err := s.needed(spaces, records)
		if err != nil {
			return 0, err
		}
		for i := range s.rows {
			c := &s.rows[i]
			s.gone[i] = pins == nil || !pins[c.ID] && goes(c, len(s.rows)-1-i)
			if s.gone[i] {
				removed++
				change.Remove = append(change.Remove, Key{thread, name, c.ID})
			}
		}
		repaired, err := s.repair(stateReaderOf(ctx, saver, thread))
		if err != nil {
			return 0, err
		}
		change.Replace = append(change.Replace, repaired...)
	}
	if removed == 0 {
		return 0, nil
	}
	return removed, saver.Commit(ctx, thread, change)
}

// A space is one namespace of a thread.
type space struct {
	name string
	rows []Checkpoint // sorted by ID
	gone []bool       // by row

	// tasks are the IDs of tasks after remaining rows, by node. sent are the IDs of tasks that
	// Commands in a run's input sent. Both are filled on demand.
	tasks, sent map[string]map[string]bool
}

func readSpaces(ctx context.Context, saver Checkpointer, thread string) (map[string]*space, error) {
	spaces := map[string]*space{}
	for c, err := range saver.List(ctx, Query{Thread: thread, All: true}) {
		if err != nil {
			return nil, err
		}
		s := spaces[c.Namespace]
		if s == nil {
			s = &space{name: c.Namespace, tasks: map[string]map[string]bool{}, sent: map[string]map[string]bool{}}
			spaces[c.Namespace] = s
		}
		s.rows = append(s.rows, c)
	}
	for _, s := range spaces {
		slices.Reverse(s.rows)
		s.gone = make([]bool, len(s.rows))
	}
	return spaces, nil
}

// parent returns the row of a row's parent, or -1.
func (s *space) parent(i int) int {
	at, ok := slices.BinarySearchFunc(s.rows[:i], s.rows[i].Parent, func(c Checkpoint, id string) int { return strings.Compare(c.ID, id) })
	if !ok {
		return -1
	}
	return at
}

// survivors yields the rows that remain so far.
func (s *space) survivors(yield func(int) bool) {
	for i := range s.rows {
		if !s.gone[i] && !yield(i) {
			return
		}
	}
}

// needed returns the rows that the remaining outer checkpoints need, or nil
// when they do not need this namespace.
func (s *space) needed(spaces map[string]*space, records func() ([]Record, error)) (map[string]bool, error) {
	pins := map[string]bool{}
	if s.name == "" {
		return pins, nil
	}
	cut := strings.LastIndexByte(s.name, '/')
	segment, _, _ := strings.Cut(s.name[cut+1:], "|")
	node, task, perRun := strings.Cut(segment, ":")
	outer := spaces[s.name[:max(0, cut)]]
	if outer == nil || !slices.Contains(outer.gone, false) {
		return nil, nil
	}
	if !perRun {
		return pins, outer.childrenInUse(s.name, pins)
	}
	has, err := outer.hasTask(node, task, records)
	if err != nil || has {
		return pins, err
	}
	return nil, nil
}

// childrenInUse collects the checkpoints of a stateful subgraph that the
// remaining rows continue from.
func (s *space) childrenInUse(child string, ids map[string]bool) error {
	from := make([]string, len(s.rows))
	for i, c := range s.rows {
		saved, err := readSaved(c)
		if err != nil {
			if s.gone[i] {
				continue // a row that depends on it reports the error
			}
			return err
		}
		if p := s.parent(i); p >= 0 && !saved.Full {
			from[i] = from[p]
		}
		if id := saved.Children[child]; id != "" {
			from[i] = id
		}
		if !s.gone[i] {
			ids[from[i]] = true
		}
	}
	return nil
}

// hasTask reports whether a remaining row is followed by this task of a node.
// It reads records only when the rows lack it: they do not name targets of
// Commands in a run's input.
func (s *space) hasTask(node, task string, records func() ([]Record, error)) (bool, error) {
	if s.tasks[node] == nil {
		ids := map[string]bool{}
		for i := range s.survivors {
			saved, err := readSaved(s.rows[i])
			if err != nil {
				return false, err
			}
			s.addTasks(ids, i, node, 0, len(saved.Sends))
		}
		s.tasks[node] = ids
	}
	if s.tasks[node][task] {
		return true, nil
	}
	all, err := records()
	if err != nil {
		return false, err
	}
	if s.sent[node] == nil {
		ids, before := map[string]bool{}, map[string]int{} // Sends of earlier inputs, by checkpoint
		for _, r := range all {
			if r.Namespace != s.name || r.Kind != RecordUpdate || r.Task != "" {
				continue
			}
			i, found := slices.BinarySearchFunc(s.rows, r.Checkpoint, func(c Checkpoint, id string) int { return strings.Compare(c.ID, id) })
			if !found || s.gone[i] {
				continue
			}
			more, err := sendsIn(r.Data)
			if err != nil {
				return false, fmt.Errorf("reading the input on record at checkpoint %s: %w", r.Checkpoint, err)
			}
			saved, err := readSaved(s.rows[i])
			if err != nil {
				return false, err
			}
			first := len(saved.Sends) + before[r.Checkpoint] + 1
			s.addTasks(ids, i, node, first, first+more-1)
			before[r.Checkpoint] += more
		}
		s.sent[node] = ids
	}
	return s.sent[node][task], nil
}

// addTasks adds the IDs of a node's tasks after a row, for a range of Sends.
// Send 0 is the task that edges trigger.
func (s *space) addTasks(ids map[string]bool, i int, node string, from, to int) {
	for send := from; send <= to; send++ {
		ids[taskID(s.name, s.rows[i].ID, s.rows[i].Step+1, node, send)] = true
	}
}

// sendsIn counts the Sends of an encoded update.
func sendsIn(data []byte) (int, error) {
	var writes []writeJSON
	if err := decodeInto(data, &writes); err != nil {
		return 0, err
	}
	n := 0
	for _, w := range writes {
		if w.Channel != "" {
			continue
		}
		var where directions
		if err := decodeInto(w.Value, &where); err != nil {
			return 0, err
		}
		n += len(where.Sends)
	}
	return n, nil
}

// repair returns the remaining rows that change, because a row that they depend
// on is removed.
func (s *space) repair(read stateReader) ([]Checkpoint, error) {
	var out []Checkpoint
	bases := make([]string, len(s.rows))
	for i := range s.survivors {
		c := s.rows[i]
		p := s.parent(i)
		orphan := p >= 0 && s.gone[p]
		for p >= 0 && s.gone[p] {
			p = s.parent(p)
		}
		switch {
		case orphan:
			var err error
			if c, err = s.standalone(i, read); err != nil {
				return nil, err
			}
			c.Parent = ""
			if p >= 0 {
				c.Parent = s.rows[p].ID
			}
		case c.Base != c.ID && p >= 0:
			c.Base = bases[p]
		}
		if bases[i] = c.Base; orphan || c.Base != s.rows[i].Base {
			out = append(out, c)
		}
	}
	return out, nil
}

// standalone returns a row as a snapshot, independent of earlier rows.
func (s *space) standalone(i int, read stateReader) (Checkpoint, error) {
	lineage, err := Lineage(s.rows[:i+1], s.rows[i].ID)
	if err != nil {
		return Checkpoint{}, err
	}
	c, err := asSnapshot(lineage, read, func(last *saved) error {
		if last.Owner == "" {
			return nil
		}
		rows := [][]writeJSON{}
		for at := i; at >= 0; at = s.parent(at) {
			row, err := readSaved(s.rows[at])
			if err != nil {
				return err
			}
			if row.Owner != last.Owner {
				break
			}
			if rows = append(rows, row.writes()); row.Written != nil {
				break
			}
		}
		slices.Reverse(rows)
		last.Written = slices.Concat(rows...)
		return nil
	})
	return c, err
}
