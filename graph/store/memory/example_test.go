package memory_test

import (
	"context"
	"fmt"
	"log"

	"example.com/assay/graph/store"
	"example.com/assay/graph/store/memory"
)

func ExampleNew() {
	ctx := context.Background()
	s, err := memory.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	key := []string{"counters"}
	if err := store.Put(ctx, s, key, "visits", map[string]int{"n": 3}, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println(store.Get[map[string]int](ctx, s, key, "visits"))
	// Output: map[n:3] <nil>
}

func ExampleNewBackend() {
	ctx := context.Background()
	rows := memory.NewBackend()
	plain, err := store.New(rows, nil)
	if err != nil {
		log.Fatal(err)
	}
	refreshing, err := store.New(rows, &store.Options{RefreshOnRead: true})
	if err != nil {
		log.Fatal(err)
	}
	if err := store.Put(ctx, plain, []string{"n"}, "k", struct{}{}, nil); err != nil {
		log.Fatal(err)
	}
	item, err := refreshing.Get(ctx, []string{"n"}, "k")
	fmt.Println(string(item.Value), err)
	// Output: {} <nil>
}
