package memory

import "path/filepath"

// VectorsPath returns the directory of a home's vector cache ([embed.OpenCache]); all corpora share
// it.
func VectorsPath(home string) string { return filepath.Join(home, "vectors") }
