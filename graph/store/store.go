package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

var (
	// ErrNotFound reports an item that does not exist or has expired.
	ErrNotFound = errors.New("no such item")
	// ErrNoEmbedder reports a search by text in a store without an Embedder.
	ErrNoEmbedder = errors.New("the store has no embedder")
)

// Forever is the TTL of an item that never expires.
const Forever time.Duration = -1

// A Store keeps items. Several goroutines may use it at once, and several processes if they share
// its backend. It does not change its arguments, and returns copies. An invalid namespace, key,
// value or filter is an *InvalidError, and the call changes nothing.
type Store interface {
	// Apply makes changes in the order given, all of them or none.
	Apply(ctx context.Context, ops ...Op) error
	// Get returns an item, or ErrNotFound.
	Get(ctx context.Context, namespace []string, key string) (Item, error)
	// Search returns the items that a query selects. With a Text, the best scores come first; equal
	// scores, and results without a Text, are sorted by namespace and key.
	Search(ctx context.Context, query Query) ([]Result, error)
	// ListNamespaces returns each namespace that has items once, sorted label by label.
	ListNamespaces(ctx context.Context, query NamespaceQuery) ([][]string, error)
	// Sweep deletes expired items and returns their number. It only frees space: no read returns an
	// expired item.
	Sweep(ctx context.Context) (int, error)
}

// An Item is a value in a store. Times are in UTC, to the microsecond.
type Item struct {
	// Namespace is a list of labels, the outermost first.
	Namespace []string
	Key       string
	// Value is a JSON object without unnecessary white space.
	Value json.RawMessage
	// Created is when the key was first put, Updated when it was last put.
	Created, Updated time.Time
	// Expires is when the item expires; zero if it never does.
	Expires time.Time
}

// A Result is an item that a search found.
type Result struct {
	Item
	// Score is the cosine of the item's vector and the query's, from -1 to 1. For an item with
	// several vectors it is the best. It is zero without a text.
	Score float64
}

// An Op is a change of one item. Encode makes an Op from a typed value.
type Op struct {
	// Namespace is a list of one or more labels. No label is empty or contains ".", and the first
	// is not "langgraph". It has at most 1024 bytes, with one more byte for each label. Labels and
	// keys are UTF-8 without U+0000.
	Namespace []string
	// Key is not empty and has at most 1024 bytes.
	Key string
	// Value is a JSON object without U+0000. It replaces the key's value. Nil deletes
	// the item; a missing item is not an error.
	Value json.RawMessage
	// TTL is how long the item lives from now. Default: Options.TTL. Less than a
	// microsecond counts as one.
	TTL time.Duration
	// Fields replaces Options.Fields for this item; an empty list embeds nothing. Default: nil. A
	// change of the embedder embeds the item by Options.Fields again.
	Fields []string
}

// Query selects items.
type Query struct {
	// Namespace selects a namespace and all below it. Default: all.
	Namespace []string
	// Filters select items that match all of them. Default: all.
	Filters []Filter
	// Text selects by meaning and sorts by score. It selects all items that have an embedded text,
	// even with a low score. Default: no search by meaning. Without an Embedder it is
	// ErrNoEmbedder.
	Text string
	// Limit bounds the number of results. Default: 10.
	Limit int
	// Offset skips this many results. Default: none.
	Offset int
}

// NamespaceQuery selects namespaces.
type NamespaceQuery struct {
	// Prefix and Suffix select namespaces that begin and end with these labels. They may overlap.
	// Default: any.
	Prefix, Suffix []string
	// MaxDepth cuts selected namespaces to this many labels. Default: no cut.
	MaxDepth int
	// Limit bounds the number of namespaces. Default: 100.
	Limit int
	// Offset skips this many namespaces. Default: none.
	Offset int
}
