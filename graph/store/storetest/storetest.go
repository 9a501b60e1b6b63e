// Package storetest tests whether a backend keeps the contract of store.Store. It also has a clock
// and an embedder for tests.
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) storetest.Open {
//			rows := memory.NewBackend()
//			return func(t *testing.T, opts *store.Options) store.Store {
//				s, err := store.New(rows, opts)
//				if err != nil {
//					t.Fatal(err)
//				}
//				return s
//			}
//		})
//	}
//
// It does not test durability, or several processes on one store: each backend tests these itself.
package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph/store"
)

// Open opens a store. All stores of one Open share their items.
type Open func(t *testing.T, opts *store.Options) store.Store

// Run runs the suite. Place makes an empty place for items, once for each test.
func Run(t *testing.T, place func(t *testing.T) Open) {
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) { c.check(t, place(t)) })
	}
}

type suiteCase struct {
	name  string
	check func(t *testing.T, open Open)
}

func cases() []suiteCase {
	return []suiteCase{
		{"put, get, delete", checkItems},
		{"values come back compact and owned", checkValues},
		{"a batch is all or nothing, in order", checkBatch},
		{"names that are allowed", checkOddNames},
		{"names and values that are not", checkInvalid},
		{"names at the limit", checkLimits},
		{"search order and window", checkOrder},
		{"search below a namespace", checkPrefix},
		{"filters", checkFilters},
		{"queries that are not allowed", checkBadQueries},
		{"namespaces", checkNamespaces},
		{"many items", checkMany},
		{"expiry", checkExpiry},
		{"expired items are gone", checkExpired},
		{"refresh on read", checkRefresh},
		{"search by meaning", checkMeaning},
		{"fields to embed", checkFields},
		{"another embedder", checkOtherEmbedder},
		{"embedders that fail", checkBadEmbedder},
		{"ended contexts", checkContexts},
		{"many goroutines", checkConcurrent},
		{"searches see whole batches", checkSnapshot},
	}
}

// ns splits a namespace at slashes.
func ns(path string) []string {
	if path == "" {
		return nil
	}
	return strings.Split(path, "/")
}

// put makes an Op of "namespace/…/key" and JSON.
func put(name, value string) store.Op {
	op := remove(name)
	op.Value = json.RawMessage(value)
	return op
}

func remove(name string) store.Op {
	i := strings.LastIndex(name, "/")
	return store.Op{Namespace: ns(name[:i]), Key: name[i+1:]}
}

func apply(t *testing.T, s store.Store, ops ...store.Op) {
	t.Helper()
	if err := s.Apply(t.Context(), ops...); err != nil {
		t.Fatalf("applying: %v", err)
	}
}

func get(t *testing.T, s store.Store, name string) store.Item {
	t.Helper()
	op := remove(name)
	item, err := s.Get(t.Context(), op.Namespace, op.Key)
	if err != nil {
		t.Fatalf("getting %s: %v", name, err)
	}
	return item
}

func missing(t *testing.T, s store.Store, name string) {
	t.Helper()
	op := remove(name)
	if item, err := s.Get(t.Context(), op.Namespace, op.Key); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("%s is there: %v, %v", name, item, err)
	}
}

func search(t *testing.T, s store.Store, q store.Query) []store.Result {
	t.Helper()
	results, err := s.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("searching %+v: %v", q, err)
	}
	return results
}

// names writes results in the form that put reads.
func names(results []store.Result) []string {
	out := []string{}
	for _, r := range results {
		out = append(out, strings.Join(r.Namespace, "/")+"/"+r.Key)
	}
	return out
}

func found(t *testing.T, s store.Store, q store.Query, want ...string) {
	t.Helper()
	if got := names(search(t, s, q)); !same(got, want) {
		t.Errorf("searching %+v: got %q, want %q", q, got, want)
	}
}

func listed(t *testing.T, s store.Store, q store.NamespaceQuery, want ...string) {
	t.Helper()
	namespaces, err := s.ListNamespaces(t.Context(), q)
	if err != nil {
		t.Fatalf("listing %+v: %v", q, err)
	}
	got := []string{}
	for _, n := range namespaces {
		got = append(got, strings.Join(n, "/"))
	}
	if !same(got, want) {
		t.Errorf("listing %+v: got %q, want %q", q, got, want)
	}
}

// same compares lists; nil equals an empty list.
func same(got, want []string) bool {
	return len(got) == 0 && len(want) == 0 || reflect.DeepEqual(got, want)
}

// refused checks that err is an *InvalidError about what.
func refused(t *testing.T, what string, err error) {
	t.Helper()
	var invalid *store.InvalidError
	if !errors.As(err, &invalid) || invalid.What != what {
		t.Errorf("error %v, want an invalid %s", err, what)
	}
}

// start is the first time of a Clock.
func start() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

func numbered(format string, n int) []store.Op {
	ops := make([]store.Op, n)
	for i := range ops {
		ops[i] = put(fmt.Sprintf(format, i), fmt.Sprintf(`{"i":%d}`, i))
	}
	return ops
}
