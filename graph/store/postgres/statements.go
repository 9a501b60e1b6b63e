package postgres

import "example.com/assay/internal/pgschema"

// statements are the SQL for one schema.
type statements struct {
	put, delete, refresh, vectors, read, scan, paths, sweep string
}

func statementsFor(schema string) statements {
	items := pgschema.In(schema, "{s}.store_items")
	live := `FROM ` + items + ` WHERE path >= $1 AND path < $2 AND expires > $3 `
	return statements{
		put: `INSERT INTO ` + items + ` AS i (path, key, value, created, updated, ttl, expires, vectors)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
			ON CONFLICT (path, key) DO UPDATE SET
				value = excluded.value, updated = excluded.updated, ttl = excluded.ttl,
				expires = excluded.expires, vectors = excluded.vectors,
				created = CASE WHEN i.expires > excluded.updated THEN i.created ELSE excluded.created END`,
		delete: `DELETE FROM ` + items + ` WHERE path = $1 AND key = $2`,
		refresh: `UPDATE ` + items + ` SET expires = greatest(expires, $3::bigint + ttl)
			WHERE path = $1 AND key = $2`,
		vectors: `UPDATE ` + items + ` SET vectors = $3
			WHERE path = $1 AND key = $2 AND updated = $4 AND value = $5`,
		read: `SELECT path, key, value, created, updated, ttl, expires, ''::bytea FROM ` + items + `
			WHERE path = $1 AND key = $2`,
		scan: `SELECT path, key, value, created, updated, ttl, expires, CASE WHEN $4 THEN vectors ELSE '' END ` + live + `
			AND (path, key) > ($5::bytea, $6::text) ORDER BY path, key LIMIT $7`,
		paths: `SELECT DISTINCT path ` + live + `AND path > $4 ORDER BY path LIMIT $5`,
		// A locked row is being changed and waits for the next sweep: waiting for it here could
		// deadlock.
		sweep: `WITH expired AS (
				SELECT path, key FROM ` + items + ` WHERE expires <= $1 FOR UPDATE SKIP LOCKED)
			DELETE FROM ` + items + ` AS i USING expired AS e WHERE i.path = e.path AND i.key = e.key`,
	}
}
