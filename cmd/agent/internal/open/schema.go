package open

import (
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/internal/plainfile"
	"example.com/assay/nodes/extract"
)

// maxSchema bounds a schema, in bytes.
const maxSchema = 1 << 20

// Schema reads a schema. It also returns the text of the file.
func Schema(path string) (*extract.Schema, []byte, error) {
	data, err := plainfile.Read(path, maxSchema)
	if err != nil {
		return nil, nil, cli.Usagef("reading --schema: %w", err)
	}
	s, err := extract.ParseSchema(data)
	if err != nil {
		return nil, nil, cli.Usagef("%s: %w", path, err)
	}
	return s, data, nil
}
