package sqlfile

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"example.com/assay/internal/plainfile"
)

// Stamp reads a file's application id and the version of its schema, without SQLite and without
// changing anything. Both are 0 for an empty file. It does not read the log next to the file.
func Stamp(path string) (application, version int, err error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return 0, 0, err
	}
	head := make([]byte, 100)
	n, err := io.ReadFull(f, head)
	err = errors.Join(ignoring(err, io.EOF, io.ErrUnexpectedEOF), f.Close())
	if err != nil || n == 0 {
		return 0, 0, err
	}
	if n < len(head) || !bytes.HasPrefix(head, []byte("SQLite format 3\x00")) {
		return 0, 0, errors.New("it is not an SQLite database")
	}
	return int(binary.BigEndian.Uint32(head[68:])), int(binary.BigEndian.Uint32(head[60:])), nil
}

func ignoring(err error, those ...error) error {
	if slices.ContainsFunc(those, func(e error) bool { return errors.Is(err, e) }) {
		return nil
	}
	return err
}

// pagesAtOnce is the number of pages that Copy copies between two checks of its context.
const pagesAtOnce = 2000

// Copy writes the newest committed state of a file to another file, which must not exist. Other
// processes may write meanwhile and do not wait. It calls progress, unless that is nil, with the
// copied pages and all pages. After an error it leaves nothing at to.
func Copy(ctx context.Context, from, to string, progress func(done, total int)) (err error) {
	if _, err := os.Lstat(to); !errors.Is(err, os.ErrNotExist) {
		return errors.Join(fmt.Errorf("copying to %s: it exists", to), err)
	}
	defer func() {
		if err != nil {
			for _, name := range []string{to, to + "-journal", to + "-wal", to + "-shm"} {
				err = errors.Join(err, ignoring(os.Remove(name), os.ErrNotExist))
			}
		}
	}()
	copying := func(db *sql.DB) (err error) {
		conn, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, conn.Close()) }()
		// The transaction fixes the state that is copied. Without it, a commit of another process
		// would restart the copy.
		if _, err := conn.ExecContext(ctx, "BEGIN"); err != nil {
			return err
		}
		defer func() { // its error does not matter: closing the database ends the transaction, too
			_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		}()
		if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(new(int)); err != nil {
			return err
		}
		return conn.Raw(func(raw any) error { return copyPages(ctx, raw, to, progress) })
	}
	err = with(from, "mode=rw", copying)
	if code := codeOf(err); (code == codes.SQLITE_CANTOPEN || code == codes.SQLITE_READONLY || noShared(err)) && !hasLog(from) {
		return reading(ctx, from, copying) // there was no room, or no right to write
	}
	return err
}

func copyPages(ctx context.Context, raw any, to string, progress func(done, total int)) (err error) {
	source, ok := raw.(interface {
		NewBackup(uri string) (*sqlite.Backup, error)
	})
	if !ok {
		return errors.New("the library of SQLite has no online backup")
	}
	absolute, err := filepath.Abs(to)
	if err != nil {
		return err
	}
	b, err := source.NewBackup(address(absolute, Options{}))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Finish()) }()
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if more, err = b.Step(pagesAtOnce); err != nil {
			return err
		}
		if progress != nil {
			progress(b.PageCount()-b.Remaining(), b.PageCount())
		}
	}
	return nil
}

// ErrNoTables says that Verify found a file without content. The next Open makes its tables.
var ErrNoTables = errors.New("it has no tables: a process was killed before it made them, or the file was emptied")

// Verify reads a whole file and reports damage: in its structure, by SQLite's own check, and rows
// whose text is not JSON in jsonColumns, each written "table.column". It changes neither the file nor
// the log of a killed process, but makes the index of that log (-shm) if it is missing. It does not
// find a changed byte inside a row that is still well formed: SQLite has no checksums.
func Verify(ctx context.Context, path string, schema Schema, jsonColumns ...string) error {
	return reading(ctx, path, func(db *sql.DB) error {
		found, err := version(ctx, db, schema)
		if err != nil {
			return err
		}
		if found == 0 {
			var pages int
			if err := db.QueryRowContext(ctx, "PRAGMA page_count").Scan(&pages); err != nil {
				return err
			}
			if pages > 1 {
				return errors.New("it has pages and no tables")
			}
			return ErrNoTables
		}
		var verdict string
		if err := db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&verdict); err != nil {
			return err
		}
		if verdict != "ok" {
			return errors.New(strings.ReplaceAll(verdict, "\n", " "))
		}
		for _, name := range jsonColumns {
			table, column, _ := strings.Cut(name, ".")
			var bad int
			// json_valid does not take text in a blob.
			query := fmt.Sprintf("SELECT count(*) FROM %s WHERE length(%[2]s) > 0 AND NOT json_valid(CAST(%[2]s AS TEXT))", table, column)
			if err := db.QueryRowContext(ctx, query).Scan(&bad); err != nil {
				return err
			}
			if bad > 0 {
				return fmt.Errorf("%d rows of the table %s are not JSON in the column %s", bad, table, column)
			}
		}
		return nil
	})
}

// reading runs do on a connection that changes no file. It reads a file without a log as if nobody
// changed it; if a process did meanwhile, it runs do again.
func reading(ctx context.Context, path string, do func(*sql.DB) error) error {
	before, err := os.Stat(path)
	if err != nil {
		return err
	}
	if hasLog(path) {
		return with(path, "mode=ro", do)
	}
	err = with(path, "immutable=1&mode=ro", do)
	after, statErr := os.Stat(path)
	if statErr != nil {
		return errors.Join(err, statErr)
	}
	if ctx.Err() == nil && (hasLog(path) || !after.ModTime().Equal(before.ModTime()) || after.Size() != before.Size()) {
		return with(path, "mode=ro", do)
	}
	return err
}

func hasLog(path string) bool {
	info, err := os.Stat(path + "-wal")
	return err == nil && info.Size() > 0
}

// with runs do on connections that are opened in one of SQLite's modes.
func with(path, mode string, do func(*sql.DB) error) error {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", address(absolute, Options{Busy: DefaultBusy}, "query_only(1)")+"&"+mode)
	if err != nil {
		return err
	}
	return errors.Join(do(db), db.Close())
}

// Full reports whether an error of SQLite says that the disk has no room.
func Full(err error) bool { return codeOf(err) == codes.SQLITE_FULL }

// noShared reports whether the index of the log, which processes share, cannot be made larger. That
// is SQLite's error for a full disk.
func noShared(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code() == codes.SQLITE_IOERR_SHMSIZE
}

// ReadOnly reports whether an error of SQLite says that a file cannot be written.
func ReadOnly(err error) bool { return codeOf(err) == codes.SQLITE_READONLY }

// IOFailed reports whether an error of SQLite says that the system failed to read or write.
func IOFailed(err error) bool { return codeOf(err) == codes.SQLITE_IOERR }
