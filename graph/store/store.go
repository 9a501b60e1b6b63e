package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

var (
	// ErrNotFound is an item that does not exist, or has expired.
	ErrNotFound = errors.New("no such item")
	// ErrNoEmbedder is a search by text in a store without an Embedder.
	ErrNoEmbedder = errors.New("the store has no embedder")
)

// Forever is the TTL of an item that never expires.
const Forever time.Duration = -1

// A Store keeps items. Any number of goroutines may use it, and of processes, if they
// share its backend. It does not change its arguments, and returns copies. An
// invalid namespace, key, value or filter is an *InvalidError, and nothing is done.
type Store interface {
	// Apply makes changes in the order given, all of them or none.
	Apply(ctx context.Context, ops ...Op) error
	// Get returns an item, or ErrNotFound.
	Get(ctx context.Context, namespace []string, key string) (Item, error)
	// Search returns the items that a query selects. Without a text they are
	// sorted by namespace and key; with one by score, the best first, then by
	// namespace and key.
	Search(ctx context.Context, query Query) ([]Result, error)
	// ListNamespaces returns the namespaces that have items, sorted label by
	// label, each once.
	ListNamespaces(ctx context.Context, query NamespaceQuery) ([][]string, error)
	// Sweep deletes the items that have expired and returns how many they were.
	// They are not seen before that either; it only frees their space.
	Sweep(ctx context.Context) (int, error)
}

// An Item is a value in a store. Times are in UTC, to the microsecond.
type Item struct {
	// Namespace is a list of labels, the outermost first.
	Namespace []string
	Key       string
	// Value is a JSON object without superfluous white space.
	Value json.RawMessage
	// Created is when the key was first put, Updated when it last was.
	Created, Updated time.Time
	// Expires is when the item ceases to exist; zero if it never does.
	Expires time.Time
}

// A Result is an item that a search found.
type Result struct {
	Item
	// Score is the cosine of the item's vector and the query's, from -1 to 1; of
	// the best of them, when the item has several. Zero without a text.
	Score float64
}

// An Op is a change of one item. Encode makes one of a typed value.
type Op struct {
	// Namespace is a list of labels: one at least, none of them empty or with a
	// ".", the first not "langgraph", 1024 bytes at most, counting one for each
	// label. Labels and keys are UTF-8 without U+0000.
	Namespace []string
	// Key is not empty and has at most 1024 bytes.
	Key string
	// Value is a JSON object without U+0000. It replaces the key's value. Nil deletes
	// the item; a missing item is not an error.
	Value json.RawMessage
	// TTL is how long the item lives from now. Default: Options.TTL. Less than a
	// microsecond counts as one.
	TTL time.Duration
}

// Query selects items.
type Query struct {
	// Namespace selects a namespace and all below it. Default: all.
	Namespace []string
	// Filters select items that match all of them. Default: all.
	Filters []Filter
	// Text selects by meaning and sorts by it: items with at least one text that
	// was embedded are found, however low they score. Default: no search by
	// meaning. In a store without an Embedder it is ErrNoEmbedder.
	Text string
	// Limit is how many are returned at most. Default: 10.
	Limit int
	// Offset is how many are passed over first. Default: none.
	Offset int
}

// NamespaceQuery selects namespaces.
type NamespaceQuery struct {
	// Prefix and Suffix are labels that a namespace begins and ends with. They may
	// overlap. Default: any.
	Prefix, Suffix []string
	// MaxDepth cuts namespaces off after so many labels, after they were selected.
	// Default: they are returned whole.
	MaxDepth int
	// Limit is how many are returned at most. Default: 100.
	Limit int
	// Offset is how many are passed over first. Default: none.
	Offset int
}
