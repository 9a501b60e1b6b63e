package open

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/graph"
	threadrows "example.com/assay/graph/checkpoint/postgres"
	threadfile "example.com/assay/graph/checkpoint/sqlite"
	"example.com/assay/graph/eventlog"
	"example.com/assay/graph/store"
	noterows "example.com/assay/graph/store/postgres"
	notefile "example.com/assay/graph/store/sqlite"
	"example.com/assay/llm"
	raterows "example.com/assay/llm/postgres"
	"example.com/assay/memory"
	"example.com/assay/memory/embed"
	vectorrows "example.com/assay/memory/embed/postgres"
	"example.com/assay/memory/qa"
	answerrows "example.com/assay/memory/qa/postgres"
)

// A Store opens what the program saves: files of the home, or tables of the PostgreSQL
// server that the settings name. It connects when it is first used. Close it after what it
// opened.
type Store struct {
	home string
	at   config.Store

	mu    sync.Mutex
	pool  *pgxpool.Pool // nil before the first use, and of files
	rates llm.Buckets   // nil before the first use
}

// NewStore returns the store of the settings.
func NewStore(s config.Settings) *Store { return &Store{home: s.Home, at: s.Store} }

// Shared reports whether a server keeps what is saved.
func (k *Store) Shared() bool { return k.at.Connect != nil }

// Close ends the connections.
func (k *Store) Close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.pool != nil {
		k.pool.Close()
		k.pool = nil
	}
}

// Has reports whether something can have been saved: where files are kept, that the file
// exists.
func (k *Store) Has(file string) (bool, error) {
	if k.Shared() {
		return true, nil
	}
	_, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// connected returns the pool, once all tables are there.
func (k *Store) connected(ctx context.Context) (*pgxpool.Pool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.pool != nil {
		return k.pool, nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, k.at.Connect)
	if err != nil {
		return nil, k.because(err)
	}
	if err := k.prepare(ctx, pool); err != nil {
		pool.Close()
		return nil, k.because(err)
	}
	k.pool = pool
	return pool, nil
}

// prepare makes all tables, so that the first verb that a user with that right runs makes
// what others need.
func (k *Store) prepare(ctx context.Context, pool *pgxpool.Pool) error {
	saver, err := threadrows.New(ctx, pool, &threadrows.Options{Schema: k.at.Schema})
	if err == nil {
		err = saver.Close()
	}
	if err == nil {
		_, err = noterows.New(ctx, pool, &noterows.Options{Schema: k.at.Schema})
	}
	if err == nil {
		_, err = answerrows.New(ctx, pool, "", &answerrows.Options{Schema: k.at.Schema})
	}
	if err == nil {
		_, err = vectorrows.New(ctx, pool, &vectorrows.Options{Schema: k.at.Schema})
	}
	if err == nil {
		k.rates, err = raterows.New(ctx, pool, &raterows.Options{Schema: k.at.Schema})
	}
	if err == nil {
		var events *eventlog.Log
		if events, err = eventlog.Open(ctx, pool, k.at.Schema); err == nil {
			err = events.Close()
		}
	}
	return err
}

func (k *Store) because(err error) error {
	return fmt.Errorf("using the store %s: %w (agent doctor says what to do)", k.at.Shown, err)
}

// A Saver keeps threads.
type Saver interface {
	graph.Checkpointer
	io.Closer
}

// Threads opens the threads.
func (k *Store) Threads(ctx context.Context) (Saver, error) {
	if !k.Shared() {
		saver, err := threadfile.Open(ctx, ThreadsFile(k.home), nil)
		if err != nil {
			return nil, fmt.Errorf("opening the saved runs: %w (agent doctor says what to do)", err)
		}
		return saver, nil
	}
	pool, err := k.connected(ctx)
	if err != nil {
		return nil, err
	}
	saver, err := threadrows.New(ctx, pool, &threadrows.Options{Schema: k.at.Schema})
	if err != nil {
		return nil, err // and no Saver that holds a nil
	}
	return saver, nil
}

// Notes are long-term memory.
type Notes interface {
	store.Store
	io.Closer
}

// sharedNotes are closed with their pool.
type sharedNotes struct{ store.Store }

func (sharedNotes) Close() error { return nil }

// Notes opens the notes.
func (k *Store) Notes(ctx context.Context) (Notes, error) {
	return k.notes(ctx, NotesFile(k.home))
}

// notes opens a file of notes, or the rows that the server keeps.
func (k *Store) notes(ctx context.Context, path string) (Notes, error) {
	if !k.Shared() {
		file, err := notefile.Open(ctx, path, nil)
		if err != nil {
			return nil, err // and no Notes that hold a nil
		}
		return file, nil
	}
	pool, err := k.connected(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := noterows.New(ctx, pool, &noterows.Options{Schema: k.at.Schema})
	if err != nil {
		return nil, err
	}
	return sharedNotes{rows}, nil
}

// Answers opens the remembered answers of a corpus. Those of a tenant of agent serve are
// apart from those of the command, whose tenant is "".
func (k *Store) Answers(ctx context.Context, tenant, corpus string, opts *qa.Options) (*qa.Memory, error) {
	if !k.Shared() {
		return qa.Open(ctx, AnswersFile(k.home, tenant, corpus), opts)
	}
	pool, err := k.connected(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := answerrows.New(ctx, pool, filepath.ToSlash(filepath.Join(tenantFolder(tenant), corpus)), &answerrows.Options{Schema: k.at.Schema})
	if err != nil {
		return nil, err
	}
	return qa.New(rows, opts), nil
}

// AnswersFile is where the remembered answers of a corpus are, unless a server keeps them.
func AnswersFile(home, tenant, corpus string) string {
	return qa.Path(filepath.Join(home, tenantFolder(tenant)), corpus)
}

// tenantFolder is where the files of a tenant are below the home.
func tenantFolder(tenant string) string {
	if tenant == "" {
		return ""
	}
	return filepath.Join("tenants", tenant)
}

// Vectors opens the cache of vectors.
func (k *Store) Vectors(ctx context.Context, opts *embed.CacheOptions) (*embed.Cache, error) {
	if !k.Shared() {
		return embed.OpenCache(memory.VectorsPath(k.home), opts)
	}
	pool, err := k.connected(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := vectorrows.New(ctx, pool, &vectorrows.Options{Schema: k.at.Schema})
	if err != nil {
		return nil, err
	}
	return embed.NewCache(rows, opts), nil
}

// Served opens what agent serve keeps beside threads: records of runs, and the memory of
// its callers.
func (k *Store) Served(ctx context.Context) (Notes, error) {
	return k.notes(ctx, filepath.Join(k.home, "serve.db"))
}

// Events opens the log of events.
func (k *Store) Events(ctx context.Context) (*eventlog.Log, error) {
	if !k.Shared() {
		return eventlog.OpenFile(ctx, filepath.Join(k.home, "events.db"))
	}
	pool, err := k.connected(ctx)
	if err != nil {
		return nil, err
	}
	return eventlog.Open(ctx, pool, k.at.Schema)
}

// Draw implements llm.Buckets for the rates of a server.
func (k *Store) Draw(ctx context.Context, draws []llm.Draw) ([]float64, error) {
	if _, err := k.connected(ctx); err != nil {
		return nil, err
	}
	k.mu.Lock()
	rates := k.rates
	k.mu.Unlock()
	return rates.Draw(ctx, draws)
}
