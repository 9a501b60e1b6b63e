package open

import (
	"errors"
	"io/fs"
	"os"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/memory"
	"example.com/assay/memory/embed"
)

// VectorStats returns the statistics of a home's cache, nil without one. It makes no
// cache.
func VectorStats(home string, opts *embed.CacheOptions) (*embed.CacheStats, error) {
	dir := memory.VectorsPath(home)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	cache, err := embed.OpenCache(dir, opts)
	if err != nil {
		return nil, err
	}
	stats := cache.Stats()
	return &stats, cache.Close()
}

// CachedVectors is VectorStats for a corpus with vectors of a remote embedder.
func CachedVectors(a *cli.App, info memory.CorpusInfo) (*embed.CacheStats, error) {
	if info.Space == "" {
		return nil, nil
	}
	home, err := a.Env.Home()
	if err != nil {
		return nil, err
	}
	return VectorStats(home, nil)
}
