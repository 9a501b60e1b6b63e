// Package pgtest connects tests to a PostgreSQL server, starts one, kills it, and cuts connections.
//
//	pool, schema := pgtest.Pool(t), pgtest.Schema(t)
//
// Without a server the test is skipped.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Variable is the environment variable with the connection string of the server for tests. Each test
// makes a schema there and drops it.
const Variable = "ASSAY_POSTGRES"

// Address returns the connection string of the server for tests. Without one it skips the test.
func Address(t testing.TB) string {
	t.Helper()
	address := os.Getenv(Variable)
	if address == "" {
		t.Skipf("set %s to the connection string of a PostgreSQL server whose user may create schemas, such as \"host=/run/postgresql user=assay dbname=postgres\"", Variable)
	}
	return address
}

// Pool returns a pool of the server for tests, which the test's end closes.
func Pool(t testing.TB, change ...func(*pgxpool.Config)) *pgxpool.Pool {
	t.Helper()
	return PoolAt(t, Address(t), change...)
}

// PoolAt returns a pool of a server, which the test's end closes.
func PoolAt(t testing.TB, address string, change ...func(*pgxpool.Config)) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 6
	for _, f := range change {
		f(config)
	}
	pool, err := pgxpool.NewWithConfig(context.WithoutCancel(t.Context()), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

var schemas atomic.Int64

// Schema returns the name of a schema that the test's end drops. The name has odd characters, since
// all are allowed.
func Schema(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf(`Test "%d" of %d`, schemas.Add(1), os.Getpid())
	pool := Pool(t)
	t.Cleanup(func() {
		if err := drop(pool, name); err != nil {
			t.Errorf("dropping the schema: %v", err)
		}
	})
	return name
}

// drop removes a schema. A change whose context ended may still run in the server. In a deadlock with
// it, the server may end the removal, which is then repeated.
func drop(pool *pgxpool.Pool, schema string) error {
	for {
		_, err := pool.Exec(context.Background(), "DROP SCHEMA IF EXISTS "+pgx.Identifier{schema}.Sanitize()+" CASCADE")
		if fault, ok := errors.AsType[*pgconn.PgError](err); !ok || fault.Code != deadlock {
			return err
		}
	}
}

const deadlock = "40P01"

// Role makes a role and returns its name. Statements grant it rights, with {s} for the schema and {r}
// for the role. Without the right to make roles it skips the test.
func Role(t testing.TB, schema string, statements ...string) string {
	t.Helper()
	pool := Pool(t)
	role := fmt.Sprintf("assay_test_%d_%d", os.Getpid(), schemas.Add(1))
	if _, err := pool.Exec(t.Context(), "CREATE ROLE "+role); err != nil {
		t.Skipf("making a role: %v", err)
	}
	t.Cleanup(func() {
		if _, err := pool.Exec(context.Background(), "DROP OWNED BY "+role+"; DROP ROLE "+role); err != nil {
			t.Error(err)
		}
	})
	quoted := strings.NewReplacer("{s}", pgx.Identifier{schema}.Sanitize(), "{r}", role)
	for _, s := range statements {
		if _, err := pool.Exec(t.Context(), quoted.Replace(s)); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return role
}

// As makes a pool connect as a role.
func As(role string) func(*pgxpool.Config) {
	return func(c *pgxpool.Config) { c.ConnConfig.RuntimeParams["role"] = role }
}

// URL returns the address of the server for tests as a URL, with a schema.
func URL(t testing.TB, schema string) string {
	t.Helper()
	config, err := pgconn.ParseConfig(Address(t))
	if err != nil {
		t.Fatal(err)
	}
	query := url.Values{"host": {config.Host}, "port": {strconv.Itoa(int(config.Port))}, "schema": {schema}}
	return (&url.URL{Scheme: "postgres", User: url.UserPassword(config.User, config.Password), Path: "/" + config.Database, RawQuery: query.Encode()}).String()
}
