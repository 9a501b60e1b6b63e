// Package servetest opens the files of a server, for tests. It does not use database servers.
package servetest

import (
	"context"

	"example.com/assay/serve/files"
)

// Open opens the files in a folder, and creates missing ones.
func Open(folder string) (files.Files, error) { return files.Open(context.Background(), folder) }
