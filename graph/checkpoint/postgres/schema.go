package postgres

import "example.com/assay/internal/pgschema"

// tables are the tables of checkpoints. thread and space are keys for the names of threads and
// namespaces. The collation "C" orders by bytes. must ends a transaction with the error code stale.
var tables = pgschema.Tables{Log: "migrations", Columns: pgschema.LogColumns, Steps: []string{
	`CREATE TABLE {s}.threads (
		key bytea PRIMARY KEY, name text COLLATE "C" NOT NULL);
	CREATE INDEX threads_by_name ON {s}.threads (left(name, 200));
	CREATE TABLE {s}.checkpoints (
		thread bytea NOT NULL, space bytea NOT NULL, id text COLLATE "C" NOT NULL,
		namespace text COLLATE "C" NOT NULL, parent text COLLATE "C" NOT NULL, base text COLLATE "C" NOT NULL,
		source text COLLATE "C" NOT NULL, step bigint NOT NULL, time timestamptz NOT NULL,
		run text COLLATE "C" NOT NULL, graph text NOT NULL, fingerprint text NOT NULL, version bigint NOT NULL,
		metadata jsonb NOT NULL, data bytea NOT NULL,
		PRIMARY KEY (thread, space, id));
	CREATE TABLE {s}.records (
		thread bytea NOT NULL, space bytea NOT NULL, checkpoint text COLLATE "C" NOT NULL, record bytea NOT NULL,
		namespace text NOT NULL, task text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL,
		key text COLLATE "C" NOT NULL, data bytea NOT NULL,
		PRIMARY KEY (thread, space, checkpoint, record));
	CREATE FUNCTION {s}.must(ok boolean) RETURNS void LANGUAGE plpgsql AS
		'BEGIN IF NOT ok THEN RAISE EXCEPTION ''stale'' USING ERRCODE = ''` + stale + `''; END IF; END'`,
}}
