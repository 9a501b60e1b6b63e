package pgschema_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/assay/internal/pgschema"
	"example.com/assay/internal/pgtest"
)

const (
	first  = `CREATE TABLE {s}.things (n int); INSERT INTO {s}.things VALUES (1)`
	second = `ALTER TABLE {s}.things ADD COLUMN name text NOT NULL DEFAULT 'old'`
)

func things(steps ...string) pgschema.Tables {
	return pgschema.Tables{Log: "things_migrations", Columns: pgschema.LogColumns, Steps: steps}
}

// Tables of an earlier version are brought up to date once, by however many processes, and keep
// their rows. An earlier program then refuses them.
func TestMigrate(t *testing.T) {
	pool, schema := pgtest.Pool(t), pgtest.Schema(t)
	for i, tables := range []pgschema.Tables{things(first), things(first, second)} {
		if have, newest, err := tables.Versions(t.Context(), pool, schema); have != i || newest != i+1 || err != nil {
			t.Errorf("before: version %d of %d, %v", have, newest, err)
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if got, err := tables.Open(t.Context(), pool, schema); got != schema || err != nil {
					t.Errorf("%q, %v", got, err)
				}
			})
		}
		wg.Wait()
	}
	var n, steps int
	var name string
	if err := pool.QueryRow(t.Context(), pgschema.In(schema, "SELECT n, name, (SELECT count(*) FROM {s}.things_migrations) FROM {s}.things")).Scan(&n, &name, &steps); err != nil || n != 1 || name != "old" || steps != 2 {
		t.Errorf("%d, %q, %d steps, %v", n, name, steps, err)
	}
	if _, err := things(first).Open(t.Context(), pool, schema); !errors.Is(err, pgschema.ErrNewer) {
		t.Errorf("an earlier program: %v", err)
	}
}

// A step that fails leaves nothing behind, not even the schema.
func TestFailedStep(t *testing.T) {
	pool, schema := pgtest.Pool(t), pgtest.Schema(t)
	if _, err := things(first, "CREATE TABLE {s}.things (n int)").Open(t.Context(), pool, schema); err == nil {
		t.Error("a table was made twice")
	}
	var left int
	if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_namespace WHERE nspname = $1", schema).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d schemas are left, %v", left, err)
	}
	if _, err := things(first).Open(t.Context(), pool, schema); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// A database that is not in UTF8 is refused before anything is made in it.
func TestOtherEncoding(t *testing.T) {
	admin := pgtest.Pool(t)
	name := fmt.Sprintf("assay_ascii_%d", os.Getpid())
	if _, err := admin.Exec(t.Context(), "CREATE DATABASE "+name+" ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"); err != nil {
		t.Skipf("making a database: %v", err)
	}
	t.Cleanup(func() {
		if _, err := admin.Exec(context.Background(), "DROP DATABASE "+name); err != nil {
			t.Error(err)
		}
	})
	pool := pgtest.Pool(t, func(c *pgxpool.Config) { c.ConnConfig.Database = name })
	if _, err := things(first).Open(t.Context(), pool, "x"); err == nil || !strings.Contains(err.Error(), "SQL_ASCII") {
		t.Errorf("a database in SQL_ASCII: %v", err)
	}
	var left int
	if err := pool.QueryRow(t.Context(), "SELECT count(*) FROM pg_namespace WHERE nspname = 'x'").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d schemas are left, %v", left, err)
	}
	pool.Close() // so that the database can be dropped
}

func TestNames(t *testing.T) {
	for name, ok := range map[string]bool{"assay": true, `odd " name`: true, strings.Repeat("x", 63): true, strings.Repeat("x", 64): false, "": false, "a\x00": false} {
		if err := pgschema.CheckName(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
}
