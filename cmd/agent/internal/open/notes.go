package open

import "path/filepath"

// NotesOf is the namespace of the notes that agent chat keeps.
var NotesOf = []string{"notes"}

// NotesFile is where they are, unless a server keeps them.
func NotesFile(home string) string { return filepath.Join(home, "notes.db") }
