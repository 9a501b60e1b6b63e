package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.com/assay/internal/plainjson"
)

// PutOptions configure one Put.
type PutOptions struct {
	// TTL is how long the item lives. Default: Options.TTL of the store.
	TTL time.Duration
}

// Put stores a value, which must encode as a JSON object. Errors name the
// namespace and the key.
func Put[T any](ctx context.Context, s Store, namespace []string, key string, value T, opts *PutOptions) error {
	op, err := Encode(namespace, key, value)
	if err != nil {
		return err
	}
	if opts != nil {
		op.TTL = opts.TTL
	}
	if err := s.Apply(ctx, op); err != nil {
		return named("putting", namespace, key, err)
	}
	return nil
}

// Get returns a value, or ErrNotFound. Errors name the namespace and the key.
func Get[T any](ctx context.Context, s Store, namespace []string, key string) (T, error) {
	item, err := s.Get(ctx, namespace, key)
	if err != nil {
		var none T
		return none, named("getting", namespace, key, err)
	}
	return Decode[T](item)
}

// Delete removes an item. A missing item is not an error.
func Delete(ctx context.Context, s Store, namespace []string, key string) error {
	if err := s.Apply(ctx, Op{Namespace: namespace, Key: key}); err != nil {
		return named("deleting", namespace, key, err)
	}
	return nil
}

// named adds the item's name to an error, unless the error names it already.
func named(doing string, namespace []string, key string, err error) error {
	var invalid *InvalidError
	if errors.As(err, &invalid) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return fmt.Errorf("%s %s: %w", doing, itemName(namespace, key), err)
}

// Encode returns an Op that puts a value. The JSON keeps <, > and & unescaped, for human readers.
func Encode[T any](namespace []string, key string, value T) (Op, error) {
	data, err := plainjson.Encode(value)
	if err != nil {
		return Op{}, fmt.Errorf("encoding %s: %w", itemName(namespace, key), err)
	}
	return Op{Namespace: slices.Clone(namespace), Key: key, Value: data}, nil
}

// Decode returns the value of an item.
func Decode[T any](item Item) (T, error) {
	var v T
	if err := json.Unmarshal(item.Value, &v); err != nil {
		var none T
		return none, fmt.Errorf("decoding %s: %w", itemName(item.Namespace, item.Key), err)
	}
	return v, nil
}
