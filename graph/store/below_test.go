package store_test

import (
	"errors"
	"fmt"
	"testing"

	"example.com/assay/graph/store"
	"example.com/assay/graph/store/memory"
)

// A part of a store shows its own items by their short names, and reaches nothing else.
func TestBelow(t *testing.T) {
	whole, err := memory.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	type note struct {
		Text string `json:"text"`
	}
	ann, bob := store.Below(whole, "of", "ann"), store.Below(whole, "of", "bob")
	for _, s := range []store.Store{ann, bob, whole} {
		if err := store.Put(ctx, s, []string{"a", "b"}, "k", note{fmt.Sprintf("%p", s)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	item, err := ann.Get(ctx, []string{"a", "b"}, "k")
	if err != nil || fmt.Sprint(item.Namespace) != "[a b]" || string(item.Value) != fmt.Sprintf(`{"text":"%p"}`, ann) {
		t.Errorf("%v %s, error %v", item.Namespace, item.Value, err)
	}
	for _, prefix := range [][]string{nil, {"a"}, {"a", "b"}} {
		found, err := ann.Search(ctx, store.Query{Namespace: prefix})
		if err != nil || len(found) != 1 || fmt.Sprint(found[0].Namespace) != "[a b]" {
			t.Errorf("below %v: %v, error %v", prefix, found, err)
		}
	}
	for query, want := range map[*store.NamespaceQuery]string{{}: "[[a b]]", {MaxDepth: 1}: "[[a]]", {Suffix: []string{"b"}}: "[[a b]]", {Prefix: []string{"x"}}: "[]"} {
		if list, err := ann.ListNamespaces(ctx, *query); err != nil || fmt.Sprint(list) != want {
			t.Errorf("%+v: %v, error %v; want %s", query, list, err, want)
		}
	}
	if err := store.Delete(ctx, bob, []string{"a", "b"}, "k"); err != nil {
		t.Fatal(err)
	}
	if _, err := ann.Get(ctx, []string{"a", "b"}, "k"); err != nil {
		t.Errorf("another's delete: %v", err)
	}
	if _, err := bob.Get(ctx, []string{"a", "b"}, "k"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("after the delete: %v", err)
	}
	invalid := (*store.InvalidError)(nil)
	if _, err := ann.Get(ctx, nil, "k"); !errors.As(err, &invalid) {
		t.Errorf("without a namespace: %v", err)
	}
	if err := ann.Apply(ctx, store.Op{Key: "k", Value: []byte("{}")}); !errors.As(err, &invalid) {
		t.Errorf("a put without a namespace: %v", err)
	}
}
