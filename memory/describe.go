package memory

import (
	"fmt"
	"os"
	"slices"
	"time"
)

// A SourceInfo describes an ingested source of a corpus.
type SourceInfo struct {
	Source      string   // its name
	Format      string   // such as "markdown"
	Bytes       int      // of text
	Empty       int      // skipped records without text
	Lost        []string // the first records that could not be read, and why
	LostRecords int      // how many could not be read
}

// Describe describes the corpus's texts, sorted by name.
func (c *Corpus) Describe() []SourceInfo {
	out := make([]SourceInfo, len(c.manifest.Files))
	for i, f := range c.manifest.Files {
		out[i] = SourceInfo{f.Source, f.Format, f.Bytes, f.Skipped, f.Lost, f.LostAll}
	}
	return out
}

// Unread lists the files and links that ingests skipped, except those of ingests that changed
// nothing else.
func (c *Corpus) Unread() []Skip { return c.manifest.Unread }

// Ingested returns the end of the last ingest that changed the corpus, from the times of its files.
func (c *Corpus) Ingested() (time.Time, error) {
	info, err := os.Stat(c.store.path(c.gen, manifestFile))
	if err != nil {
		return time.Time{}, fmt.Errorf("looking when corpus %q was ingested: %w", c.store.name, err)
	}
	return info.ModTime(), nil
}

// leaveOut records the files that an ingest skipped. Files that earlier ingests skipped elsewhere
// stay.
func (m *manifest) leaveOut(r *ingestion) {
	for _, s := range r.old.Unread {
		if !slices.ContainsFunc(r.roots, func(root string) bool { return below(s.Path, root) }) {
			m.Unread = append(m.Unread, s)
		}
	}
	m.Unread = append(m.Unread, r.unread...)
}
