package graph_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/sqlite"
)

// BenchmarkLoop1000SQLite saves every superstep durably: SQLite waits for the
// disk each time.
func BenchmarkLoop1000SQLite(b *testing.B) {
	benchmarkSQLite(b, sqlite.Full)
}

// BenchmarkFloorLoop1000SQLite inserts as many rows of as many bytes into a
// table of two columns, each in its own durable transaction.
func BenchmarkFloorLoop1000SQLite(b *testing.B) {
	benchmarkFloorSQLite(b, sqlite.Full)
}

// The same without waiting for the disk, which shows what the engine and the
// saver cost on top of SQLite.
func BenchmarkLoop1000SQLiteNormal(b *testing.B)      { benchmarkSQLite(b, sqlite.Normal) }
func BenchmarkFloorLoop1000SQLiteNormal(b *testing.B) { benchmarkFloorSQLite(b, sqlite.Normal) }

const benchSteps = 1000

func benchmarkSQLite(b *testing.B, synchronous sqlite.Synchronous) {
	app := loopGraph(b, benchSteps).With(openSQLite(b, filepath.Join(b.TempDir(), "x.db"), synchronous))
	ctx, n := b.Context(), 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		out, err := app.Invoke(ctx, graph.Update[job]{jobCount.Set(0)}, &graph.RunOptions{Thread: fmt.Sprint(n)})
		if err != nil || out.Count != benchSteps {
			b.Fatal(out, err)
		}
	}
	perUnit(b, benchSteps, "ns/step")
}

func benchmarkFloorSQLite(b *testing.B, synchronous sqlite.Synchronous) {
	rows := savedRows(b, loopGraph(b, benchSteps))
	db := floorTable(b, filepath.Join(b.TempDir(), "x.db"), synchronous)
	insert, err := db.Prepare(insertRow)
	if err != nil {
		b.Fatal(err)
	}
	defer insert.Close()
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		for _, row := range rows {
			if _, err := insert.ExecContext(ctx, row); err != nil {
				b.Fatal(err)
			}
		}
	}
	perUnit(b, len(rows), "ns/step")
}

const insertRow = "INSERT INTO rows (data) VALUES (?)"

// savedRows returns the rows of a run: the data, and as many bytes as its names.
func savedRows(b *testing.B, app *graph.Compiled[job]) (rows [][]byte) {
	saver := openSQLite(b, filepath.Join(b.TempDir(), "rows.db"), sqlite.Normal)
	if _, err := app.With(saver).Invoke(b.Context(), graph.Update[job]{jobCount.Set(0)}, &graph.RunOptions{Thread: "t"}); err != nil {
		b.Fatal(err)
	}
	for c, err := range saver.List(b.Context(), graph.Query{Thread: "t"}) {
		if err != nil {
			b.Fatal(err)
		}
		names := c.Namespace + c.ID + c.Parent + c.Base + string(c.Source) + c.Run + c.Graph + c.Fingerprint
		rows = append(rows, append(make([]byte, len(names)), c.Data...))
	}
	return rows
}

// floorTable is a table of two columns.
func floorTable(b *testing.B, path string, synchronous sqlite.Synchronous) *sql.DB {
	db, err := sql.Open("sqlite", fmt.Sprintf("file://%s?_pragma=journal_mode(WAL)&_pragma=synchronous(%s)", path, synchronous))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE rows (id INTEGER PRIMARY KEY, data BLOB)"); err != nil {
		b.Fatal(err)
	}
	return db
}
