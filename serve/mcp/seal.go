package mcp

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

// keySize is the length of Options.Key in bytes.
const keySize = 32

// StoredKey returns the key in a store, and creates it the first time. Two processes that create it
// at the same moment use different keys until one of them restarts.
func StoredKey(ctx context.Context, s store.Store) ([]byte, error) {
	type kept struct {
		Key []byte `json:"key"`
	}
	at := []string{"mcp"}
	k, err := store.Get[kept](ctx, s, at, "key")
	if errors.Is(err, store.ErrNotFound) {
		k.Key = make([]byte, keySize)
		_, _ = rand.Read(k.Key) // it never fails
		if err = store.Put(ctx, s, at, "key", k, &store.PutOptions{TTL: store.Forever}); err == nil {
			k, err = store.Get[kept](ctx, s, at, "key")
		}
	}
	return k.Key, err
}

// errState reports a state that this server did not seal for this call.
var errState = errors.New("requestState was changed, or is of another server, tool or tenant: call the tool again without it")

// A seal encrypts the state that a client keeps between two calls.
type seal struct{ aead cipher.AEAD }

func newSeal(key []byte) (*seal, error) {
	if key == nil {
		key = make([]byte, keySize)
		_, _ = rand.Read(key) // it never fails
	}
	if len(key) != keySize {
		return nil, fmt.Errorf("the key has %d bytes: it must have %d", len(key), keySize)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return &seal{aead}, err
}

// close seals a value for one purpose.
func (s *seal) close(purpose string, v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("sealing a state: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, data, []byte(purpose))), nil
}

// open reads a value that was sealed for the same purpose.
func (s *seal) open(purpose, sealed string, v any) error {
	data, err := base64.RawURLEncoding.DecodeString(sealed)
	if err == nil {
		data, err = s.aead.Open(nil, nil, data, []byte(purpose))
	}
	if err != nil || json.Unmarshal(data, v) != nil {
		return errState
	}
	return nil
}
