package sqlite_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"example.com/assay/graph/store"
	"example.com/assay/graph/store/sqlite"
)

func ExampleOpen() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := sqlite.Open(ctx, filepath.Join(dir, "memory.db"), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if err := store.Put(ctx, s, []string{"counters"}, "visits", map[string]int{"n": 3}, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println(store.Get[map[string]int](ctx, s, []string{"counters"}, "visits"))
	// Output: map[n:3] <nil>
}
