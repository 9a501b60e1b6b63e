package memory

import (
	"fmt"
	"os"
	"slices"
	"time"
)

// A SourceInfo describes a text of a corpus as it was ingested.
type SourceInfo struct {
	Source      string   // its name
	Format      string   // such as "markdown"
	Bytes       int      // of text
	Empty       int      // records that were left out because they have no text
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

// Unread lists the files and links that ingests found and left out. What an ingest left out
// that changed nothing else is not among them.
func (c *Corpus) Unread() []Skip { return c.manifest.Unread }

// Ingested is when the last ingest that changed the corpus ended, as the files say.
func (c *Corpus) Ingested() (time.Time, error) {
	info, err := os.Stat(c.store.path(c.gen, manifestFile))
	if err != nil {
		return time.Time{}, fmt.Errorf("looking when corpus %q was ingested: %w", c.store.name, err)
	}
	return info.ModTime(), nil
}

// leaveOut records what an ingest left out. What earlier ones left out elsewhere stays.
func (m *manifest) leaveOut(r *ingestion) {
	for _, s := range r.old.Unread {
		if !slices.ContainsFunc(r.roots, func(root string) bool { return below(s.Path, root) }) {
			m.Unread = append(m.Unread, s)
		}
	}
	m.Unread = append(m.Unread, r.unread...)
}
