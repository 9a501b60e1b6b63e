// Package postgres stores answers in a PostgreSQL database, which any number of machines may use.
//
//	rows, err := postgres.New(ctx, pool, "law", nil)
//	if err != nil {
//		return err
//	}
//	m := qa.New(rows, &qa.Options{Embed: corpus.Embed})
//
// The corpus's name separates its answers from those of other corpora. Changes of one corpus wait
// for one another. The package does not close the pool.
package postgres

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/assay/internal/pgschema"
	"example.com/assay/memory/qa"
)

// tables are the tables of answers. Their version also covers the data derived from questions, as
// in a memory's file. Question and answer are bytes: a text may contain a zero byte, which
// PostgreSQL's text type does not allow.
var tables = pgschema.Tables{Log: "qa_migrations", Columns: pgschema.LogColumns, Steps: []string{`
	CREATE TABLE {s}.qa_scopes (
		scope bytea PRIMARY KEY, corpus text COLLATE "C" NOT NULL, conditions text NOT NULL);
	CREATE INDEX qa_scopes_corpus ON {s}.qa_scopes (corpus);
	CREATE TABLE {s}.qa_entries (
		corpus     text COLLATE "C" NOT NULL,
		id         text COLLATE "C" NOT NULL,
		seq        bigint NOT NULL,
		scope      bytea NOT NULL,
		shape      bigint NOT NULL,
		words      bigint[] NOT NULL,
		question   bytea NOT NULL,
		answer     bytea NOT NULL,
		payload    bytea,
		confidence double precision NOT NULL,
		stored     bigint NOT NULL,
		served     bigint NOT NULL DEFAULT 0,
		last       bigint NOT NULL DEFAULT 0,
		PRIMARY KEY (corpus, id));
	CREATE UNIQUE INDEX qa_entries_seq ON {s}.qa_entries (corpus, seq);
	CREATE INDEX qa_entries_shape ON {s}.qa_entries (scope, shape, seq);
	CREATE TABLE {s}.qa_words (
		scope bytea NOT NULL, word bigint NOT NULL, seq bigint NOT NULL,
		PRIMARY KEY (scope, word, seq));`,
}}

// Options configure [New]. Nil means the zero value.
type Options struct {
	// Schema is the schema of the tables, created if needed. Default: "assay".
	Schema string
}

// Version returns the version of the tables in a schema, 0 if there are none, and the newest that
// this program knows. Tables of a later version are an error.
func Version(ctx context.Context, pool *pgxpool.Pool, schema string) (have, newest int, err error) {
	return tables.Versions(ctx, pool, schema)
}

// rows are qa.Rows.
type rows struct {
	pool   *pgxpool.Pool
	schema string
	corpus string
}

// New returns the rows of a corpus, and creates the tables or migrates them to this version.
// Closing the rows does not close the pool.
func New(ctx context.Context, pool *pgxpool.Pool, corpus string, opts *Options) (qa.Rows, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	schema, err := tables.Open(ctx, pool, o.Schema)
	if err != nil {
		return nil, fmt.Errorf("opening the memory of answers: %w", err)
	}
	return &rows{pool, schema, corpus}, nil
}

func (r *rows) Close() error { return nil }

// scope is the key of conditions within the corpus.
func (r *rows) scope(conditions string) []byte {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%d %s%s", len(r.corpus), r.corpus, conditions)))
	return sum[:16]
}

// query reads all rows of a statement, in which {s} is replaced by the schema.
func query[T any](ctx context.Context, r *rows, read pgx.RowToFunc[T], statement string, args ...any) ([]T, error) {
	found, err := r.pool.Query(ctx, pgschema.In(r.schema, statement), args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(found, read)
}

const headColumns = "e.id, s.conditions, e.question, e.confidence, e.stored, e.served, e.last"

func scanHead(row pgx.CollectableRow) (r qa.Row, err error) {
	var question []byte
	err = row.Scan(&r.ID, &r.Conditions, &question, &r.Confidence, &r.Stored, &r.Served, &r.Last)
	r.Question = string(question)
	return r, err
}

func (r *rows) Read(ctx context.Context, id string) (qa.Row, bool, error) {
	found, err := query(ctx, r, func(row pgx.CollectableRow) (out qa.Row, err error) {
		var question, answer []byte
		err = row.Scan(&out.ID, &out.Conditions, &question, &out.Confidence, &out.Stored, &out.Served, &out.Last, &answer, &out.Payload)
		out.Question, out.Answer = string(question), string(answer)
		return out, err
	}, "SELECT "+headColumns+", e.answer, e.payload FROM {s}.qa_entries e JOIN {s}.qa_scopes s USING (scope) WHERE e.corpus = $1 AND e.id = $2", r.corpus, id)
	if err != nil || len(found) == 0 {
		return qa.Row{}, false, err
	}
	return found[0], true, nil
}

func (r *rows) List(ctx context.Context, begin string, limit int) ([]qa.Row, error) {
	var most *int // NULL means no limit
	if limit > 0 {
		most = &limit
	}
	// No digit is greater than g.
	return query(ctx, r, scanHead, `SELECT `+headColumns+` FROM {s}.qa_entries e JOIN {s}.qa_scopes s USING (scope)
		WHERE e.corpus = $1 AND e.id >= $2 AND e.id < $2 || 'g' ORDER BY e.seq DESC LIMIT $3`, r.corpus, begin, most)
}

func scanCandidate(row pgx.CollectableRow) (c qa.Candidate, err error) {
	var question []byte
	err = row.Scan(&c.Number, &c.ID, &question)
	c.Question = string(question)
	return c, err
}

func (r *rows) Shaped(ctx context.Context, conditions string, shape int64, limit int) ([]qa.Candidate, error) {
	return query(ctx, r, scanCandidate, `SELECT seq, id, question FROM {s}.qa_entries
		WHERE scope = $1 AND shape = $2 ORDER BY seq DESC LIMIT $3`, r.scope(conditions), shape, limit)
}

func (r *rows) Sharing(ctx context.Context, conditions string, words []int64, limit int) ([][]int64, error) {
	out := make([][]int64, len(words))
	_, err := query(ctx, r, func(row pgx.CollectableRow) (_ struct{}, err error) {
		var at int
		var number int64
		if err = row.Scan(&at, &number); err == nil {
			out[at-1] = append(out[at-1], number)
		}
		return struct{}{}, err
	}, `SELECT w.at, n.seq FROM unnest($2::bigint[]) WITH ORDINALITY AS w (word, at)
		CROSS JOIN LATERAL (SELECT seq FROM {s}.qa_words WHERE scope = $1 AND word = w.word ORDER BY seq DESC LIMIT $3) AS n
		ORDER BY w.at, n.seq DESC`, r.scope(conditions), words, limit)
	return out, err
}

func (r *rows) Questions(ctx context.Context, numbers []int64) ([]qa.Candidate, error) {
	return query(ctx, r, scanCandidate, `SELECT seq, id, question FROM {s}.qa_entries WHERE corpus = $1 AND seq = ANY($2)`, r.corpus, numbers)
}

// change makes a change in one transaction, while no other changes the corpus.
func (r *rows) change(ctx context.Context, make func(pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, r.pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", "assay answers "+r.schema+"."+r.corpus); err != nil {
			return err
		}
		return make(tx)
	})
}

// forget ends a statement whose part gone deletes entries: their words go too.
const forget = ` DELETE FROM {s}.qa_words w USING gone WHERE w.scope = gone.scope AND w.word = ANY (gone.words) AND w.seq = gone.seq`

const (
	deleteIDs = `WITH gone AS (DELETE FROM {s}.qa_entries WHERE corpus = $1 AND id = ANY ($2) RETURNING scope, words, seq)` + forget
	addScope  = `INSERT INTO {s}.qa_scopes (scope, corpus, conditions) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`
	addEntry  = `WITH added AS (
			INSERT INTO {s}.qa_entries (corpus, id, seq, scope, shape, words, question, answer, payload, confidence, stored)
			SELECT $1, $2, coalesce(max(seq), 0) + 1, $3::bytea, $4::bigint, $5::bigint[], $6::bytea, $7::bytea, $8::bytea, $9::float8, $10::bigint
			FROM {s}.qa_entries WHERE corpus = $1 RETURNING seq),
		words AS (INSERT INTO {s}.qa_words SELECT $3::bytea, word, seq FROM added, unnest($5::bigint[]) AS word)
		SELECT seq - coalesce((SELECT min(seq) FROM {s}.qa_entries WHERE corpus = $1), seq) FROM added`
	deleteOldest = `WITH gone AS (DELETE FROM {s}.qa_entries WHERE corpus = $1 AND seq IN (
			SELECT seq FROM {s}.qa_entries WHERE corpus = $1 ORDER BY seq LIMIT (
				SELECT CASE WHEN count(*) > $2 THEN count(*) - $2 + $2 / 100 ELSE 0 END FROM {s}.qa_entries WHERE corpus = $1))
			RETURNING scope, words, seq)` + forget
)

func (r *rows) Write(ctx context.Context, row qa.Row, keep int) error {
	return r.change(ctx, func(tx pgx.Tx) error {
		var span int64 // between the numbers of the oldest and the newest
		batch := &pgx.Batch{}
		scope := r.scope(row.Conditions)
		batch.Queue(pgschema.In(r.schema, deleteIDs), r.corpus, []string{row.ID})
		batch.Queue(pgschema.In(r.schema, addScope), scope, r.corpus, row.Conditions)
		words := append([]int64{}, row.Words...) // an empty list, since NULL is refused
		batch.Queue(pgschema.In(r.schema, addEntry), r.corpus, row.ID, scope, row.Shape, words, []byte(row.Question), []byte(row.Answer), row.Payload, row.Confidence, row.Stored).
			QueryRow(func(found pgx.Row) error { return found.Scan(&span) })
		if err := tx.SendBatch(ctx, batch).Close(); err != nil || span < int64(keep) {
			return err
		}
		_, err := tx.Exec(ctx, pgschema.In(r.schema, deleteOldest), r.corpus, int64(keep))
		return err
	})
}

func (r *rows) Serve(ctx context.Context, id string, now int64) error {
	_, err := r.pool.Exec(ctx, pgschema.In(r.schema, "UPDATE {s}.qa_entries SET served = served + 1, last = $3 WHERE corpus = $1 AND id = $2"), r.corpus, id, now)
	return err
}

func (r *rows) Delete(ctx context.Context, ids []string) error {
	return r.change(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, pgschema.In(r.schema, deleteIDs), r.corpus, ids)
		return err
	})
}

func (r *rows) DeleteOthers(ctx context.Context, conditions string) (removed []qa.Row, err error) {
	err = r.change(ctx, func(tx pgx.Tx) error {
		scope := r.scope(conditions)
		found, err := tx.Query(ctx, pgschema.In(r.schema, `WITH gone AS (
				DELETE FROM {s}.qa_entries WHERE corpus = $1 AND scope <> $2 RETURNING *)
			SELECT `+headColumns+` FROM gone e JOIN {s}.qa_scopes s USING (scope) ORDER BY e.seq DESC`), r.corpus, scope)
		if err == nil {
			removed, err = pgx.CollectRows(found, scanHead)
		}
		for _, statement := range []string{
			"DELETE FROM {s}.qa_words WHERE scope IN (SELECT scope FROM {s}.qa_scopes WHERE corpus = $1 AND scope <> $2)",
			"DELETE FROM {s}.qa_scopes WHERE corpus = $1 AND scope <> $2",
		} {
			if err == nil {
				_, err = tx.Exec(ctx, pgschema.In(r.schema, statement), r.corpus, scope)
			}
		}
		return err
	})
	return removed, err
}

func (r *rows) Count(ctx context.Context, conditions string) (s qa.Stats, err error) {
	var oldest, newest *int64
	err = r.pool.QueryRow(ctx, pgschema.In(r.schema, `SELECT count(*), count(*) FILTER (WHERE scope <> $2), coalesce(sum(served), 0)::bigint, min(stored), max(stored),
			coalesce(sum(pg_column_size(question) + pg_column_size(answer) + coalesce(pg_column_size(payload), 0)), 0)::bigint
		FROM {s}.qa_entries WHERE corpus = $1`), r.corpus, r.scope(conditions)).Scan(&s.Entries, &s.Stale, &s.Served, &oldest, &newest, &s.Bytes)
	if err == nil && oldest != nil {
		s.Oldest, s.Newest = time.UnixMicro(*oldest).UTC(), time.UnixMicro(*newest).UTC()
	}
	return s, err
}
