package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

// application marks our files, so that another program's are not written to.
const application = 0x41737361

// migrations bring a file from the version of their index to the next. The
// version is SQLite's user_version. One that was released never changes.
var migrations = [...]string{
	`CREATE TABLE checkpoints (
		thread TEXT NOT NULL, namespace TEXT NOT NULL, id TEXT NOT NULL,
		parent TEXT NOT NULL, base TEXT NOT NULL, source TEXT NOT NULL,
		step INTEGER NOT NULL, time INTEGER NOT NULL, -- microseconds since 1970
		run TEXT NOT NULL, graph TEXT NOT NULL, fingerprint TEXT NOT NULL, version INTEGER NOT NULL,
		metadata TEXT NOT NULL, -- a JSON object with sorted keys, or nothing
		data BLOB,
		PRIMARY KEY (thread, namespace, id));
	CREATE TABLE records (
		thread TEXT NOT NULL, namespace TEXT NOT NULL, checkpoint TEXT NOT NULL,
		task TEXT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, data BLOB,
		PRIMARY KEY (thread, namespace, checkpoint, task, kind, key));`,
}

// firstConn returns the connection that writes, once the file's schema is that
// of this package. While another process makes the file, SQLite reports it as
// busy without waiting.
func firstConn(ctx context.Context, db *sql.DB, patience time.Duration) (*sql.Conn, error) {
	deadline := time.Now().Add(patience)
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		conn, err := db.Conn(ctx)
		if err == nil {
			if err = migrate(ctx, conn); err == nil {
				return conn, nil
			}
			err = errors.Join(err, conn.Close())
		}
		if !isBusy(err) || time.Now().Add(pause).After(deadline) {
			return nil, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func isBusy(err error) bool {
	var e *driver.Error
	if !errors.As(err, &e) {
		return false
	}
	code := e.Code() & 0xff // the rest says why
	return code == codes.SQLITE_BUSY || code == codes.SQLITE_LOCKED
}

func migrate(ctx context.Context, conn *sql.Conn) error {
	if version, err := schemaVersion(ctx, conn); err != nil || version == len(migrations) {
		return err
	}
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := migrateInside(ctx, conn)
	if err == nil {
		_, err = conn.ExecContext(ctx, "COMMIT")
	}
	if err != nil {
		// What cannot be rolled back was already; the first error says why.
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	}
	return err
}

// migrateInside asks for the version once more: another process may have been
// faster.
func migrateInside(ctx context.Context, conn *sql.Conn) error {
	version, err := schemaVersion(ctx, conn)
	if err != nil {
		return err
	}
	for ; version < len(migrations); version++ {
		if _, err := conn.ExecContext(ctx, migrations[version]); err != nil {
			return fmt.Errorf("bringing the schema to version %d: %w", version+1, err)
		}
	}
	_, err = conn.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", version, application))
	return err
}

// schemaVersion returns 0 for a file that holds nothing.
func schemaVersion(ctx context.Context, conn *sql.Conn) (int, error) {
	// One statement sees the file at one moment, also while another process makes
	// it.
	var version, app, tables int
	err := conn.QueryRowContext(ctx, `SELECT (SELECT user_version FROM pragma_user_version),
		(SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM sqlite_schema)`).Scan(&version, &app, &tables)
	if err != nil {
		return 0, err
	}
	switch {
	case app != application && (app != 0 || version != 0 || tables != 0):
		return 0, errors.New("the file is a database of another program")
	case version > len(migrations):
		return 0, fmt.Errorf("its schema has version %d, and this program knows versions up to %d: use a later one", version, len(migrations))
	}
	return version, nil
}
