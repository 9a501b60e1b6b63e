package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

var (
	// ErrNewer is a file that a newer version of this package has written.
	ErrNewer = errors.New("the file is of a newer version")
	// ErrForeign is a file that is not a store: of another program, or no database.
	ErrForeign = errors.New("the file is not a store")
)

// application is what SQLite's application_id says of a store: "ASst".
const application = 0x41537374

// migrations are the steps from each version of the schema to the next. The
// number of those that were made is the file's user_version.
func migrations() []string {
	return []string{`
		CREATE TABLE items (
			path    BLOB NOT NULL,
			key     TEXT NOT NULL,
			value   TEXT NOT NULL,
			created INTEGER NOT NULL,
			updated INTEGER NOT NULL,
			ttl     INTEGER NOT NULL,
			expires INTEGER NOT NULL,
			vectors BLOB NOT NULL,
			PRIMARY KEY (path, key)
		) STRICT;
		CREATE INDEX items_expires ON items (expires);`}
}

// migrate brings the file to this version. Several processes may do so at once.
func migrate(ctx context.Context, db *sql.DB, busy time.Duration) error {
	// It is looked at before anything is written, since WAL mode is.
	if err := check(ctx, db); err != nil {
		return err
	}
	if err := useWAL(ctx, db, busy); err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	version, err := versionOf(ctx, tx)
	if err != nil {
		return err
	}
	for i, step := range migrations()[version:] {
		if _, err := tx.ExecContext(ctx, step); err != nil {
			return fmt.Errorf("migrating to version %d: %w", version+i+1, err)
		}
	}
	mark := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", application, len(migrations()))
	if version < len(migrations()) {
		if _, err := tx.ExecContext(ctx, mark); err != nil {
			return fmt.Errorf("marking the version: %w", err)
		}
	}
	return tx.Commit()
}

func check(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err == nil {
		defer tx.Rollback()
		_, err = versionOf(ctx, tx)
	}
	var serr *sqlite.Error
	if errors.As(err, &serr) && serr.Code()&0xff == sqlite3.SQLITE_NOTADB {
		return fmt.Errorf("%w: %w", ErrForeign, err)
	}
	return err
}

// versionOf returns the file's version, 0 for an empty one.
func versionOf(ctx context.Context, tx *sql.Tx) (int, error) {
	var id, version, tables int
	err := tx.QueryRowContext(ctx, `SELECT
		(SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version),
		(SELECT count(*) FROM sqlite_schema)`).Scan(&id, &version, &tables)
	switch {
	case err != nil:
		return 0, fmt.Errorf("reading the version: %w", err)
	case id == 0 && version == 0 && tables == 0:
		return 0, nil
	case id != application:
		return 0, ErrForeign
	case version > len(migrations()):
		return 0, fmt.Errorf("%w: it has %d, this program knows %d", ErrNewer, version, len(migrations()))
	}
	return version, nil
}

// useWAL tries again, because the switch to WAL does not wait for other
// processes that make it, whatever the busy timeout.
func useWAL(ctx context.Context, db *sql.DB, busy time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, busy)
	defer cancel()
	for {
		var mode string
		err := db.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode)
		var serr *sqlite.Error
		switch {
		case err == nil && mode == "wal":
			return nil
		case err == nil:
			return fmt.Errorf("switching to WAL: the mode stays %q", mode)
		case !errors.As(err, &serr) || serr.Code()&0xff != sqlite3.SQLITE_BUSY:
			return fmt.Errorf("switching to WAL: %w", err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("switching to WAL: %w", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
