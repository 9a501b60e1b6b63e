package runs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"
	"sync"
	"time"

	"example.com/assay/graph/store"
)

// A head is the record by which a thread is found: its small fields.
type head struct {
	Created  time.Time       `json:"created"`
	Updated  time.Time       `json:"updated"`
	Metadata json.RawMessage `json:"metadata"`
	Status   ThreadStatus    `json:"status"`
	Graph    string          `json:"graph,omitempty"`
	Bytes    int64           `json:"bytes"` // what is kept of the thread; see Quota.Bytes
}

// Labels of the index: heads by thread, and threads by term. A term is a graph, a field of the
// metadata with its value, or a status other than Idle, which most threads have.
const (
	headsOf   = "heads"
	threadsBy = "by"
	// indexKey is the record that says that the index is complete.
	indexKey = "index"
	// maxTerms bounds the terms of a thread. A thread that would have more has the term crowded.
	maxTerms = 32
	crowded  = ""
	// mostByTerm is how many threads are read one by one, so many at once.
	mostByTerm, readAtOnce = 1000, 8
)

func (s *Space) index() []string { return []string{root, tenantsRoot, s.tenant, headsOf} }
func (s *Space) under(term string) []string {
	sum := sha256.Sum256([]byte(term))
	return []string{root, tenantsRoot, s.tenant, threadsBy, hex.EncodeToString(sum[:16])}
}

// terms returns the terms of a thread or a query, the rarest last as a rule. Fields of the metadata
// are those with a text, a number or a boolean.
func terms(graph string, metadata any, status ThreadStatus) []string {
	var out []string
	if graph != "" {
		out = append(out, "graph\x00"+graph)
	}
	fields, _ := metadata.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch v := fields[name].(type) {
		case string, float64, bool:
			if v == 0.0 {
				v = 0.0 // not -0
			}
			data, _ := json.Marshal(v) // it was decoded from JSON
			out = append(out, "metadata\x00"+name+"\x00"+string(data))
		}
	}
	if status != "" && status != Idle {
		out = append(out, "status\x00"+string(status))
	}
	return out
}

// terms returns the terms under which a thread is found.
func (h *head) terms() []string {
	var v any
	if json.Unmarshal(h.Metadata, &v) != nil && len(h.Metadata) > 0 {
		return nil // a number is too large: no search finds it
	}
	all := terms(h.Graph, v, h.Status)
	if len(all) > maxTerms {
		all = append(all[:maxTerms], crowded)
	}
	return all
}

// put writes a thread's record and its part of the index.
func (s *Space) put(ctx context.Context, c *change, t *Thread) error {
	was, err := s.head(ctx, t.ID)
	if err != nil {
		return err
	}
	at := len(c.ops)
	s.putThread(c, t)
	s.enter(c, t, was, len(c.ops[at].Value))
	return nil
}

// enter writes a thread's part of the index, where it had the head was. Size is the length of its
// record.
func (s *Space) enter(c *change, t *Thread, was head, size int) {
	is := head{t.Created, t.Updated, t.Metadata, t.Status, t.Graph, t.Bytes + int64(size)}
	c.put(s.index(), t.ID, is, 0)
	old, now := was.terms(), is.terms()
	for _, term := range now {
		if !slices.Contains(old, term) {
			c.put(s.under(term), t.ID, struct{}{}, 0)
		}
	}
	for _, term := range old {
		if !slices.Contains(now, term) {
			c.remove(s.under(term), t.ID)
		}
	}
	s.charge(is.Bytes - was.Bytes)
}

// removeHead removes a thread from the index.
func (s *Space) removeHead(ctx context.Context, c *change, id string) error {
	was, err := s.head(ctx, id)
	if err != nil {
		return err
	}
	c.remove(s.index(), id)
	for _, term := range was.terms() {
		c.remove(s.under(term), id)
	}
	return nil
}

// head returns the head of a thread; an empty one for a missing thread.
func (s *Space) head(ctx context.Context, id string) (head, error) {
	h, err := read[head](ctx, s.Manager, "thread", s.index(), id)
	if errors.As(err, new(*NotFoundError)) {
		err = nil
	}
	return h, err
}

// A ThreadQuery selects threads that have all that it names. The zero value selects all.
type ThreadQuery struct {
	IDs      []string
	Graph    string // of the last run
	Status   ThreadStatus
	Metadata any // as decoded from JSON: an object whose fields the metadata has, at any depth
}

// Find returns the threads that a query selects, sorted by ID, without what the index lacks: Config,
// Values, Interrupts, Error and Runs. It reads the heads of threads with a rare enough graph, field of
// the metadata or status, or else those of all threads.
func (s *Space) Find(ctx context.Context, q ThreadQuery) ([]Thread, error) {
	ids, few, err := s.candidates(ctx, &q)
	if err != nil {
		return nil, err
	}
	var out []Thread
	add := func(id string, h *head) {
		if q.Status != "" && q.Status != h.Status || q.Graph != "" && q.Graph != h.Graph {
			return
		}
		if q.Metadata != nil {
			var v any
			if json.Unmarshal(h.Metadata, &v) != nil || !Includes(v, q.Metadata) {
				return
			}
		}
		out = append(out, Thread{ID: id, Created: h.Created, Updated: h.Updated, Metadata: h.Metadata, Status: h.Status, Graph: h.Graph})
	}
	if few {
		heads, errs := make([]head, len(ids)), make([]error, len(ids))
		var reading sync.WaitGroup
		for first := range min(readAtOnce, len(ids)) {
			reading.Go(func() {
				for i := first; i < len(ids); i += readAtOnce {
					heads[i], errs[i] = read[head](ctx, s.Manager, "thread", s.index(), ids[i])
				}
			})
		}
		reading.Wait()
		for i, id := range ids {
			switch {
			case errs[i] == nil:
				add(id, &heads[i])
			case !errors.As(errs[i], new(*NotFoundError)):
				return nil, errs[i]
			}
		}
		return out, nil
	}
	all, err := s.Store.Search(ctx, store.Query{Namespace: s.index(), Limit: math.MaxInt32})
	if err != nil {
		return nil, err
	}
	for _, item := range all {
		h, err := store.Decode[head](item.Item)
		if err != nil {
			return nil, err
		}
		add(item.Key, &h)
	}
	return out, nil
}

// candidates returns the IDs of all threads that a query can select, sorted, if they are few.
func (s *Space) candidates(ctx context.Context, q *ThreadQuery) (ids []string, few bool, err error) {
	if len(q.IDs) > 0 {
		ids = slices.Clone(q.IDs)
		slices.Sort(ids)
		return slices.Compact(ids), true, nil
	}
	for _, term := range slices.Backward(terms(q.Graph, q.Metadata, q.Status)) {
		ids = nil
		for _, term := range []string{term, crowded} {
			found, err := s.Store.Search(ctx, store.Query{Namespace: s.under(term), Limit: mostByTerm + 1})
			if err != nil {
				return nil, false, err
			}
			for _, one := range found {
				ids = append(ids, one.Key)
			}
		}
		if len(ids) <= mostByTerm {
			slices.Sort(ids)
			return slices.Compact(ids), true, nil
		}
	}
	return nil, false, nil
}

// Includes reports whether a value has all fields of another, at any depth, and equals it in all that
// is no object. Both are decoded from JSON.
func Includes(have, want any) bool {
	fields, ok := want.(map[string]any)
	if !ok {
		return reflect.DeepEqual(have, want)
	}
	all, ok := have.(map[string]any)
	if !ok {
		return false
	}
	for name, v := range fields {
		if other, ok := all[name]; !ok || !Includes(other, v) {
			return false
		}
	}
	return true
}

// makeIndex makes the index of threads from before there was one.
func (m *Manager) makeIndex(ctx context.Context) error {
	_, err := m.Store.Get(ctx, []string{root}, indexKey)
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	tenants, err := m.Store.ListNamespaces(ctx, store.NamespaceQuery{Prefix: []string{root, tenantsRoot}, Suffix: []string{threadsOf}, Limit: math.MaxInt32})
	if err != nil {
		return err
	}
	for _, at := range tenants {
		if len(at) != len([]string{root, tenantsRoot, "", threadsOf}) {
			continue
		}
		s := m.Space(at[2])
		all, err := m.Store.Search(ctx, store.Query{Namespace: at, Limit: math.MaxInt32})
		if err != nil {
			return err
		}
		for _, item := range all {
			t, err := store.Decode[Thread](item.Item)
			if err != nil {
				return err
			}
			var c change
			if s.enter(&c, &t, head{}, len(item.Value)); c.err == nil {
				err = m.write(ctx, &c)
			}
			if err = errors.Join(err, c.err); err != nil {
				return err
			}
		}
	}
	var c change
	c.put([]string{root}, indexKey, struct{}{}, 0)
	return m.write(ctx, &c)
}
