package postgres

import "example.com/assay/internal/pgschema"

// ErrNewer reports tables that a newer version of this package has made.
var ErrNewer = pgschema.ErrNewer

// tables are those of a store. Keys and values are text for people who look at them; keys
// sort by bytes.
var tables = pgschema.Tables{Log: "store_migrations", Columns: "version integer PRIMARY KEY, made timestamptz NOT NULL DEFAULT now()", Steps: []string{`
		CREATE TABLE {s}.store_items (
			path    bytea NOT NULL,
			key     text COLLATE "C" NOT NULL,
			value   text NOT NULL,
			created bigint NOT NULL,
			updated bigint NOT NULL,
			ttl     bigint NOT NULL,
			expires bigint NOT NULL,
			vectors bytea NOT NULL,
			PRIMARY KEY (path, key)
		);
		CREATE INDEX store_items_expires ON {s}.store_items (expires);`,
}}
