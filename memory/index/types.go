package index

import (
	"fmt"

	"example.com/assay/memory/embed"
	"example.com/assay/memory/index/internal/ranking"
	"example.com/assay/state"
)

// UpdateOptions says what Update builds.
type UpdateOptions struct {
	Dir    string          // the new generation; must not exist, its parent must
	From   string          // the generation to start from; "" starts from nothing
	Remove []string        // ids of passages of From that the new generation leaves out
	Add    []state.Passage // new passages; one with the id of a passage of From replaces it

	// Stream adds further passages by calls of add, which get all passages of a source at
	// once, and returns the sources whose earlier passages are left out. It must not call
	// add from two goroutines at once. With Stream, an id that From has already or that
	// comes twice is a *DuplicateError. An error of Stream ends the update. Nil adds nothing.
	Stream func(add func([]state.Passage) error) (gone []string, err error)

	// BM25 are the parameters that passages are ranked with.
	BM25 BM25

	// Space embeds the passages beside the offline embedder, which is always
	// trained. Another space than that of From embeds all of them. Nil: the
	// offline embedder alone.
	Space *embed.Space

	// Cut says which texts of a passage Space embeds; their vectors are kept in eight bits a coordinate.
	// Another one than that of From embeds all passages anew. Nil: the passage as a whole, as [Text]
	// shows it, in single precision.
	Cut *Cut

	// Patience bounds the texts that this update embeds. Where Space has not embedded more of them
	// before, the generation has no vectors (Stats.Space is empty); the same update without
	// Patience adds them. 0 waits for all.
	Patience int

	// Progress is called as the work goes on, never concurrently: what is
	// being done and how much of it. Nil means nobody watches.
	Progress func(phase string, done, total int)
}

// A Cut cuts passages into the texts that are embedded, each for itself. A passage is as near to a
// question as its nearest text, and hits say of each how near it is (state.Hit.Near).
type Cut struct {
	ID string                         // changes with what Of returns
	Of func(p state.Passage) []string // at least one text
}

// mostCut is the largest corpus whose passages are cut. All vectors are looked at, and those of the pieces
// of more passages would take too long.
const mostCut = 30_000

// For returns the cut of a corpus of so many passages; it leaves the passages of a large one whole. Nil
// has none.
func (c *Cut) For(passages int) *Cut {
	if c == nil || passages <= mostCut {
		return c
	}
	return &Cut{ID: "whole", Of: func(p state.Passage) []string { return []string{Text(p)} }}
}

// Name is the ID, "" of nil.
func (c *Cut) Name() string {
	if c == nil {
		return ""
	}
	return c.ID
}

// Stats describes a generation.
type Stats struct {
	Passages    int    `json:"passages"`
	Documents   int    `json:"documents"`
	Terms       int    `json:"terms"`       // distinct stems
	Dimensions  int    `json:"dimensions"`  // of the embedder's space
	Refit       bool   `json:"refit"`       // whether this update trained the embedder anew
	Fingerprint string `json:"fingerprint"` // hash of the passages; equal corpora have equal fingerprints, whatever updates made them
	Embedder    string `json:"embedder"`    // hash of the offline embedder's content
	BM25        BM25   `json:"bm25"`
	Space       string `json:"space,omitempty"` // ID of the remote embedder; empty without one
	Cut         string `json:"cut,omitempty"`   // ID of how its passages are cut; empty where they are embedded as a whole
}

// A CorruptError says that a directory is not a whole generation: a file is
// missing, cut, changed or foreign. Nothing was changed or deleted. Rebuild
// the index from its documents.
type CorruptError struct {
	Dir string
	Err error
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("opening index %q: it is damaged (%v); ingest its documents again", e.Dir, e.Err)
}

func (e *CorruptError) Unwrap() error { return e.Err }

// A VersionError says that a generation was written in another version of
// the format. Rebuild the index from its documents.
type VersionError struct {
	Dir       string
	Got, Want int
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("opening index %q: its format is version %d and this program reads version %d; ingest its documents again", e.Dir, e.Got, e.Want)
}

// A DuplicateError says that two passages have the same id.
type DuplicateError struct {
	ID      string
	Sources [2]string
}

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("two passages have the id %q, in %q and %q; ids must be unique in a corpus", e.ID, e.Sources[0], e.Sources[1])
}

// A SpaceError says that a generation's vectors and the embedder that
// questions would be embedded with are of different spaces.
type SpaceError struct {
	Made  string // ID of the embedder of the generation; empty for the offline one
	Given string // ID of the embedder in use; empty for none
}

func (e *SpaceError) Error() string {
	return fmt.Sprintf("the vectors were made by %s and questions would be embedded by %s: they cannot be compared", named(e.Made), named(e.Given))
}

func named(id string) string {
	if id == "" {
		return "the offline embedder"
	}
	return fmt.Sprintf("%q", id)
}

// Text is what an embedder and a reranker are shown of a passage: its title,
// the headings above it and its text, a line each.
func Text(p state.Passage) string {
	out := p.Text
	for _, above := range []string{p.Section, p.Title} {
		if above != "" {
			out = above + "\n" + out
		}
	}
	return out
}

// Shingles returns the runs of five words of s, each followed by a space. A shorter text
// is one run.
func Shingles(s string) map[string]struct{} { return ranking.Shingles(s) }
