package sourcetest

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"example.com/assay/memory/index"
)

// Memory is a collection in memory, which scans all that it holds: for tests of what
// uses one. The zero value does not exist yet, as one that was not created.
type Memory struct {
	// Fail, where it is not nil, is asked before every call, and its error returned.
	Fail func(op string) error

	lock    sync.RWMutex
	exists  bool
	ranking index.BM25
	records map[string]index.Record
}

func (m *Memory) fail(ctx context.Context, op string) error {
	if m.Fail != nil {
		if err := m.Fail(op); err != nil {
			return err
		}
	}
	return ctx.Err()
}

var errAbsent = errors.New("there is no such collection")

// Create makes the collection.
func (m *Memory) Create(ctx context.Context, ranking index.BM25) error {
	if err := m.fail(ctx, "create"); err != nil {
		return err
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.exists {
		return errors.New("the collection exists")
	}
	m.exists, m.ranking, m.records = true, ranking.Resolved(), map[string]index.Record{}
	return nil
}

// Drop removes the collection.
func (m *Memory) Drop(ctx context.Context) error {
	if err := m.fail(ctx, "drop"); err != nil {
		return err
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	m.exists, m.records = false, nil
	return nil
}

// Exists reports whether it was created and not dropped.
func (m *Memory) Exists() bool {
	m.lock.RLock()
	defer m.lock.RUnlock()
	return m.exists
}

// Write adds records.
func (m *Memory) Write(ctx context.Context, records []index.Record) error {
	if err := m.fail(ctx, "write"); err != nil {
		return err
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	if !m.exists {
		return errAbsent
	}
	for _, r := range records {
		m.records[r.Passage.ID] = r
	}
	return nil
}

// Count counts the records.
func (m *Memory) Count(ctx context.Context) (int, error) {
	if err := m.fail(ctx, "count"); err != nil {
		return 0, err
	}
	m.lock.RLock()
	defer m.lock.RUnlock()
	return len(m.records), nil
}

// Find scans all records for each ask.
func (m *Memory) Find(ctx context.Context, asks []index.Ask) ([][]index.Record, error) {
	if err := m.fail(ctx, "find"); err != nil {
		return nil, err
	}
	m.lock.RLock()
	defer m.lock.RUnlock()
	if !m.exists {
		return nil, errAbsent
	}
	out := make([][]index.Record, len(asks))
	for i, ask := range asks {
		out[i] = m.answer(ask)
	}
	return out, nil
}

func (m *Memory) answer(ask index.Ask) []index.Record {
	rank := m.ranks(ask)
	type scored struct {
		record index.Record
		score  float64
	}
	var found []scored
	for _, r := range m.records {
		if score, ok := rank(r); ok && lets(ask, r) {
			r.Terms, r.Meta, r.Vector = nil, nil, nil
			found = append(found, scored{r, score})
		}
	}
	slices.SortFunc(found, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.record.Passage.ID, b.record.Passage.ID))
	})
	var out []index.Record
	for _, f := range found[:min(len(found), ask.Limit)] {
		out = append(out, f.record)
	}
	return out
}

// ranks returns what gives records their scores, and says which are found at all.
func (m *Memory) ranks(ask index.Ask) func(index.Record) (float64, bool) {
	switch {
	case len(ask.Terms) > 0:
		return m.bm25(ask.Terms)
	case ask.Vector != nil:
		return func(r index.Record) (score float64, ok bool) {
			for i, v := range r.Vector {
				score += float64(v) * float64(ask.Vector[i])
			}
			return score, len(r.Vector) > 0
		}
	case ask.Before != nil:
		return func(r index.Record) (float64, bool) { return float64(r.Place), true }
	}
	return func(r index.Record) (float64, bool) { return -float64(r.Place), true }
}

func (m *Memory) bm25(terms []string) func(index.Record) (float64, bool) {
	n, length := float64(len(m.records)), 0.0
	df := map[string]float64{}
	for _, r := range m.records {
		length += float64(len(r.Terms))
		for _, t := range slices.Compact(slices.Sorted(slices.Values(r.Terms))) {
			df[t]++
		}
	}
	return func(r index.Record) (score float64, ok bool) {
		for _, t := range terms {
			tf := 0.0
			for _, own := range r.Terms {
				if own == t {
					tf++
				}
			}
			if tf > 0 {
				ok = true
				norm := m.ranking.K1 * (1 - m.ranking.B + m.ranking.B*float64(len(r.Terms))*n/length)
				score += math.Log(1+(n-df[t]+.5)/(df[t]+.5)) * tf / (tf + norm)
			}
		}
		return score, ok
	}
}

// lets reports whether all conditions of an ask hold for a record.
func lets(ask index.Ask, r index.Record) bool {
	if ask.After != nil && r.Place <= *ask.After || ask.Before != nil && r.Place >= *ask.Before {
		return false
	}
	for _, w := range ask.Where {
		have := map[string][]string{
			index.FieldID: {r.Passage.ID}, index.FieldDoc: {r.Passage.Doc}, index.FieldTitle: {r.Title},
			index.FieldMeta: r.Meta, index.FieldOwn: r.Own, index.FieldWithin: r.Within,
		}[w.Field]
		if !slices.ContainsFunc(have, func(v string) bool { return v != "" && slices.Contains(w.OneOf, v) }) {
			return false
		}
	}
	return true
}
