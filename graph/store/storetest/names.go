package storetest

import (
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/assay/graph/store"
)

// oddStrings are labels and keys that a language, a collation or a pattern might misread. Two of
// them look like é.
func oddStrings() []string {
	return []string{
		"\x01", "\t", "\n", " ", " a", "!", "\"", "$1", "%", "'", "'; DROP TABLE items; --", "*", "-", "/", "?", "A", "NULL", "[", "\\", "\\0",
		"^", "_", "`", "a", "a ", "a!", "aB", "a_", "aa", "ab", "b", "e\u0301", "null", "{}", "~", "\x7f", "\u0085", "ß", "\u00e9", "\u200b", "日本", "\ue000", "\ufeff", "\uffff", "😀",
	}
}

func checkOddNames(t *testing.T, open Open) {
	s := open(t, nil)
	var ops []store.Op
	for _, label := range oddStrings() {
		for _, key := range append(oddStrings(), "with.dot") {
			ops = append(ops, store.Op{Namespace: []string{label, "x"}, Key: key, Value: []byte(`{}`)})
		}
	}
	// The items are put in random order, and must come back sorted.
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(ops), func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
	apply(t, s, ops...)
	results := search(t, s, store.Query{Limit: len(ops) + 1})
	if len(results) != len(ops) {
		t.Fatalf("%d results for %d items", len(results), len(ops))
	}
	for i, r := range results[1:] {
		before := results[i]
		if r.Namespace[0] < before.Namespace[0] || r.Namespace[0] == before.Namespace[0] && r.Key <= before.Key {
			t.Fatalf("%q %q comes after %q %q", r.Namespace, r.Key, before.Namespace, before.Key)
		}
	}
	for _, label := range oddStrings() {
		if got := len(search(t, s, store.Query{Namespace: []string{label}, Limit: len(ops)})); got != len(oddStrings())+1 {
			t.Errorf("%d results below %q", got, label)
		}
		if _, err := s.Get(t.Context(), []string{label, "x"}, label); err != nil {
			t.Errorf("getting %q: %v", label, err)
		}
	}
}

func checkInvalid(t *testing.T, open Open) {
	s := open(t, nil)
	object := []byte(`{}`)
	for name, namespace := range map[string][]string{
		"nil":              nil,
		"no labels":        {},
		"an empty label":   {"a", ""},
		"a dot":            {"a", "b.c"},
		"the root":         {"langgraph"},
		"below the root":   {"langgraph", "x"},
		"a zero":           {"a\x00"},
		"not UTF-8":        {"a\xff"},
		"too long":         {strings.Repeat("a", 1024)},
		"too long in sum":  {strings.Repeat("a", 512), strings.Repeat("b", 511)},
		"dot first":        {"."},
		"an empty one too": {""},
	} {
		t.Run("namespace: "+name, func(t *testing.T) {
			refused(t, "namespace", s.Apply(t.Context(), store.Op{Namespace: namespace, Key: "k", Value: object}))
			refused(t, "namespace", s.Apply(t.Context(), store.Op{Namespace: namespace, Key: "k"}))
			_, err := s.Get(t.Context(), namespace, "k")
			refused(t, "namespace", err)
			if len(namespace) > 0 {
				_, err = s.Search(t.Context(), store.Query{Namespace: namespace})
				refused(t, "namespace", err)
				_, err = s.ListNamespaces(t.Context(), store.NamespaceQuery{Prefix: namespace})
				refused(t, "namespace", err)
			}
		})
	}
	for name, key := range map[string]string{
		"empty": "", "a zero": "a\x00b", "not UTF-8": "\xc3\x28", "too long": strings.Repeat("k", 1025),
	} {
		t.Run("key: "+name, func(t *testing.T) {
			refused(t, "key", s.Apply(t.Context(), store.Op{Namespace: ns("n"), Key: key, Value: object}))
			_, err := s.Get(t.Context(), ns("n"), key)
			refused(t, "key", err)
		})
	}
	for name, value := range map[string]string{
		"empty": "", "a list": `[]`, "a string": `"{}"`, "null": `null`, "a number": `1`, "half": `{"a":`, "two": `{}{}`,
		"a zero": `{"a":"x\u0000"}`, "a zero in a name": `{"\u0000":1}`, "a zero after a backslash": `{"a":"\\\u0000"}`,
		"a raw zero": "{\"a\":\"\x00\"}", "not UTF-8": "{\"a\":\"\xff\"}",
	} {
		t.Run("value: "+name, func(t *testing.T) {
			refused(t, "value", s.Apply(t.Context(), store.Op{Namespace: ns("n"), Key: "k", Value: []byte(value)}))
		})
	}
	refused(t, "ttl", s.Apply(t.Context(), store.Op{Namespace: ns("n"), Key: "k", Value: object, TTL: -2}))
	found(t, s, store.Query{})
	apply(t, s, put("a/langgraph/k", `{"a":"\\u0000"}`)) // a backslash, then letters
	found(t, s, store.Query{}, "a/langgraph/k")
}

// checkLimits uses names that cannot be compressed, since an index may compress.
func checkLimits(t *testing.T, open Open) {
	s := open(t, nil)
	random := rand.New(rand.NewPCG(3, 4))
	name := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			if b[i] = byte(33 + random.IntN(94)); b[i] == '.' {
				b[i] = ' '
			}
		}
		return string(b)
	}
	namespace, key := []string{name(500), name(522)}, name(1024)
	if err := s.Apply(t.Context(), store.Op{Namespace: namespace, Key: key, Value: []byte(`{"a":1}`)}); err != nil {
		t.Fatal(err)
	}
	if item, err := s.Get(t.Context(), namespace, key); err != nil || string(item.Value) != `{"a":1}` {
		t.Errorf("got %s, %v", item.Value, err)
	}
}
