package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"example.com/assay/memory"
	"example.com/assay/memory/embed"
	"example.com/assay/memory/index"
)

// trained says in words what the offline embedder was trained on.
func trained(t index.Training) string {
	out := fmt.Sprintf("trained on %s", count(t.Fitted, "passage"))
	if t.Sampled < t.Fitted {
		out = fmt.Sprintf("trained on %d of %s", t.Sampled, count(t.Fitted, "passage"))
	}
	if t.RefitAt == 0 {
		return out + ", again at every change"
	}
	return fmt.Sprintf("%s, %d changed since, again at %d", out, t.Changed, t.RefitAt)
}

// calibrated says what confidences were learnt from, and how well it tells.
func calibrated(c index.Calibration) string {
	if c.Held.Questions+c.NotHeld.Questions == 0 {
		return "not learnt: the corpus is too small for questions of its own"
	}
	return fmt.Sprintf("learnt from %d questions that the corpus answers and %d that it does not; on the right side of .5 for %.0f %%", c.Held.Questions, c.NotHeld.Questions, 100*c.Accuracy)
}

// lookedAt says how vectors are looked at.
func lookedAt(t index.Training) string {
	if t.Lists == 0 {
		return "all of them looked at"
	}
	return fmt.Sprintf("in %d lists, %d of them looked at, which hold %.1f %% of the nearest", t.Lists, t.Probes, 100*t.Recall)
}

// cached describes the cache of a remote embedder's vectors.
func cached(s embed.CacheStats) string {
	asked := s.TotalHits + s.TotalMisses
	if asked == 0 {
		return fmt.Sprintf("%s, %s, not asked yet", count(s.Vectors, "vector"), size(s.Bytes))
	}
	return fmt.Sprintf("%s, %s, found %d of %d that were asked for (%.0f %%)", count(s.Vectors, "vector"), size(s.Bytes), s.TotalHits, asked, 100*s.HitRate())
}

// vectorStats looks at the cache of a home without making one: nil says that
// there is none.
func vectorStats(home string, opts *embed.CacheOptions) (*embed.CacheStats, error) {
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

// cachedVectors is vectorStats for a corpus with vectors of a remote embedder.
func (a *app) cachedVectors(info memory.CorpusInfo) (*embed.CacheStats, error) {
	if info.Space == "" {
		return nil, nil
	}
	home, err := a.env.home()
	if err != nil {
		return nil, err
	}
	return vectorStats(home, nil)
}

// checkVectors tells of the cache, once there is one.
func checkVectors(s settings) []finding {
	stats, err := vectorStats(s.home, &embed.CacheOptions{MaxBytes: int64(s.lookup.cache) << 20})
	if err != nil {
		return []finding{{"vectors", statusFail, err.Error(), "rm -r " + memory.VectorsPath(s.home)}}
	}
	if stats == nil {
		return nil
	}
	return []finding{{"vectors", statusOK, fmt.Sprintf("%s; at most %s", cached(*stats), size(stats.MaxBytes)), ""}}
}
