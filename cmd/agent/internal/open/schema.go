package open

import (
	"os"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/nodes/extract"
)

// Schema reads a schema. It also returns the text of the file.
func Schema(path string) (*extract.Schema, []byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, cli.Usagef("reading --schema: %w", err)
	}
	s, err := extract.ParseSchema(data)
	if err != nil {
		return nil, nil, cli.Usagef("%s: %w", path, err)
	}
	return s, data, nil
}
