package memory

import "path/filepath"

// VectorsPath returns where the cache of vectors of a home is kept
// ([embed.OpenCache]); all corpora share it.
func VectorsPath(home string) string { return filepath.Join(home, "vectors") }
