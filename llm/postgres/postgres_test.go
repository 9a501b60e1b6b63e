package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/assay/internal/pgschema"
	"example.com/assay/internal/pgtest"
	"example.com/assay/llm"
	"example.com/assay/llm/postgres"
)

// childSchema names, for a process of this test, the schema whose rate it keeps.
const childSchema = "ASSAY_RATE_CHILD"

func TestMain(m *testing.M) {
	if schema := os.Getenv(childSchema); schema != "" {
		if err := callFor(schema); err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// The rate of the processes, per minute, and how long each calls.
const (
	requests = 1200
	tokens   = 60_000
	during   = 5 * time.Second
)

// timed answers at once, and prints when it was called.
type timed struct {
	mu sync.Mutex
}

func (m *timed) Generate(context.Context, llm.Request) (llm.Response, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fmt.Println(time.Now().UnixMicro())
	return llm.Response{Usage: llm.Usage{InputTokens: 10, OutputTokens: 40}}, nil
}

// callFor calls a model from four goroutines as fast as the rate allows.
func callFor(schema string) error {
	ctx, cancel := context.WithTimeout(context.Background(), during)
	defer cancel()
	pool, err := pgxpool.New(ctx, os.Getenv(pgtest.Variable))
	if err != nil {
		return err
	}
	defer pool.Close()
	buckets, err := postgres.New(ctx, pool, &postgres.Options{Schema: schema})
	if err != nil {
		return err
	}
	model := llm.Rate(&llm.RateOptions{RequestsPerMinute: requests, TokensPerMinute: tokens, Buckets: buckets})(&timed{})
	errs := make([]error, 4)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for errs[i] == nil {
				_, errs[i] = model.Generate(ctx, llm.Request{Messages: []llm.Message{{Role: llm.User, Text: strings.Repeat("x", 40)}}})
			}
			if errors.Is(errs[i], context.DeadlineExceeded) {
				errs[i] = nil
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Four processes together keep the rate that one of them would keep: in every window of
// time at most what a bucket holds and what flows into it meanwhile.
func TestFourProcesses(t *testing.T) {
	schema := pgtest.Schema(t)
	var at []int64
	for _, lines := range pgtest.Copies(t, childSchema, schema, schema, schema, schema) {
		for _, line := range lines {
			micro, err := strconv.ParseInt(line, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			at = append(at, micro)
		}
	}
	// A call costs 50 tokens, so that the tokens bound the calls: 6,000 at once, then 1,000
	// a second. It leaves a moment after its wait has ended, which is allowed for.
	const most, perSecond, late = requests / 10, float64(requests) / 60, .3
	for i := range at {
		for j := range at {
			window := float64(at[j]-at[i]) / 1e6
			if window < 0 {
				continue
			}
			n := 0
			for _, a := range at {
				if a >= at[i] && a <= at[j] {
					n++
				}
			}
			if limit := most + perSecond*(window+late); float64(n) > limit+1 {
				t.Fatalf("%d calls in %.2f s; the rate allows %.0f", n, window, limit)
			}
		}
	}
	t.Logf("%d calls in %v by four processes", len(at), during)
	if least := most + perSecond*(during.Seconds()-2); float64(len(at)) < least {
		t.Errorf("%d calls; the rate allows %.0f, and waiting should not cost so many", len(at), most+perSecond*during.Seconds())
	}
}

func open(t *testing.T, schema string, change ...func(*pgxpool.Config)) llm.Buckets {
	t.Helper()
	b, err := postgres.New(t.Context(), pgtest.Pool(t, change...), &postgres.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Buckets are overdrawn, fill with time, and never hold more than their capacity.
func TestDraw(t *testing.T) {
	schema := pgtest.Schema(t)
	a, b := open(t, schema), open(t, schema)
	draw := func(from llm.Buckets, amount float64) float64 {
		t.Helper()
		levels, err := from.Draw(t.Context(), []llm.Draw{{Bucket: "x", Capacity: 10, Refill: 20, Amount: amount}, {Bucket: "y", Capacity: 5, Refill: 1e-9}})
		if err != nil || len(levels) != 2 || math.Abs(levels[1]-5) > .01 {
			t.Fatalf("levels %v, %v", levels, err)
		}
		return levels[0]
	}
	if got := draw(a, 4); math.Abs(got-6) > .01 {
		t.Errorf("a new bucket of 10 without 4 holds %v", got)
	}
	if got := draw(b, 26); got > -15 || got < -20 {
		t.Errorf("overdrawn, it holds %v", got)
	}
	time.Sleep(200 * time.Millisecond)
	if got := draw(a, 0); got > -10 || got < -16 {
		t.Errorf("after 200 ms it holds %v", got)
	}
	if got := draw(b, -1000); got != 10 {
		t.Errorf("with too much given back it holds %v", got)
	}
}

// Who may only use the tables needs no right to make them.
func TestFewRights(t *testing.T) {
	schema := pgtest.Schema(t)
	open(t, schema)
	role := pgtest.Role(t, schema, "GRANT USAGE ON SCHEMA {s} TO {r}", "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {s} TO {r}")
	if _, err := open(t, schema, pgtest.As(role)).Draw(t.Context(), []llm.Draw{{Bucket: "x", Capacity: 1, Refill: 1, Amount: 1}}); err != nil {
		t.Error(err)
	}
}

func TestNewerTables(t *testing.T) {
	schema, pool := pgtest.Schema(t), pgtest.Pool(t)
	open(t, schema)
	if _, err := pool.Exec(t.Context(), "INSERT INTO "+pgx.Identifier{schema, "rate_migrations"}.Sanitize()+" (version) VALUES (99)"); err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.New(t.Context(), pool, &postgres.Options{Schema: schema}); !errors.Is(err, pgschema.ErrNewer) {
		t.Errorf("newer tables: %v", err)
	}
}

// BenchmarkDraw measures what a call costs in addition, without and with others that draw
// from the same buckets.
func BenchmarkDraw(b *testing.B) {
	buckets, err := postgres.New(b.Context(), pgtest.Pool(b), &postgres.Options{Schema: pgtest.Schema(b)})
	if err != nil {
		b.Fatal(err)
	}
	draws := []llm.Draw{{Bucket: "requests", Capacity: 10, Refill: 1, Amount: 1}, {Bucket: "tokens", Capacity: 100, Refill: 10, Amount: 5}}
	b.Run("alone", func(b *testing.B) {
		for b.Loop() {
			if _, err := buckets.Draw(b.Context(), draws); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("together", func(b *testing.B) {
		b.SetParallelism(3)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := buckets.Draw(b.Context(), draws); err != nil {
					b.Error(err)
				}
			}
		})
	})
}
