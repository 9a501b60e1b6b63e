package qa_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"example.com/assay/memory/qa"
	"example.com/assay/memory/qa/qatest"
)

// A memory in a file passes the suite that all memories pass, and leaves no row of what it
// forgot.
func TestSuite(t *testing.T) {
	qatest.Test(t, func(t *testing.T) qatest.Open {
		path := filepath.Join(t.TempDir(), "qa", "law.db")
		t.Cleanup(func() { noOrphans(t, path) })
		return func(t *testing.T, opts *qa.Options) *qa.Memory {
			t.Helper()
			m, err := qa.Open(t.Context(), path, opts)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := m.Close(); err != nil {
					t.Error(err)
				}
			})
			return m
		}
	})
}

func noOrphans(t *testing.T, path string) {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var orphans int
	if err := db.QueryRow(`SELECT (SELECT count(*) FROM answers WHERE seq NOT IN (SELECT seq FROM entries)) +
		(SELECT count(*) FROM words WHERE seq NOT IN (SELECT seq FROM entries)) +
		(SELECT count(*) FROM scopes WHERE NOT EXISTS (SELECT 1 FROM entries))`).Scan(&orphans); err != nil || orphans != 0 {
		t.Errorf("%d rows of entries that are gone, %v", orphans, err)
	}
	if err := qa.CheckFile(context.Background(), path); err != nil {
		t.Error(err)
	}
}
