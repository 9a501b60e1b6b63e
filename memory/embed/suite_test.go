package embed_test

import (
	"testing"

	"example.com/assay/memory/embed"
	"example.com/assay/memory/embed/embedtest"
)

func TestCacheInAFile(t *testing.T) {
	embedtest.TestCache(t, func(t *testing.T) embedtest.OpenCache {
		dir := t.TempDir()
		return func(t *testing.T, opts *embed.CacheOptions) *embed.Cache {
			t.Helper()
			c, err := embed.OpenCache(dir, opts)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			})
			return c
		}
	})
}
