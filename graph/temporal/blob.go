package temporal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"example.com/assay/graph/store"
)

// BlobLimit is the size in bytes above which a payload goes through the store.
const BlobLimit = 100_000

// blobLife is how long the store keeps a payload. It is longer than Temporal keeps finished
// histories by default.
const blobLife = 90 * 24 * time.Hour

// A payload is JSON in a history: the JSON itself, or its hash in the store.
type payload struct {
	JSON json.RawMessage `json:"json,omitempty"`
	Hash string          `json:"hash,omitempty"`
	Size int             `json:"size,omitempty"` // in bytes, of one in the store
}

// stored is a payload in the store, whose values are objects.
type stored struct {
	JSON json.RawMessage `json:"json"`
}

// blobs puts large payloads into a store, which may be nil.
type blobs struct{ store store.Store }

func (b blobs) put(ctx context.Context, data json.RawMessage) (payload, error) {
	if len(data) <= BlobLimit {
		return payload{JSON: data}, nil
	}
	if b.store == nil {
		return payload{}, fmt.Errorf("a payload has %d bytes, and above %d it must go through a store: set Blobs", len(data), BlobLimit)
	}
	sum := sha256.Sum256(data)
	p := payload{Hash: hex.EncodeToString(sum[:]), Size: len(data)}
	if err := store.Put(ctx, b.store, []string{blobNamespace}, p.Hash, stored{data}, &store.PutOptions{TTL: blobLife}); err != nil {
		return payload{}, fmt.Errorf("storing a payload of %d bytes: %w", len(data), err)
	}
	return p, nil
}

func (b blobs) get(ctx context.Context, p payload) (json.RawMessage, error) {
	if p.Hash == "" {
		return p.JSON, nil
	}
	if b.store == nil {
		return nil, fmt.Errorf("a payload of %d bytes is in a store: set Blobs to the one of the caller", p.Size)
	}
	kept, err := store.Get[stored](ctx, b.store, []string{blobNamespace}, p.Hash)
	if err != nil {
		return nil, fmt.Errorf("reading a payload of %d bytes from the store: %w", p.Size, err)
	}
	return kept.JSON, nil
}
