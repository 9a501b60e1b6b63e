package open

import (
	"context"
	"path/filepath"

	"example.com/assay/graph/store/sqlite"
)

// NotesOf is the namespace of the notes that agent chat keeps.
var NotesOf = []string{"notes"}

// NotesFile is where they are.
func NotesFile(home string) string { return filepath.Join(home, "notes.db") }

// Notes opens the notes, and makes their file when there is none.
func Notes(ctx context.Context, home string) (*sqlite.Store, error) {
	return sqlite.Open(ctx, NotesFile(home), nil)
}
