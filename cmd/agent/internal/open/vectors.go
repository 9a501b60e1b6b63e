package open

import (
	"context"

	"example.com/assay/memory"
	"example.com/assay/memory/embed"
)

// VectorStats returns the statistics of the cache of vectors, nil without one. It makes no
// file.
func (k *Store) VectorStats(ctx context.Context, opts *embed.CacheOptions) (*embed.CacheStats, error) {
	if has, err := k.Has(memory.VectorsPath(k.home)); !has {
		return nil, err
	}
	cache, err := k.Vectors(ctx, opts)
	if err != nil {
		return nil, err
	}
	stats := cache.Stats()
	return &stats, cache.Close()
}
