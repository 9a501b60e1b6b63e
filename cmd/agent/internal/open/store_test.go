//go:build !lean

package open

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/graph/store"
	"example.com/assay/internal/pgtest"
	"example.com/assay/llm"
	"example.com/assay/llm/offline"
	"example.com/assay/memory/embed"
)

// shared returns settings with a store in a schema of the test.
func shared(t *testing.T, schema string) config.Settings {
	t.Helper()
	c, err := pgxpool.ParseConfig(pgtest.Address(t))
	if err != nil {
		t.Fatal(err)
	}
	s := config.Default(false)
	s.Home, s.Store = t.TempDir(), config.Store{Connect: c, Schema: schema, Shown: "the test's"}
	return s
}

// Another machine finds the notes and vectors that one machine keeps.
func TestStoreOfTwoMachines(t *testing.T) {
	schema := pgtest.Schema(t)
	a, b := NewStore(shared(t, schema)), NewStore(shared(t, schema))
	defer a.Close()
	defer b.Close()
	note := func(k *Store) Notes {
		t.Helper()
		notes, err := k.Notes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return notes
	}
	if err := store.Put(t.Context(), note(a), NotesOf, "n", map[string]string{"text": "keys"}, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := store.Get[map[string]string](t.Context(), note(b), NotesOf, "n"); err != nil || got["text"] != "keys" {
		t.Errorf("the note is %v, %v", got, err)
	}
	vectors, err := a.Vectors(t.Context(), nil)
	if err == nil {
		err = vectors.Put(t.Context(), []embed.Key{{1}}, [][]float32{{1, 2}})
	}
	if err = errors.Join(err, vectors.Close()); err != nil {
		t.Fatal(err)
	}
	if stats, err := b.VectorStats(t.Context(), nil); err != nil || stats.Vectors != 1 {
		t.Errorf("the vectors are %+v, %v", stats, err)
	}
}

// A store that cannot be opened returns nil, so that nobody closes it.
func TestStoreUnopened(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"threads.db", "notes.db"} {
		if err := os.Mkdir(filepath.Join(home, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s := config.Default(false)
	s.Home = home
	unopened(t, NewStore(s))
}

func TestStoreUnopenedShared(t *testing.T) {
	k := NewStore(shared(t, pgtest.Schema(t)))
	defer k.Close()
	if _, err := k.Threads(t.Context()); err != nil { // makes the tables
		t.Fatal(err)
	}
	unopened(t, k)
}

func unopened(t *testing.T, k *Store) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if threads, err := k.Threads(ctx); err == nil || threads != nil {
		t.Errorf("threads: %v, %v", threads, err)
	}
	if notes, err := k.Notes(ctx); err == nil || notes != nil {
		t.Errorf("notes: %v, %v", notes, err)
	}
}

// Two exchanges with one store share one rate of calls.
func TestRateOfTwoExchanges(t *testing.T) {
	schema := pgtest.Schema(t)
	generate := func(timeout time.Duration) error {
		s := shared(t, schema)
		s.Limits.Rate.RequestsPerMinute = 6 // one, and then one in 10 s
		x := PlainExchange(&cli.App{}, s)
		defer x.Close()
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		defer cancel()
		_, err := x.Controls.Wrap(offline.New(nil)).Generate(ctx, llm.Request{})
		if errors.As(err, new(*offline.UnknownSkillError)) {
			err = nil // it was called, as it should be
		}
		return err
	}
	if err := generate(time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := generate(500 * time.Millisecond); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "rate limit") {
		t.Errorf("a call beyond the shared rate: %v", err)
	}
}
