package store

import (
	"context"
	"iter"
	"math"
)

// A Backend keeps rows, sorted by path and then key, both byte by byte. It reads no
// clock and checks nothing: New does both. A program that only uses stores does not
// need it.
type Backend interface {
	// Write makes changes in their order in one transaction: all of them, or none
	// and an error. They are sorted by path and key.
	Write(ctx context.Context, now int64, changes []Change) error
	// Read returns a row, expired or not, and whether it exists. Vectors are not
	// needed.
	Read(ctx context.Context, path, key string) (Row, bool, error)
	// Scan yields the rows of a range, sorted, all of one moment. The loop over it
	// does not call the backend.
	Scan(ctx context.Context, r Range) iter.Seq2[Row, error]
	// Paths yields the paths of the rows of a range, sorted, each once, as Scan
	// does. Range.Vectors does not matter.
	Paths(ctx context.Context, r Range) iter.Seq2[string, error]
	// Sweep deletes the rows with Expires at or before now and returns their number.
	Sweep(ctx context.Context, now int64) (int, error)
}

// Never is the value of Row.Expires for a row that does not expire.
const Never int64 = math.MaxInt64

// A Row is an item as a backend sees it. Times and durations are microseconds,
// times since 1970. Neither side changes the bytes of a row it was given.
type Row struct {
	// Path is the namespace: its labels, each followed by a zero byte.
	Path string
	Key  string
	// Value is JSON, valid UTF-8, without zero bytes.
	Value            []byte
	Created, Updated int64
	// TTL is 0 and Expires is Never for a row that does not expire.
	TTL, Expires int64
	// Vectors is opaque and may be empty.
	Vectors []byte
}

// A Change is one step of a transaction.
type Change struct {
	Kind ChangeKind
	// Row is the whole row for ChangePut, else its Path, its Key and the fields that the kind
	// names.
	Row Row
}

// ChangeKind says what a Change does.
type ChangeKind int

const (
	// ChangePut adds the row or replaces the existing one. An existing row that has not expired at
	// Row.Updated, the current time, keeps its Created.
	ChangePut ChangeKind = iota
	// ChangeDelete removes the row, if it exists.
	ChangeDelete
	// ChangeRefresh sets Expires to now plus the existing row's TTL, if that is later than its
	// Expires. A row that never expires stays as it is.
	ChangeRefresh
	// ChangeVectors sets Vectors if the existing row still has this Updated and this Value.
	ChangeVectors
)

// A Range selects rows.
type Range struct {
	// Prefix is what paths begin with. It is empty or ends with a zero byte.
	Prefix string
	// Live is a time: rows that expire at or before it are left out.
	Live int64
	// Vectors says that the caller needs Row.Vectors.
	Vectors bool
}

// End sorts after all paths that begin with Prefix, and not after any other path that follows them.
// Without a Prefix it sorts after every path: labels are UTF-8, which has no byte 0xff.
func (r Range) End() string {
	if r.Prefix == "" {
		return "\xff"
	}
	return r.Prefix[:len(r.Prefix)-1] + "\x01"
}
