package storetest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"example.com/assay/graph/store"
)

func checkOrder(t *testing.T, open Open) {
	s := open(t, nil)
	apply(t, s, put("b/1", `{}`), put("a-b/1", `{}`), put("a/2", `{}`), put("a/b/1", `{}`), put("a/10", `{}`), put("a/B", `{}`))
	all := []string{"a/10", "a/2", "a/B", "a/b/1", "a-b/1", "b/1"}
	found(t, s, store.Query{}, all...)
	for offset := range 8 {
		for limit := 1; limit < 8; limit++ {
			from := min(offset, len(all))
			found(t, s, store.Query{Offset: offset, Limit: limit}, all[from:min(from+limit, len(all))]...)
		}
	}
	found(t, s, store.Query{Offset: 1, Limit: math.MaxInt}, all[1:]...)
	found(t, s, store.Query{Offset: math.MaxInt, Limit: math.MaxInt})
	apply(t, s, numbered("c/%02d", 20)...)
	if got := len(search(t, s, store.Query{})); got != 10 {
		t.Errorf("%d results without a limit, want 10", got)
	}
	found(t, s, store.Query{Filters: []store.Filter{store.AtLeast("i", 3)}, Offset: 2, Limit: 2}, "c/05", "c/06")
}

func checkPrefix(t *testing.T, open Open) {
	s := open(t, nil)
	apply(t, s, put("users/ann/k", `{}`), put("users/ann/x/k", `{}`), put("users/anna/k", `{}`), put("users/k", `{}`), put("user/k", `{}`), put("Users/k", `{}`), put("userz/k", `{}`), put("users\x01/k", `{}`), put("users/ann\x01/k", `{}`))
	found(t, s, store.Query{Namespace: ns("users")}, "users/k", "users/ann/k", "users/ann/x/k", "users/ann\x01/k", "users/anna/k")
	found(t, s, store.Query{Namespace: ns("users/ann")}, "users/ann/k", "users/ann/x/k")
	found(t, s, store.Query{Namespace: ns("users/an")})
	found(t, s, store.Query{Namespace: ns("use%")})
}

func checkFilters(t *testing.T, open Open) {
	s := open(t, nil)
	apply(t, s,
		put("n/1", `{"age":9,"name":"ann","ok":true,"at":{"city":"Bern","zip":3000},"big":9007199254740993}`),
		put("n/2", `{"age":30,"name":"bob","ok":false,"at":{"city":"Zug"},"big":9007199254740992}`),
		put("n/3", `{"age":30.0,"name":"Bob","none":null,"at":"Bern","big":18446744073709551615}`),
		put("n/4", `{"age":"30","name":5,"at":["Bern"],"big":1e400}`),
		put("n/5", `{"age":-3.5e0,"at":{"city":null},"big":-9007199254740993,"a.b":1}`))
	for _, c := range []struct {
		filter store.Filter
		want   string // the keys
	}{
		{store.Equal("age", 30), "23"},
		{store.Equal("age", 30.0), "23"},
		{store.Equal("age", "30"), "4"},
		{store.NotEqual("age", 30), "145"},
		{store.AtLeast("age", 9), "123"},
		{store.Greater("age", 9), "23"},
		{store.Less("age", 9), "5"},
		{store.AtMost("age", 9), "15"},
		{store.AtLeast("age", "3"), "4"},
		{store.Less("age", "4"), "4"},
		{store.In("age", 9, 30), "123"},
		{store.In[string]("age"), ""},
		{store.In("name", "ann", "Bob"), "13"},
		{store.Equal("name", "ann"), "1"},
		{store.AtLeast("name", "a"), "12"},
		{store.Equal("ok", true), "1"},
		{store.Equal("ok", false), "2"},
		{store.NotEqual("ok", true), "2345"},
		{store.Equal("at.city", "Bern"), "1"},
		{store.NotEqual("at.city", "Bern"), "2345"},
		{store.Present("at.city"), "12"},
		{store.Null("at.city"), "345"},
		{store.Null("none"), "12345"},
		{store.Equal("at.zip", uint16(3000)), "1"},
		{store.Equal("big", 9007199254740993), "1"},
		{store.Greater("big", 9007199254740992), "134"},
		{store.Equal("big", uint64(math.MaxUint64)), "3"},
		{store.Greater("big", 1e300), "4"},
		{store.Less("big", -9007199254740992), "5"},
		{store.Equal("a.b", 1), ""},
		{store.Equal("nothing", 1), ""},
	} {
		got := ""
		for _, r := range search(t, s, store.Query{Filters: []store.Filter{c.filter}}) {
			got += r.Key
		}
		if got != c.want {
			t.Errorf("filter %v: got %q, want %q", c.filter, got, c.want)
		}
	}
	found(t, s, store.Query{Filters: []store.Filter{store.AtLeast("age", 9), store.Less("age", 30)}}, "n/1")
	parsed, err := store.ParseFilters([]byte(`{"name":"bob","at":{"city":{"$ne":"Bern"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	found(t, s, store.Query{Filters: parsed}, "n/2")
}

func checkBadQueries(t *testing.T, open Open) {
	s := open(t, nil)
	for what, queries := range map[string][]store.Query{
		"query": {{Limit: -1}, {Offset: -1}},
		"filter": {
			{Filters: []store.Filter{{}}},
			{Filters: []store.Filter{store.Equal("", 1)}},
			{Filters: []store.Filter{store.Equal("a..b", 1)}},
			{Filters: []store.Filter{store.Equal("a", 1), store.Less("a", math.NaN())}},
		},
	} {
		for _, q := range queries {
			_, err := s.Search(t.Context(), q)
			refused(t, what, err)
		}
	}
	for _, q := range []store.NamespaceQuery{{Limit: -1}, {Offset: -1}, {MaxDepth: -1}} {
		_, err := s.ListNamespaces(t.Context(), q)
		refused(t, "query", err)
	}
	_, err := s.ListNamespaces(t.Context(), store.NamespaceQuery{Suffix: []string{"a", ""}})
	refused(t, "namespace", err)
}

func checkNamespaces(t *testing.T, open Open) {
	s := open(t, nil)
	listed(t, s, store.NamespaceQuery{})
	apply(t, s, put("b/k", `{}`), put("a-b/k", `{}`), put("a/k", `{}`), put("a/l", `{}`), put("a/x/v1/k", `{}`), put("a/x/v2/k", `{}`), put("a/y/v1/k", `{}`), put("aa/v1/k", `{}`))
	listed(t, s, store.NamespaceQuery{}, "a", "a/x/v1", "a/x/v2", "a/y/v1", "a-b", "aa/v1", "b")
	listed(t, s, store.NamespaceQuery{Prefix: ns("a")}, "a", "a/x/v1", "a/x/v2", "a/y/v1")
	listed(t, s, store.NamespaceQuery{Prefix: ns("a/x")}, "a/x/v1", "a/x/v2")
	listed(t, s, store.NamespaceQuery{Suffix: ns("v1")}, "a/x/v1", "a/y/v1", "aa/v1")
	listed(t, s, store.NamespaceQuery{Suffix: ns("langgraph")})
	listed(t, s, store.NamespaceQuery{Prefix: ns("a"), Suffix: ns("x/v1")}, "a/x/v1")
	listed(t, s, store.NamespaceQuery{Prefix: ns("a"), Suffix: ns("a")}, "a")
	listed(t, s, store.NamespaceQuery{Prefix: ns("a/x/v1/w")})
	listed(t, s, store.NamespaceQuery{MaxDepth: 1}, "a", "a-b", "aa", "b")
	listed(t, s, store.NamespaceQuery{MaxDepth: 2}, "a", "a/x", "a/y", "a-b", "aa/v1", "b")
	listed(t, s, store.NamespaceQuery{MaxDepth: 1, Suffix: ns("v1")}, "a", "aa")
	listed(t, s, store.NamespaceQuery{MaxDepth: 2, Offset: 1, Limit: 2}, "a/x", "a/y")
	listed(t, s, store.NamespaceQuery{Offset: 9})
	apply(t, s, remove("b/k"), remove("a/k"))
	listed(t, s, store.NamespaceQuery{MaxDepth: 1}, "a", "a-b", "aa")
}

// checkMany puts more rows than fit into one page of any backend.
func checkMany(t *testing.T, open Open) {
	s := open(t, nil)
	apply(t, s, numbered("n%04d/k", 1500)...)
	results := search(t, s, store.Query{Limit: 5000})
	if len(results) != 1500 || results[1499].Namespace[0] != "n1499" {
		t.Errorf("%d results", len(results))
	}
	found(t, s, store.Query{Offset: 1100, Limit: 1}, "n1100/k")
	namespaces, err := s.ListNamespaces(t.Context(), store.NamespaceQuery{Limit: 5000})
	if err != nil || len(namespaces) != 1500 || !slices.IsSortedFunc(namespaces, slices.Compare) {
		t.Errorf("%d namespaces, %v", len(namespaces), err)
	}
	if namespaces, err = s.ListNamespaces(t.Context(), store.NamespaceQuery{}); err != nil || len(namespaces) != 100 {
		t.Errorf("%d namespaces without a limit, want 100, %v", len(namespaces), err)
	}
	listed(t, s, store.NamespaceQuery{Offset: 1400, Limit: 2}, "n1400", "n1401")
	var removals []store.Op
	for i := range 1499 {
		removals = append(removals, remove(fmt.Sprintf("n%04d/k", i)))
	}
	apply(t, s, removals...)
	found(t, s, store.Query{}, "n1499/k")
}
