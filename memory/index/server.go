package index

import (
	"context"

	"example.com/assay/memory/index/internal/storage"
	"example.com/assay/state"
)

// A Collection is where a server keeps the passages of one generation. It finds
// candidates; ranking, citations and confidence are the index's. Package sourcetest
// is the suite that each must pass. It is safe for concurrent use.
type Collection interface {
	// Create makes the collection, empty. One that exists already is an error.
	Create(ctx context.Context, ranking BM25) error
	// Drop removes it with all that it holds. It succeeds where there is none.
	Drop(ctx context.Context) error
	// Write adds records and returns when as many copies of each are safe as the server
	// was told to demand. A record of an id that is there replaces it.
	Write(ctx context.Context, records []Record) error
	// Count returns how many records there are.
	Count(ctx context.Context) (int, error)
	// Find answers each ask with at most Limit records, the best ones first, without
	// Terms, Meta and Vector.
	Find(ctx context.Context, asks []Ask) ([][]Record, error)
}

// A Record is a passage as a server keeps it, with what it is found by.
type Record struct {
	Passage     state.Passage
	Terms       []string // stems, each as often as BM25 counts it
	Meta        []string // key, zero byte, value
	Own, Within []string // keys of numbered parts, package citation
	Title       string   // key of its title; empty of one that no text can be said to mention
	Place       int      // its number among the passages of its document, from 0
	Opens       bool     // it is the first below its heading
	Vector      []float32
}

// An Ask asks a collection for records. With Terms they are ranked by BM25 of these and
// hold at least one, with Vector by its dot product with theirs, and else by Place.
type Ask struct {
	Terms  []string
	Vector []float32
	Where  []Where // that all hold
	// After keeps records behind that place, Before those in front of it, the last ones
	// first. Nil keeps all.
	After, Before *int
	Limit         int
}

// A Where holds for a record that has one of the values in a field.
type Where struct {
	Field string // FieldID, …
	OneOf []string
}

// Fields of a Where.
const (
	FieldID     = "id"
	FieldDoc    = "doc"
	FieldMeta   = storage.MetaField
	FieldOwn    = storage.OwnField
	FieldWithin = storage.WithinField
	FieldTitle  = "title"
)
