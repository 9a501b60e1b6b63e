package postgres

import (
	"strings"

	"example.com/assay/internal/pgschema"
)

// stale is the error code that ends a transaction for graph.ErrStale.
const stale = "AS001"

// The parts of a change. A statement that must change one row ends the transaction if it finds
// none.
const (
	lockThread   = `SELECT pg_advisory_xact_lock($1::bigint)`
	nameThread   = `INSERT INTO {s}.threads VALUES ($1::bytea, $2::text) ON CONFLICT DO NOTHING`
	unnameThread = `DELETE FROM {s}.threads WHERE key = $1::bytea
		AND NOT EXISTS (SELECT 1 FROM {s}.checkpoints WHERE thread = $1::bytea)`
	clearThread = `WITH r AS (DELETE FROM {s}.records WHERE thread = $1::bytea)
		DELETE FROM {s}.checkpoints WHERE thread = $1::bytea`
	removeSpace = `WITH r AS (DELETE FROM {s}.records WHERE thread = $1::bytea AND space = $2::bytea)
		DELETE FROM {s}.checkpoints WHERE thread = $1::bytea AND space = $2::bytea`
	removeOne = `WITH r AS (DELETE FROM {s}.records WHERE thread = $1::bytea AND space = $2::bytea AND checkpoint = $3::text)
		DELETE FROM {s}.checkpoints WHERE thread = $1::bytea AND space = $2::bytea AND id = $3::text`
	addOne = `WITH done AS (INSERT INTO {s}.checkpoints
			SELECT $1::bytea, $2::bytea, $3::text, $4::text, $5::text, $6::text, $7::text, $8::bigint, $9::timestamptz,
				$10::text, $11::text, $12::text, $13::bigint, $14::jsonb, $15::bytea
			WHERE ($5::text = '' OR EXISTS (SELECT 1 FROM {s}.checkpoints WHERE thread = $1::bytea AND space = $2::bytea AND id = $5::text))
			AND ($6::text = $3::text OR EXISTS (SELECT 1 FROM {s}.checkpoints WHERE thread = $1::bytea AND space = $2::bytea AND id = $6::text))
			ON CONFLICT DO NOTHING RETURNING 1)
		SELECT {s}.must((SELECT count(*) FROM done) = 1)`
	replaceOne = `WITH done AS (UPDATE {s}.checkpoints SET parent = $5::text, base = $6::text, source = $7::text, step = $8::bigint,
			time = $9::timestamptz, run = $10::text, graph = $11::text, fingerprint = $12::text, version = $13::bigint,
			metadata = $14::jsonb, data = $15::bytea
			WHERE thread = $1::bytea AND space = $2::bytea AND id = $3::text AND namespace = $4::text RETURNING 1)
		SELECT {s}.must((SELECT count(*) FROM done) = 1)`
	forgetKind = `DELETE FROM {s}.records WHERE thread = $1::bytea AND space = $2::bytea AND checkpoint = $3::text AND kind = $4::text`
	addRecord  = `WITH done AS (INSERT INTO {s}.records
			SELECT $1::bytea, $2::bytea, $3::text, $4::bytea, $5::text, $6::text, $7::text, $8::text, $9::bytea
			WHERE EXISTS (SELECT 1 FROM {s}.checkpoints WHERE thread = $1::bytea AND space = $2::bytea AND id = $3::text)
			ON CONFLICT (thread, space, checkpoint, record) DO UPDATE SET data = excluded.data RETURNING 1)
		SELECT {s}.must((SELECT count(*) FROM done) = 1)`
)

const columns = `c.namespace, c.id, c.parent, c.base, c.source, c.step, c.time, c.run, c.graph, c.fingerprint, c.version, c.metadata, c.data`

const (
	// Both queries of a load see the same commits.
	beginLoad = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`
	endLoad   = `COMMIT`
	wanted    = `CASE WHEN $3::text <> '' THEN $3::text
		ELSE (SELECT max(id) FROM {s}.checkpoints WHERE thread = $1::bytea AND space = $2::bytea) END`
	// A parent must be older, or the walk would not end: after Replace it may be newer.
	loadLineage = `WITH RECURSIVE walk AS (
			SELECT id, parent, base FROM {s}.checkpoints WHERE thread = $1::bytea AND space = $2::bytea AND id = ` + wanted + `
			UNION ALL
			SELECT c.id, c.parent, walk.base FROM walk JOIN {s}.checkpoints c
			ON c.thread = $1::bytea AND c.space = $2::bytea AND c.id = walk.parent WHERE walk.id <> walk.base AND c.id < walk.id)
		SELECT ` + columns + ` FROM walk JOIN {s}.checkpoints c ON c.thread = $1::bytea AND c.space = $2::bytea AND c.id = walk.id
		ORDER BY c.id`
	loadRecords = `SELECT namespace, checkpoint, task, kind, key, data FROM {s}.records
		WHERE thread = $1::bytea AND space = $2::bytea AND checkpoint = ` + wanted + ` ORDER BY task, kind, key`
	loadAllRecords = `SELECT namespace, checkpoint, task, kind, key, data FROM {s}.records
		WHERE thread = $1::bytea ORDER BY namespace, checkpoint, task, kind, key`
	listSpaces = `SELECT DISTINCT namespace FROM {s}.checkpoints WHERE thread = $1::bytea ORDER BY namespace`
	// Select rows while the bytes of Data before them are still few.
	listSome = `SELECT ` + columns + ` FROM (
			SELECT c.*, sum(octet_length(c.data)) OVER (ORDER BY c.id DESC) - octet_length(c.data) AS bytes FROM (
				SELECT * FROM {s}.checkpoints WHERE thread = $1::bytea AND space = $2::bytea
				AND ($3::text = '' OR parent = $3::text) AND ($4::text = '' OR source = $4::text) AND ($5::text = '' OR run = $5::text)
				AND metadata @> $6::jsonb {before} ORDER BY id DESC LIMIT $7::bigint) c) c
		WHERE bytes < $8::bigint ORDER BY id DESC`
	listBefore  = `AND id < $9::text`
	listThreads = `SELECT t.name, c.n, c.updated FROM (
			SELECT * FROM {s}.threads WHERE left(name, 200) >= left($1::text, 200) AND name >= $1::text
			ORDER BY left(name, 200), name LIMIT $2::bigint) t
		CROSS JOIN LATERAL (SELECT count(*) AS n, max(time) AS updated FROM {s}.checkpoints WHERE thread = t.key) c
		ORDER BY t.name`
)

// statements are the SQL statements above, with the schema's name in them.
type statements struct {
	nameThread, unnameThread, clear, removeSpace, removeOne, add, replace, forget, record string
	lineage, records, allRecords, spaces, list, listBefore, threads                       string
}

func newStatements(schema string) statements {
	in := pgschema.In
	return statements{
		nameThread: in(schema, nameThread), unnameThread: in(schema, unnameThread), clear: in(schema, clearThread),
		removeSpace: in(schema, removeSpace), removeOne: in(schema, removeOne),
		add: in(schema, addOne), replace: in(schema, replaceOne), forget: in(schema, forgetKind), record: in(schema, addRecord),
		lineage: in(schema, loadLineage), records: in(schema, loadRecords), allRecords: in(schema, loadAllRecords), spaces: in(schema, listSpaces),
		list:       in(schema, strings.Replace(listSome, "{before}", "", 1)),
		listBefore: in(schema, strings.Replace(listSome, "{before}", listBefore, 1)),
		threads:    in(schema, listThreads),
	}
}
