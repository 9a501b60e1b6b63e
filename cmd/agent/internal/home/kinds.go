package home

import (
	"path"
	"strings"

	"example.com/assay/graph/checkpoint/sqlite"
	"example.com/assay/graph/eventlog"
	notes "example.com/assay/graph/store/sqlite"
	"example.com/assay/internal/sqlfile"
	"example.com/assay/memory/embed"
	"example.com/assay/memory/qa"
)

// A Database is a kind of SQLite file.
type Database struct {
	Holds  string // what is lost with it
	Schema sqlfile.Schema
	JSON   []string // columns that hold JSON, as "table.column"
}

var (
	threads = Database{"saved runs", sqlite.FileSchema, []string{"checkpoints.data", "checkpoints.metadata", "records.data"}}
	items   = Database{"notes", notes.FileSchema, []string{"items.value"}}
	records = Database{"records of served runs", notes.FileSchema, []string{"items.value"}}
	events  = Database{"events of runs", eventlog.FileSchema, []string{"events.data"}}
	answers = Database{"remembered answers", qa.FileSchema, []string{"answers.payload", "scopes.conditions"}}
	vectors = Database{"cached vectors", embed.FileSchema, nil}
)

// databases are the kinds by the place below the home.
var databases = []struct {
	pattern string
	kind    *Database
}{
	{"threads.db", &threads}, {"notes.db", &items}, {"serve.db", &records}, {"events.db", &events},
	{"mcp/threads.db", &threads}, {"mcp/runs.db", &records}, {"mcp/events.db", &events},
	{"qa/*.db", &answers}, {"tenants/*/qa/*.db", &answers}, {"vectors/vectors.db", &vectors},
}

// A Format is the version of a kind of database, and the places of such files below the home.
type Format struct {
	Holds   string
	Version int
	Places  []string
}

// Formats lists the kinds of databases of a home.
func Formats() []Format {
	var out []Format
	at := map[*Database]int{}
	for _, d := range databases {
		i, ok := at[d.kind]
		if !ok {
			i = len(out)
			at[d.kind] = i
			out = append(out, Format{Holds: d.kind.Holds, Version: len(d.kind.Schema.Steps)})
		}
		out[i].Places = append(out[i].Places, d.pattern)
	}
	return out
}

// DatabaseAt returns the kind of the database at a slash-separated place below the home, nil
// for another file.
func DatabaseAt(name string) *Database {
	for _, d := range databases {
		if ok, _ := path.Match(d.pattern, name); ok {
			return d.kind
		}
	}
	return nil
}

// suffixes of the files that SQLite and locks keep beside a database. They mean nothing
// without a process.
var beside = []string{"-wal", "-shm", "-journal", "-locks"}

// BesideDatabase returns the database that a file belongs to, "" for another file.
func BesideDatabase(name string) string {
	for _, suffix := range beside {
		if base, ok := strings.CutSuffix(name, suffix); ok && DatabaseAt(base) != nil {
			return base
		}
	}
	return ""
}

// Unfinished reports whether a slash-separated name is that of a file or folder that a killed
// process left half made.
func Unfinished(name string) bool {
	base := path.Base(name)
	for _, prefix := range []string{".tmp-", ".removed-", ".agent-doctor-"} {
		if strings.HasPrefix(base, prefix) {
			return true
		}
	}
	return strings.HasSuffix(base, ".tmp")
}
