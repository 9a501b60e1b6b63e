package storetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph/store"
)

func checkItems(t *testing.T, open Open) {
	clock := NewClock(start().Add(1234567 * time.Nanosecond))
	s := open(t, &store.Options{Now: clock.Now})
	missing(t, s, "users/ann/diet")
	apply(t, s, put("users/ann/diet", `{"text":"no fish"}`))

	made := start().Add(1234 * time.Microsecond)
	item := get(t, s, "users/ann/diet")
	if strings.Join(item.Namespace, "/") != "users/ann" || item.Key != "diet" || string(item.Value) != `{"text":"no fish"}` {
		t.Errorf("got %v", item)
	}
	if item.Created != made || item.Updated != made || !item.Expires.IsZero() {
		t.Errorf("times %v, %v, %v, want twice %v and none", item.Created, item.Updated, item.Expires, made)
	}

	clock.Advance(time.Hour)
	apply(t, s, put("users/ann/diet", `{"text":"all"}`))
	item = get(t, s, "users/ann/diet")
	if string(item.Value) != `{"text":"all"}` || item.Created != made || item.Updated != made.Add(time.Hour) {
		t.Errorf("after a second put: %v", item)
	}

	missing(t, s, "users/ann/die")
	missing(t, s, "users/diet")
	missing(t, s, "users/ann/x/diet")
	apply(t, s, remove("users/ann/nothing"), remove("users/ann/diet"))
	missing(t, s, "users/ann/diet")
	apply(t, s, put("users/ann/diet", `{}`))
	if item = get(t, s, "users/ann/diet"); item.Created != made.Add(time.Hour) {
		t.Errorf("a new item has the time of the deleted one: %v", item.Created)
	}
}

func checkValues(t *testing.T, open Open) {
	s := open(t, nil)
	mine := json.RawMessage(" { \"b\" : [1, 2.50, 1e3, 12345678901234567890],\n \"a\":\"<é\\u00e9\\\\u0000😀>\" } ")
	want := `{"b":[1,2.50,1e3,12345678901234567890],"a":"<é\u00e9\\u0000😀>"}`
	apply(t, s, store.Op{Namespace: ns("n"), Key: "k", Value: mine})
	for i := range mine {
		mine[i] = 'x'
	}
	item := get(t, s, "n/k")
	if string(item.Value) != want {
		t.Fatalf("got %s, want %s", item.Value, want)
	}
	copy(item.Value, "xxxx")
	item.Namespace[0] = "x"
	results := search(t, s, store.Query{})
	if len(results) != 1 || string(results[0].Value) != want || results[0].Namespace[0] != "n" {
		t.Errorf("a caller changed the store: %v", results)
	}
	copy(results[0].Value, "xxxx")
	if item = get(t, s, "n/k"); string(item.Value) != want {
		t.Errorf("a caller changed the store: %s", item.Value)
	}

	large := []byte(`{"text":"` + strings.Repeat("0123456789abcde\u00e9", 1<<16) + `"}`) // over 1 MB
	apply(t, s, store.Op{Namespace: ns("n"), Key: "large", Value: large})
	if item = get(t, s, "n/large"); !bytes.Equal(item.Value, large) {
		t.Errorf("a large value came back with %d bytes, had %d", len(item.Value), len(large))
	}
}

func checkBatch(t *testing.T, open Open) {
	clock := NewClock(start())
	s := open(t, &store.Options{Now: clock.Now})
	apply(t, s) // nothing
	apply(t, s, put("n/a", `{"v":1}`), put("n/b", `{"v":1}`), put("n/c", `{"v":1}`))
	clock.Advance(time.Hour)
	apply(t, s,
		put("n/b", `{"v":2}`), put("n/a", `{"v":2}`), put("n/b", `{"v":3}`),
		remove("n/c"), put("n/c", `{"v":4}`),
		put("n/d", `{"v":5}`), remove("n/d"))
	for name, want := range map[string]string{"n/a": `{"v":2}`, "n/b": `{"v":3}`, "n/c": `{"v":4}`} {
		if item := get(t, s, name); string(item.Value) != want {
			t.Errorf("%s is %s, want %s", name, item.Value, want)
		}
	}
	missing(t, s, "n/d")
	if item := get(t, s, "n/b"); item.Created != start() {
		t.Errorf("b was created %v", item.Created)
	}
	if item := get(t, s, "n/c"); item.Created != start().Add(time.Hour) {
		t.Errorf("c, deleted and put again, was created %v", item.Created)
	}

	var long []store.Op // long enough for a sort to lose the order, if it can
	for i := range 100 {
		long = append(long, put(fmt.Sprintf("long/%d", i%7), fmt.Sprintf(`{"v":%d}`, i)))
	}
	apply(t, s, long...)
	for i := 93; i < 100; i++ {
		if item := get(t, s, fmt.Sprintf("long/%d", i%7)); string(item.Value) != fmt.Sprintf(`{"v":%d}`, i) {
			t.Errorf("of many puts of one key %s is left, not %d", item.Value, i)
		}
		apply(t, s, remove(fmt.Sprintf("long/%d", i%7)))
	}

	err := s.Apply(t.Context(), put("n/e", `{}`), remove("n/a"), put("n/f", `[]`))
	refused(t, "value", err)
	found(t, s, store.Query{}, "n/a", "n/b", "n/c")
}
