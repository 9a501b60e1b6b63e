package jsonl

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
)

// A Digest is SHA-256 over texts, each with its length. The zero value is ready.
type Digest struct{ hash hash.Hash }

// Add adds texts.
func (d *Digest) Add(texts ...string) {
	if d.hash == nil {
		d.hash = sha256.New()
	}
	for _, t := range texts {
		fmt.Fprintf(d.hash, "%d:%s", len(t), t) // a hash's Write returns no error
	}
}

// Sum returns the hash of the added data, in hexadecimal.
func (d *Digest) Sum() string {
	d.Add()
	return hex.EncodeToString(d.hash.Sum(nil))
}
