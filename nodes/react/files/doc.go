// Package files gives agents files of text: in their own state, in a folder of a disk, or in a store.
//
// # Use
//
//	folder, err := files.NewDisk("./notes")
//	…
//	n, err := files.Edit(ctx, folder, "/plan.md", "Monday", "Tuesday", false)
//	found, err := files.Grep(ctx, folder, "Tuesday", "/", "*.md", 100)
//
// A Backend walks, reads and writes. Ls, Window, Edit, Glob and Grep are made of that once, so every
// backend gives the same answers.
//
// Paths begin with "/", which is the backend's own root; Clean makes them. No path leads out of the
// root: in a folder of a disk not by "..", and not by a symbolic link.
//
// # What it does not do
//
// It has no binary files, and it deletes nothing. It asks nobody whether a file may be written. Edits
// through one backend wait for each other; two programs that edit one file at the same time may lose
// an edit. It does not limit how many files there are: Glob and Grep end at their limits, and a
// store's files are all read to list them, which suits hundreds of files.
package files
