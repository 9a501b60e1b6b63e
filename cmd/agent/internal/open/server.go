//go:build !lean

package open

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/assay/cmd/agent/internal/config"
	threadrows "example.com/assay/graph/checkpoint/postgres"
	"example.com/assay/graph/eventlog"
	"example.com/assay/graph/store"
	noterows "example.com/assay/graph/store/postgres"
	"example.com/assay/llm"
	raterows "example.com/assay/llm/postgres"
	"example.com/assay/memory/embed"
	vectorrows "example.com/assay/memory/embed/postgres"
	"example.com/assay/memory/qa"
	answerrows "example.com/assay/memory/qa/postgres"
)

// tables are what a PostgreSQL server keeps.
type tables struct {
	llm.Buckets
	pool   *pgxpool.Pool
	schema string
}

// connect makes all tables, so that the first verb that a user with that right runs makes
// what others need.
func connect(ctx context.Context, at config.Store) (server, error) {
	pool, err := pgxpool.NewWithConfig(ctx, at.Connect)
	if err != nil {
		return nil, err
	}
	t := &tables{pool: pool, schema: at.Schema}
	if err := t.prepare(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return t, nil
}

func (t *tables) prepare(ctx context.Context) error {
	saver, err := t.threads(ctx)
	if err == nil {
		err = saver.Close()
	}
	if err == nil {
		_, err = t.notes(ctx)
	}
	if err == nil {
		_, err = t.answers(ctx, "", nil)
	}
	if err == nil {
		_, err = vectorrows.New(ctx, t.pool, &vectorrows.Options{Schema: t.schema})
	}
	if err == nil {
		t.Buckets, err = raterows.New(ctx, t.pool, &raterows.Options{Schema: t.schema})
	}
	if err == nil {
		var events *eventlog.Log
		if events, err = t.events(ctx); err == nil {
			err = events.Close()
		}
	}
	return err
}

func (t *tables) close() { t.pool.Close() }

func (t *tables) threads(ctx context.Context) (Saver, error) {
	saver, err := threadrows.New(ctx, t.pool, &threadrows.Options{Schema: t.schema})
	if err != nil {
		return nil, err // and no Saver that holds a nil
	}
	return saver, nil
}

func (t *tables) notes(ctx context.Context) (store.Store, error) {
	return noterows.New(ctx, t.pool, &noterows.Options{Schema: t.schema})
}

func (t *tables) answers(ctx context.Context, corpus string, opts *qa.Options) (*qa.Memory, error) {
	rows, err := answerrows.New(ctx, t.pool, corpus, &answerrows.Options{Schema: t.schema})
	if err != nil {
		return nil, err
	}
	return qa.New(rows, opts), nil
}

func (t *tables) vectors(ctx context.Context, opts *embed.CacheOptions) (*embed.Cache, error) {
	rows, err := vectorrows.New(ctx, t.pool, &vectorrows.Options{Schema: t.schema})
	if err != nil {
		return nil, err
	}
	return embed.NewCache(rows, opts), nil
}

func (t *tables) events(ctx context.Context) (*eventlog.Log, error) {
	return eventlog.Open(ctx, t.pool, t.schema)
}
