// Package seal encrypts values that a client keeps for the server: the state between two calls of a
// tool, and a browser's session. It does not expire them.
package seal

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"example.com/assay/graph/store"
)

// KeySize is the length of a key in bytes.
const KeySize = 32

// StoredKey returns the key in a store, and creates it the first time. Two processes that create it
// at the same moment use different keys until one of them restarts.
func StoredKey(ctx context.Context, s store.Store) ([]byte, error) {
	type kept struct {
		Key []byte `json:"key"`
	}
	at := []string{"mcp"}
	k, err := store.Get[kept](ctx, s, at, "key")
	if errors.Is(err, store.ErrNotFound) {
		k.Key = make([]byte, KeySize)
		_, _ = rand.Read(k.Key) // it never fails
		if err = store.Put(ctx, s, at, "key", k, &store.PutOptions{TTL: store.Forever}); err == nil {
			k, err = store.Get[kept](ctx, s, at, "key")
		}
	}
	return k.Key, err
}

// ErrState reports a value that this server did not seal for this purpose.
var ErrState = errors.New("it was changed, or is of another server or purpose")

// A Seal encrypts values with one key.
type Seal struct{ aead cipher.AEAD }

// New returns the seal of a key. Without a key it makes one for this process.
func New(key []byte) (*Seal, error) {
	if key == nil {
		key = make([]byte, KeySize)
		_, _ = rand.Read(key) // it never fails
	}
	if len(key) != KeySize {
		return nil, fmt.Errorf("the key has %d bytes: it must have %d", len(key), KeySize)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return &Seal{aead}, err
}

// Close seals a value for one purpose.
func (s *Seal) Close(purpose string, v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("sealing a value: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, data, []byte(purpose))), nil
}

// Open reads a value that was sealed for the same purpose.
func (s *Seal) Open(purpose, sealed string, v any) error {
	data, err := base64.RawURLEncoding.DecodeString(sealed)
	if err == nil {
		data, err = s.aead.Open(nil, nil, data, []byte(purpose))
	}
	if err != nil || json.Unmarshal(data, v) != nil {
		return ErrState
	}
	return nil
}
