package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/assay/graph/store"
	"example.com/assay/graph/store/postgres"
	"example.com/assay/graph/store/sqlite"
	"example.com/assay/internal/pgtest"
)

// childPlace says, for a process of this test, in which place and as which writers it
// works: the kind of the place, its name and the first of its writers.
const childPlace = "ASSAY_STORE_AGREE"

func TestMain(m *testing.M) {
	if place := os.Getenv(childPlace); place != "" {
		if err := work(place); err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const (
	writers   = 8
	processes = 2
	allOps    = 10_000
)

// work lets the writers of one process work, and prints what each found.
func work(place string) error {
	ctx := context.Background()
	kind, rest, _ := strings.Cut(place, "\t")
	where, number, _ := strings.Cut(rest, "\t")
	first, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	open := func(opts store.Options) (store.Store, error) {
		return sqlite.Open(ctx, where, &sqlite.Options{Options: opts})
	}
	if kind == "schema" {
		pool, err := pgxpool.New(ctx, os.Getenv(pgtest.Variable))
		if err != nil {
			return err
		}
		defer pool.Close()
		open = func(opts store.Options) (store.Store, error) {
			return postgres.New(ctx, pool, &postgres.Options{Options: opts, Schema: where})
		}
	}
	reports := make([][]string, writers/processes)
	errs := make([]error, len(reports))
	var wg sync.WaitGroup
	for i := range reports {
		wg.Go(func() { reports[i], errs[i] = write(ctx, first+i, open) })
	}
	wg.Wait()
	fmt.Println(strings.Join(slices.Concat(reports...), "\n"))
	return errors.Join(errs...)
}

// write lets one writer do its operations, which follow from its number, below a namespace
// of its own. It returns what each found.
func write(ctx context.Context, writer int, open func(store.Options) (store.Store, error)) ([]string, error) {
	at := time.Date(2026, 5, 1, writer, 0, 0, 0, time.UTC)
	s, err := open(store.Options{Now: func() time.Time { at = at.Add(time.Second); return at }, RefreshOnRead: true})
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(1, uint64(writer)))
	space := func() []string {
		return []string{fmt.Sprint("writer ", writer), []string{"a", "b", "ü"}[rng.IntN(3)]}
	}
	key := func() string { return fmt.Sprint("key ", rng.IntN(30)) }
	change := func() store.Op {
		op := store.Op{Namespace: space(), Key: key()}
		if rng.IntN(4) > 0 {
			op.Value = []byte(fmt.Sprintf(`{"n":%d,"s":"%d ' \" \\u0001 漢"}`, rng.IntN(10), rng.IntN(1000)))
			op.TTL = []time.Duration{0, time.Minute, 10 * time.Minute}[rng.IntN(3)]
		}
		return op
	}
	var out []string
	for op := range allOps / writers {
		var found any
		var err error
		switch n := rng.IntN(100); {
		case n < 35:
			err = s.Apply(ctx, change())
		case n < 45:
			err = s.Apply(ctx, change(), change(), change())
		case n < 70:
			found, err = s.Get(ctx, space(), key())
		case n < 85:
			var filters []store.Filter
			if filters, err = store.ParseFilters([]byte(fmt.Sprintf(`{"n":{"$gte":%d}}`, rng.IntN(10)))); err == nil {
				found, err = s.Search(ctx, store.Query{Namespace: space()[:1+rng.IntN(2)], Filters: filters, Limit: 1 + rng.IntN(20), Offset: rng.IntN(3)})
			}
		default:
			found, err = s.ListNamespaces(ctx, store.NamespaceQuery{Prefix: space()[:1]})
		}
		if errors.Is(err, store.ErrNotFound) {
			found, err = "none", nil
		}
		if err != nil {
			return nil, fmt.Errorf("operation %d of writer %d: %w", op, writer, err)
		}
		out = append(out, fmt.Sprintf("writer %d, operation %d: %+v", writer, op, found))
	}
	return out, nil
}

// Eight writers in two processes find the same in a file and in a database, operation by
// operation, and leave the same.
func TestFileAndDatabaseAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	pool, schema := pgtest.Pool(t), pgtest.Schema(t)
	path := filepath.Join(t.TempDir(), "store.db")
	begin := store.Options{Now: func() time.Time { return time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC) }}
	inFile, err := sqlite.Open(t.Context(), path, &sqlite.Options{Options: begin})
	if err != nil {
		t.Fatal(err)
	}
	defer inFile.Close()
	inBase, err := postgres.New(t.Context(), pool, &postgres.Options{Options: begin, Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	var found [2][]string
	var left [2]string
	for i, place := range []struct {
		name string
		in   store.Store
	}{{"file\t" + path, inFile}, {"schema\t" + schema, inBase}} {
		for _, lines := range pgtest.Copies(t, childPlace, place.name+"\t0", place.name+"\t4") {
			found[i] = append(found[i], lines...)
		}
		items, err := place.in.Search(t.Context(), store.Query{Limit: 10_000})
		if err != nil || len(items) < 100 {
			t.Fatalf("%d items are left, %v", len(items), err)
		}
		left[i] = fmt.Sprintf("%+v", items)
	}
	if len(found[0]) != allOps || len(found[1]) != allOps {
		t.Fatalf("%d and %d operations; want %d", len(found[0]), len(found[1]), allOps)
	}
	for i := range found[0] {
		if found[0][i] != found[1][i] {
			t.Fatalf("in the file:     %s\nin the database: %s", found[0][i], found[1][i])
		}
	}
	if left[0] != left[1] {
		t.Error("the items that are left differ")
	}
}
