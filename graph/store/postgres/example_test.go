package postgres_test

import (
	"context"
	"fmt"
	"log"

	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/assay/graph/store"
	"example.com/assay/graph/store/postgres"
)

// This needs a server, and is only compiled by the tests.
func ExampleNew() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, "postgres://localhost/assay")
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	s, err := postgres.New(ctx, pool, &postgres.Options{Schema: "agents"})
	if err != nil {
		log.Fatal(err)
	}
	if err := store.Put(ctx, s, []string{"counters"}, "visits", map[string]int{"n": 3}, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println(store.Get[map[string]int](ctx, s, []string{"counters"}, "visits"))
}
