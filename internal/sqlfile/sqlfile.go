// Package sqlfile opens all SQLite files of the project in the same way.
//
//	f, err := sqlfile.Open(ctx, "answers.db", schema, nil)
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//
// A file has one connection that writes, and a pool of connections that only read. It is in WAL mode:
// readers and the writer do not wait for each other, and writers of several processes do. The library
// is SQLite translated to Go, which needs no C compiler and nothing installed.
//
// The package knows no table. A file must be on a local disk, because the processes share the index
// of SQLite's log in memory.
package sqlfile

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"example.com/assay/internal/again"
)

// A Schema describes the files of one kind.
type Schema struct {
	Application int // SQLite's application_id, which identifies our files
	// Steps[i] brings a file from version i, SQLite's user_version, to the next. A
	// released step never changes.
	Steps []string
}

// Readers is the number of connections on which a process reads a file at the same time; further
// readers wait. A goroutine that holds one must not wait for a second.
const Readers = 4

// DefaultBusy is how long a call waits for other processes by default.
const DefaultBusy = 10 * time.Second

// Options adjust Open. Nil and the zero value mean the defaults.
type Options struct {
	Synchronous string        // when a commit is on the disk, in SQLite's words; default FULL
	Busy        time.Duration // how long a call waits for other processes; default DefaultBusy. Open waits at least DefaultBusy
	Pragmas     []string      // further ones of the connection that writes, such as "secure_delete(ON)"
}

// A File is an open file.
type File struct {
	Write *sql.DB // one connection; its transactions lock the file when they begin
	Read  *sql.DB // at most Readers connections
}

// Errors of Open. It does not change a file that it refuses.
var (
	ErrForeign = errors.New("it is a database of another program; move it away")
	ErrNewer   = errors.New("it was written by a later version of this program; use that, or move it away")
)

var errInUse = errors.New("it is in use")

// Open opens a file and brings its schema to the last version. It makes a missing file, but not its
// folder. Callers should expect ErrForeign, ErrNewer and errors that Damaged recognises. Errors do
// not name the file.
func Open(ctx context.Context, path string, schema Schema, opts *Options) (*File, error) {
	o := Options{}
	if opts != nil {
		o = *opts
	}
	if o.Busy <= 0 {
		o.Busy = DefaultBusy
	}
	return open(ctx, path, schema, o, max(o.Busy, DefaultBusy))
}

// open is Open with all options set. They bound SQLite's own waiting; patience bounds the retries
// when SQLite does not wait.
func open(ctx context.Context, path string, schema Schema, o Options, patience time.Duration) (*File, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	f := &File{}
	if f.Write, err = sql.Open("sqlite", address(absolute, o, o.Pragmas...)+"&_txlock=immediate"); err != nil {
		return nil, err
	}
	f.Write.SetMaxOpenConns(1)
	waiting, cancel := context.WithTimeoutCause(ctx, patience, errInUse)
	defer cancel()
	// A file that others write all the time needs several short tries, not one long wait: soon one
	// of them has made its tables.
	err = WhileBusy(waiting, func() error {
		if err := busyTimeout(ctx, f.Write, 100*time.Millisecond); err != nil {
			return err
		}
		return prepare(ctx, f.Write, schema)
	})
	if err == nil {
		err = busyTimeout(ctx, f.Write, o.Busy)
	}
	if err == nil {
		f.Read, err = sql.Open("sqlite", address(absolute, o, "query_only(1)"))
	}
	if err != nil {
		return nil, errors.Join(err, f.Write.Close())
	}
	f.Read.SetMaxOpenConns(Readers)
	f.Read.SetMaxIdleConns(Readers)
	return f, nil
}

// Look opens a file for a reader that must leave nothing behind: it makes no database and no log. For
// the log of a killed process, SQLite makes the index (-shm). Look checks neither the file's
// application nor its version. It sees committed rows if nobody else has the file open, or while the
// log of others is there.
func Look(path string) (*sql.DB, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	mode := "&mode=ro"
	if _, err := os.Stat(absolute + "-wal"); err != nil {
		mode += "&immutable=1" // else SQLite makes a log
	}
	return sql.Open("sqlite", address(absolute, Options{}, "query_only(1)")+mode)
}

// Close waits for running calls and closes the file.
func (f *File) Close() error {
	return errors.Join(f.Read.Close(), f.Write.Close()) // the writer closes last and cleans up the log
}

// address is the driver's name for a file: a URI, because a path may contain a question mark. Its
// pragmas apply to each connection.
func address(path string, o Options, pragmas ...string) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") { // a drive's letter
		slashed = "/" + slashed
	}
	all := append([]string{fmt.Sprintf("busy_timeout(%d)", o.Busy.Milliseconds()), "synchronous(" + cmp.Or(o.Synchronous, "FULL") + ")"}, pragmas...)
	return "file://" + (&url.URL{Path: slashed}).EscapedPath() + "?" + url.Values{"_pragma": all}.Encode()
}

// busyTimeout sets how long the connection that writes waits for other processes.
func busyTimeout(ctx context.Context, db *sql.DB, wait time.Duration) error {
	_, err := db.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", wait.Milliseconds()))
	return err
}

// prepare brings a file to WAL mode and to the last version of its schema. Several processes may do
// so at the same time.
func prepare(ctx context.Context, db *sql.DB, schema Schema) error {
	// Checked before anything is written: the file may belong to another program.
	found, err := version(ctx, db, schema)
	if err != nil {
		return err
	}
	var mode string
	if err := db.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
		return fmt.Errorf("switching to WAL: %w", err)
	}
	if mode != "wal" {
		return fmt.Errorf("switching to WAL: the mode stays %q", mode)
	}
	if found == len(schema.Steps) {
		return nil
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()                                    // after Commit there is nothing to undo
	if found, err = version(ctx, tx, schema); err != nil { // another process may have been faster
		return err
	}
	for ; found < len(schema.Steps); found++ {
		if _, err := tx.ExecContext(ctx, schema.Steps[found]); err != nil {
			return fmt.Errorf("bringing the schema to version %d: %w", found+1, err)
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", schema.Application, found)); err != nil {
		return fmt.Errorf("marking the version: %w", err)
	}
	return tx.Commit()
}

// version returns the version of a file's schema, 0 for an empty file.
func version(ctx context.Context, db interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}, schema Schema) (int, error) {
	// One statement gives a consistent view, even while another process makes the file.
	var found, application, tables int
	err := db.QueryRowContext(ctx, `SELECT (SELECT user_version FROM pragma_user_version),
		(SELECT application_id FROM pragma_application_id), (SELECT count(*) FROM sqlite_schema)`).Scan(&found, &application, &tables)
	switch {
	case err != nil:
		return 0, err
	case application != schema.Application && (application != 0 || found != 0 || tables != 0):
		return 0, ErrForeign
	case found > len(schema.Steps):
		return 0, fmt.Errorf("%w (its format is %d, this one reads %d)", ErrNewer, found, len(schema.Steps))
	}
	return found, nil
}

// WhileBusy repeats a call while another process locks the file, until the context ends.
// SQLite itself does not always wait.
func WhileBusy(ctx context.Context, do func() error) error {
	return again.Do(ctx, again.Waits{First: time.Millisecond, Most: 50 * time.Millisecond}, do, func(err error) bool {
		code := codeOf(err)
		return code == codes.SQLITE_BUSY || code == codes.SQLITE_LOCKED
	})
}

// Damaged reports whether an error says that a file cannot be read.
func Damaged(err error) bool {
	code := codeOf(err)
	return code == codes.SQLITE_CORRUPT || code == codes.SQLITE_NOTADB
}

// codeOf returns the primary result code of an error of SQLite, else 0.
func codeOf(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}
