package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/assay/graph/store"
	"example.com/assay/graph/store/internal/backends"
)

// TestConformance holds the store beside LangGraph's behaviour, under the id of
// the list that both are read against, on every backend.
func TestConformance(t *testing.T) {
	for _, b := range backends.All() {
		t.Run("H5/"+b.Name, func(t *testing.T) {
			s := b.Place(t)(t, nil)
			for i, namespace := range [][]string{{"docs", "u2"}, {"docs", "u1"}, {"docs", "u1"}, {"other"}} {
				if err := store.Put(t.Context(), s, namespace, fmt.Sprint("k", i), map[string]int{"n": i}, nil); err != nil {
					t.Fatal(err)
				}
			}
			for _, c := range h5() {
				t.Run(c.name, func(t *testing.T) {
					if got := c.do(t, s); got != c.want {
						t.Errorf("got %s, want %s", got, c.want)
					}
				})
			}
		})
	}
}

type h5Case struct {
	name string
	do   func(t *testing.T, s store.Store) string
	want string
}

func h5() []h5Case {
	get := func(namespace []string, key string) func(*testing.T, store.Store) string {
		return func(t *testing.T, s store.Store) string {
			v, err := store.Get[map[string]int](t.Context(), s, namespace, key)
			if errors.Is(err, store.ErrNotFound) {
				return "none"
			}
			return fmt.Sprint(v["n"], err)
		}
	}
	search := func(prefix []string, filter string) func(*testing.T, store.Store) string {
		return func(t *testing.T, s store.Store) string {
			filters, err := store.ParseFilters([]byte(filter))
			if err != nil {
				return err.Error()
			}
			results, err := s.Search(t.Context(), store.Query{Namespace: prefix, Filters: filters})
			var out []string
			for _, r := range results {
				out = append(out, strings.Join(r.Namespace, "/")+"/"+r.Key)
			}
			return fmt.Sprint(out, err)
		}
	}
	list := func(q store.NamespaceQuery) func(*testing.T, store.Store) string {
		return func(t *testing.T, s store.Store) string {
			return fmt.Sprint(s.ListNamespaces(t.Context(), q))
		}
	}
	rule := func(namespace ...string) func(*testing.T, store.Store) string {
		return func(t *testing.T, s store.Store) string {
			var invalid *store.InvalidError
			if err := store.Put(t.Context(), s, namespace, "k", struct{}{}, nil); !errors.As(err, &invalid) {
				return fmt.Sprint(err)
			}
			return invalid.Reason
		}
	}
	return []h5Case{
		{"get", get([]string{"docs", "u1"}, "k2"), "2 <nil>"},
		{"get what is elsewhere", get([]string{"docs", "u2"}, "k2"), "none"},
		{"get what is not", get([]string{"docs", "u1"}, "k9"), "none"},
		{"search", search([]string{"docs"}, `{}`), "[docs/u1/k1 docs/u1/k2 docs/u2/k0] <nil>"},
		{"search $gte", search([]string{"docs"}, `{"n":{"$gte":1}}`), "[docs/u1/k1 docs/u1/k2] <nil>"},
		{"search everywhere", search(nil, `{"n":{"$gte":2}}`), "[docs/u1/k2 other/k3] <nil>"},
		{"search equal", search(nil, `{"n":3}`), "[other/k3] <nil>"},
		{"list", list(store.NamespaceQuery{}), "[[docs u1] [docs u2] [other]] <nil>"},
		{"list to a depth", list(store.NamespaceQuery{MaxDepth: 1}), "[[docs] [other]] <nil>"},
		{"list a prefix", list(store.NamespaceQuery{Prefix: []string{"docs"}}), "[[docs u1] [docs u2]] <nil>"},
		{"list a suffix", list(store.NamespaceQuery{Suffix: []string{"u2"}}), "[[docs u2]] <nil>"},
		{"no labels", rule(), "it has no labels"},
		{"an empty label", rule("a", ""), "label 2 is empty"},
		{"a dot", rule("a.b"), `label "a.b" has a "."`},
		{"the reserved root", rule("langgraph", "x"), `the first label "langgraph" is reserved`},
		{"reserved only as root", rule("x", "langgraph"), "<nil>"},
	}
}
