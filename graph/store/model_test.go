package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"example.com/assay/graph/store"
	"example.com/assay/graph/store/internal/backends"
	"example.com/assay/graph/store/storetest"
	"example.com/assay/internal/pgtest"
)

// A model is a store written down as simply as possible: a map that is read
// whole for every answer.
type model map[string]entry

type entry struct {
	namespace        []string
	key              string
	value            map[string]any
	created, updated time.Time
	ttl              time.Duration // 0: for ever
	expires          time.Time
}

func (m model) live(now time.Time) []entry {
	var out []entry
	for _, e := range m {
		if e.ttl == 0 || e.expires.After(now) {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b entry) int {
		if c := slices.Compare(a.namespace, b.namespace); c != 0 {
			return c
		}
		return strings.Compare(a.key, b.key)
	})
	return out
}

func id(namespace []string, key string) string { return fmt.Sprintf("%q %q", namespace, key) }

func (m model) put(now time.Time, namespace []string, key string, value map[string]any, ttl time.Duration) {
	e := entry{namespace, key, value, now, now, ttl, now.Add(ttl)}
	for _, old := range m.live(now) {
		if id(old.namespace, old.key) == id(namespace, key) {
			e.created = old.created
		}
	}
	m[id(namespace, key)] = e
}

// String writes an entry as write does an item.
func (e entry) String() string {
	value, _ := json.Marshal(e.value)
	expires := time.Time{}
	if e.ttl > 0 {
		expires = e.expires
	}
	return fmt.Sprint(id(e.namespace, e.key), string(value), e.created, e.updated, expires)
}

func write(i store.Item) string {
	return fmt.Sprint(id(i.Namespace, i.Key), string(i.Value), i.Created, i.Updated, i.Expires)
}

func hasPrefix(namespace, prefix []string) bool {
	return len(prefix) <= len(namespace) && slices.Equal(namespace[:len(prefix)], prefix)
}

// accepts is what a filter of this operator does to a field that may hold
// nothing, a float64 or a string.
func accepts(op string, field, operand any) bool {
	if op == "$ne" {
		return field != operand
	}
	if op == "$eq" {
		return field == operand
	}
	order := 0
	switch o := operand.(type) {
	case float64:
		f, ok := field.(float64)
		if !ok {
			return false
		}
		order = int(f - o)
	case string:
		s, ok := field.(string)
		if !ok {
			return false
		}
		order = strings.Compare(s, o)
	}
	return map[string]bool{"$gt": order > 0, "$gte": order >= 0, "$lt": order < 0, "$lte": order <= 0}[op]
}

// A world is every backend, and the model of them.
type world struct {
	t      *testing.T
	clock  *storetest.Clock
	model  model
	names  []string
	stores []store.Store
}

var (
	labelGen = rapid.SampledFrom([]string{"a", "a-", "aa", "b", "é", "A"})
	spaceGen = rapid.SliceOfN(labelGen, 1, 3)
	keyGen   = rapid.SampledFrom([]string{"k", "k.1", "K", "ключ", "k 2"})
	fieldGen = rapid.SampledFrom([]any{1.0, 2.0, 10.0, "1", "b", "tea"})
	ttlGen   = rapid.SampledFrom([]time.Duration{0, time.Second, 3 * time.Second})
)

// every asks all backends and compares what they say with the model.
func (w *world) every(rt *rapid.T, want string, ask func(s store.Store) (string, error)) {
	for i, s := range w.stores {
		got, err := ask(s)
		if err != nil {
			rt.Fatalf("%s: %v", w.names[i], err)
		}
		if got != want {
			rt.Fatalf("%s:\n got %s\nwant %s", w.names[i], got, want)
		}
	}
}

func (w *world) apply(rt *rapid.T) {
	var ops []store.Op
	for range rapid.IntRange(1, 4).Draw(rt, "ops") {
		namespace, key := spaceGen.Draw(rt, "namespace"), keyGen.Draw(rt, "key")
		if rapid.IntRange(0, 3).Draw(rt, "delete") == 0 {
			ops = append(ops, store.Op{Namespace: namespace, Key: key})
			delete(w.model, id(namespace, key))
			continue
		}
		value := map[string]any{"f": fieldGen.Draw(rt, "f"), "g": map[string]any{"h": fieldGen.Draw(rt, "h")}}
		op, err := store.Encode(namespace, key, value)
		if err != nil {
			rt.Fatal(err)
		}
		op.TTL = ttlGen.Draw(rt, "ttl")
		ops = append(ops, op)
		w.model.put(w.clock.Now(), namespace, key, value, op.TTL)
	}
	w.every(rt, "", func(s store.Store) (string, error) { return "", s.Apply(w.t.Context(), ops...) })
}

func (w *world) get(rt *rapid.T) {
	namespace, key := spaceGen.Draw(rt, "namespace"), keyGen.Draw(rt, "key")
	want := "none"
	for _, e := range w.model.live(w.clock.Now()) {
		if id(e.namespace, e.key) == id(namespace, key) {
			want = e.String()
			e.expires = w.clock.Now().Add(e.ttl) // the stores refresh on read
			w.model[id(namespace, key)] = e
			if e.ttl > 0 {
				want = e.String()
			}
		}
	}
	w.every(rt, want, func(s store.Store) (string, error) {
		item, err := s.Get(w.t.Context(), namespace, key)
		if errors.Is(err, store.ErrNotFound) {
			return "none", nil
		}
		return write(item), err
	})
}

func (w *world) search(rt *rapid.T) {
	q := store.Query{
		Namespace: rapid.SliceOfN(labelGen, 0, 2).Draw(rt, "prefix"),
		Limit:     rapid.IntRange(1, 8).Draw(rt, "limit"),
		Offset:    rapid.IntRange(0, 3).Draw(rt, "offset"),
	}
	op := rapid.SampledFrom([]string{"$eq", "$ne", "$gt", "$gte", "$lt", "$lte"}).Draw(rt, "op")
	operand := fieldGen.Draw(rt, "operand")
	nested := rapid.Bool().Draw(rt, "nested")
	filter, err := json.Marshal(map[string]any{"f": map[string]any{op: operand}})
	if nested {
		filter, err = json.Marshal(map[string]any{"g": map[string]any{"h": map[string]any{op: operand}}})
	}
	if err == nil {
		q.Filters, err = store.ParseFilters(filter)
	}
	if err != nil {
		rt.Fatal(err)
	}
	var want []string
	seen := 0
	for _, e := range w.model.live(w.clock.Now()) {
		field := e.value["f"]
		if nested {
			field = e.value["g"].(map[string]any)["h"]
		}
		if !hasPrefix(e.namespace, q.Namespace) || !accepts(op, field, operand) {
			continue
		}
		if seen++; seen <= q.Offset || seen > q.Offset+q.Limit {
			continue
		}
		e.expires = w.clock.Now().Add(e.ttl)
		w.model[id(e.namespace, e.key)] = e
		want = append(want, e.String())
	}
	w.every(rt, fmt.Sprint(want), func(s store.Store) (string, error) {
		results, err := s.Search(w.t.Context(), q)
		var got []string
		for _, r := range results {
			got = append(got, write(r.Item))
		}
		return fmt.Sprint(got), err
	})
}

func (w *world) list(rt *rapid.T) {
	q := store.NamespaceQuery{
		Prefix:   rapid.SliceOfN(labelGen, 0, 2).Draw(rt, "prefix"),
		Suffix:   rapid.SliceOfN(labelGen, 0, 1).Draw(rt, "suffix"),
		MaxDepth: rapid.IntRange(0, 3).Draw(rt, "depth"),
		Limit:    rapid.IntRange(1, 8).Draw(rt, "limit"),
		Offset:   rapid.IntRange(0, 2).Draw(rt, "offset"),
	}
	set := map[string][]string{}
	for _, e := range w.model.live(w.clock.Now()) {
		n := e.namespace
		if !hasPrefix(n, q.Prefix) || len(q.Suffix) == 1 && n[len(n)-1] != q.Suffix[0] {
			continue
		}
		if q.MaxDepth > 0 {
			n = n[:min(len(n), q.MaxDepth)]
		}
		set[id(n, "")] = n
	}
	want := slices.SortedFunc(maps.Values(set), slices.Compare)
	want = want[min(q.Offset, len(want)):]
	want = want[:min(q.Limit, len(want))]
	w.every(rt, fmt.Sprintf("%q", want), func(s store.Store) (string, error) {
		got, err := s.ListNamespaces(w.t.Context(), q)
		return fmt.Sprintf("%q", got), err
	})
}

func (w *world) sweep(rt *rapid.T) {
	before := len(w.model)
	live := model{}
	for _, e := range w.model.live(w.clock.Now()) {
		live[id(e.namespace, e.key)] = e
	}
	w.model = live
	w.every(rt, fmt.Sprint(before-len(live)), func(s store.Store) (string, error) {
		n, err := s.Sweep(w.t.Context())
		return fmt.Sprint(n), err
	})
}

// empty removes what the run before this one has left.
func (w *world) empty(rt *rapid.T) {
	for _, s := range w.stores {
		w.clock.Advance(-1000 * time.Hour) // so that nothing has expired
		results, err := s.Search(w.t.Context(), store.Query{Limit: 1e6})
		w.clock.Advance(1000 * time.Hour)
		var ops []store.Op
		for _, r := range results {
			ops = append(ops, store.Op{Namespace: r.Namespace, Key: r.Key})
		}
		if err := errors.Join(err, s.Apply(w.t.Context(), ops...)); err != nil {
			rt.Fatal(err)
		}
	}
	w.model = model{}
}

// TestStoresAgree gives the same random operations to all backends and to the
// model. PostgreSQL takes part if there is a server.
func TestStoresAgree(t *testing.T) {
	w := &world{t: t, clock: storetest.NewClock(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))}
	for _, b := range backends.All() {
		t.Run(b.Name, func(sub *testing.T) {
			if b.Name == "postgres" {
				pgtest.Pool(sub) // skips this name only
			}
			w.stores = append(w.stores, b.Place(t)(t, &store.Options{Now: w.clock.Now, RefreshOnRead: true}))
			w.names = append(w.names, b.Name)
		})
	}
	rapid.Check(t, func(rt *rapid.T) {
		w.empty(rt)
		rt.Repeat(map[string]func(*rapid.T){
			"apply":  w.apply,
			"get":    w.get,
			"search": w.search,
			"list":   w.list,
			"sweep":  w.sweep,
			"wait":   func(rt *rapid.T) { w.clock.Advance(time.Duration(rapid.IntRange(1, 2).Draw(rt, "s")) * time.Second) },
		})
	})
}
