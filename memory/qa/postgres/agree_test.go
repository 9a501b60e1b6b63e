package postgres_test

import (
	"context"
	"encoding/json"
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

	"example.com/assay/internal/pgtest"
	"example.com/assay/memory/qa"
	"example.com/assay/memory/qa/postgres"
)

// childPlace says, for a process of this test, in which place and as which writers it
// works: the kind of the place, its name and the first of its writers.
const childPlace = "ASSAY_QA_AGREE"

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
	open := func(opts *qa.Options) (*qa.Memory, error) { return qa.Open(ctx, where, opts) }
	if kind == "schema" {
		pool, err := pgxpool.New(ctx, os.Getenv(pgtest.Variable))
		if err != nil {
			return err
		}
		defer pool.Close()
		open = func(opts *qa.Options) (*qa.Memory, error) {
			rows, err := postgres.New(ctx, pool, "law", &postgres.Options{Schema: where})
			return qa.New(rows, opts), err
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

// write lets one writer do its operations, which follow from its number, under conditions
// of its own. It returns what each found.
func write(ctx context.Context, writer int, open func(*qa.Options) (*qa.Memory, error)) ([]string, error) {
	at := time.Date(2026, 5, 1, writer, 0, 0, 0, time.UTC)
	m, err := open(&qa.Options{Embed: func(string) []float32 { return []float32{1} }, Now: func() time.Time { at = at.Add(time.Second); return at }})
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(1, uint64(writer)))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	question := func() string {
		return fmt.Sprintf("%s %s the %s %s?", pick("When must", "Why may", "Please tell me whether", "Can"), pick("the landlord", "a tenant", "tenants"), pick("repair", "sell", "insure"), pick("roof", "roofs", "cellar", "harbour"))
	}
	now := []qa.Condition{{Name: "writer", Value: strconv.Itoa(writer)}}
	ids := []string{"0000000000000000"}
	var out []string
	for op := range allOps / writers {
		var found any
		var err error
		switch n := rng.IntN(100); {
		case n < 40:
			var id string
			id, err = m.Store(ctx, qa.Entry{Question: question(), Answer: fmt.Sprint("answer ", op), Conditions: now, Confidence: rng.Float64()})
			ids, found = append(ids, id), id
		case n < 75:
			found, err = m.Lookup(ctx, question(), now)
		case n < 85:
			err = m.MarkServed(ctx, pick(ids...))
		case n < 93:
			found, err = m.Get(ctx, pick(ids...))
		default:
			found, err = m.Forget(ctx, pick(ids...))
		}
		if errors.As(err, new(*qa.UnknownError)) { // it was forgotten
			found, err = "unknown", nil
		}
		if err != nil {
			return nil, fmt.Errorf("operation %d of writer %d: %w", op, writer, err)
		}
		text, err := json.Marshal(found)
		if err != nil {
			return nil, err
		}
		out = append(out, fmt.Sprintf("writer %d, operation %d: %s", writer, op, text))
	}
	return out, m.Close()
}

// Eight writers in two processes find the same in a file and in a database, operation by
// operation, and leave the same.
func TestFileAndDatabaseAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	schema, path := pgtest.Schema(t), filepath.Join(t.TempDir(), "law.db")
	memories := map[string]*qa.Memory{"schema\t" + schema: open(t, pgtest.Pool(t), schema, "law", nil)}
	inFile, err := qa.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer inFile.Close()
	memories["file\t"+path] = inFile
	var found [2][]string
	var left [2]string
	for i, place := range []string{"file\t" + path, "schema\t" + schema} {
		for _, lines := range pgtest.Copies(t, childPlace, place+"\t0", place+"\t4") {
			found[i] = append(found[i], lines...)
		}
		list, err := memories[place].List(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(list, func(a, b qa.Entry) int { return strings.Compare(a.ID, b.ID) })
		text, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		left[i] = string(text)
	}
	if len(found[0]) != allOps || len(found[1]) != allOps {
		t.Fatalf("%d and %d operations; want %d", len(found[0]), len(found[1]), allOps)
	}
	kinds := map[string]int{}
	for i := range found[0] {
		if found[0][i] != found[1][i] {
			t.Fatalf("in the file:     %s\nin the database: %s", found[0][i], found[1][i])
		}
		for _, kind := range []string{"exact", "near", "hint", "unknown"} {
			if strings.Contains(found[0][i], `"`+kind+`"`) {
				kinds[kind]++
			}
		}
	}
	t.Logf("%v; %d bytes of entries are left", kinds, len(left[0]))
	if len(kinds) != 4 {
		t.Errorf("only %v were found: the operations are too much alike", kinds)
	}
	if left[0] != left[1] {
		t.Error("the entries that are left differ")
	}
}
