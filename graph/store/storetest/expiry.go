package storetest

import (
	"testing"
	"time"

	"example.com/assay/graph/store"
)

func lasting(name string, ttl time.Duration) store.Op {
	op := put(name, `{"ttl":"`+ttl.String()+`"}`)
	op.TTL = ttl
	return op
}

func checkExpiry(t *testing.T, open Open) {
	clock := NewClock(start())
	s := open(t, &store.Options{Now: clock.Now, TTL: time.Hour})
	apply(t, s, put("n/hour", `{}`), lasting("n/minute", time.Minute), lasting("n/ever", store.Forever), lasting("n/blink", time.Nanosecond))
	for name, ttl := range map[string]time.Duration{"n/hour": time.Hour, "n/minute": time.Minute, "n/blink": time.Microsecond} {
		if item := get(t, s, name); item.Expires != start().Add(ttl) {
			t.Errorf("%s expires %v", name, item.Expires)
		}
	}
	if item := get(t, s, "n/ever"); !item.Expires.IsZero() {
		t.Errorf("an item that does not expire says %v", item.Expires)
	}
	clock.Advance(time.Minute - time.Microsecond)
	found(t, s, store.Query{}, "n/ever", "n/hour", "n/minute")
	get(t, s, "n/minute")
	clock.Advance(time.Microsecond)
	found(t, s, store.Query{}, "n/ever", "n/hour")
	missing(t, s, "n/minute")
	apply(t, s, put("n/hour", `{}`)) // lives again for an hour
	clock.Advance(time.Hour - time.Microsecond)
	found(t, s, store.Query{}, "n/ever", "n/hour")
	clock.Advance(time.Microsecond)
	found(t, s, store.Query{}, "n/ever")

	// Without a TTL of the store, items live for ever.
	s = open(t, &store.Options{Now: clock.Now})
	apply(t, s, put("n/plain", `{}`))
	clock.Advance(1e6 * time.Hour)
	found(t, s, store.Query{}, "n/ever", "n/plain")
}

func checkExpired(t *testing.T, open Open) {
	clock := NewClock(start())
	s := open(t, &store.Options{Now: clock.Now})
	apply(t, s, lasting("a/x", time.Minute), lasting("a/y", 2*time.Minute), lasting("b/z", time.Minute), put("c/w", `{}`))
	clock.Advance(time.Minute)
	listed(t, s, store.NamespaceQuery{}, "a", "c")

	apply(t, s, put("a/x", `{}`))
	if item := get(t, s, "a/x"); item.Created != start().Add(time.Minute) || !item.Expires.IsZero() {
		t.Errorf("an item that had expired comes back: %v", item)
	}
	for _, want := range []int{1, 0} {
		if n, err := s.Sweep(t.Context()); err != nil || n != want {
			t.Errorf("%d items were swept, want %d, %v", n, want, err)
		}
	}
	found(t, s, store.Query{}, "a/x", "a/y", "c/w")
	clock.Advance(-time.Minute)
	missing(t, s, "b/z") // it is deleted, not hidden
	clock.Advance(time.Hour)
	if n, err := s.Sweep(t.Context()); err != nil || n != 1 {
		t.Errorf("%d items were swept, want 1, %v", n, err)
	}
	found(t, s, store.Query{}, "a/x", "c/w")
}

func checkRefresh(t *testing.T, open Open) {
	clock := NewClock(start())
	s := open(t, &store.Options{Now: clock.Now, RefreshOnRead: true})
	plain := open(t, &store.Options{Now: clock.Now})
	apply(t, s, lasting("n/get", time.Minute), lasting("n/search", time.Minute), lasting("n/unread", time.Minute), put("n/zever", `{}`))
	clock.Advance(30 * time.Second)
	if item := get(t, plain, "n/get"); item.Expires != start().Add(time.Minute) {
		t.Errorf("a store without the option says %v", item.Expires)
	}
	late := start().Add(90 * time.Second)
	if item := get(t, s, "n/get"); item.Expires != late {
		t.Errorf("what Get returns expires %v", item.Expires)
	}
	results := search(t, s, store.Query{Offset: 1, Limit: 1})
	if len(results) != 1 || results[0].Key != "search" || results[0].Expires != late {
		t.Errorf("what Search returns: %v", results)
	}
	if item := get(t, plain, "n/search"); item.Expires != late || item.Updated != start() {
		t.Errorf("Search wrote %v, updated %v", item.Expires, item.Updated)
	}
	if item := get(t, s, "n/zever"); !item.Expires.IsZero() {
		t.Errorf("an item without a TTL got one: %v", item.Expires)
	}
	clock.Advance(30 * time.Second)
	found(t, plain, store.Query{}, "n/get", "n/search", "n/zever")
	clock.Advance(-45 * time.Second) // a process whose clock is behind
	if item := get(t, s, "n/get"); item.Expires != late {
		t.Errorf("a read made an item expire earlier: %v", item.Expires)
	}
	if item := get(t, plain, "n/get"); item.Expires != late {
		t.Errorf("a read wrote that an item expires earlier: %v", item.Expires)
	}
	clock.Advance(time.Hour)
	missing(t, s, "n/get") // a read does not bring it back
	missing(t, plain, "n/get")
}
