package runs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"
	"unicode/utf8"

	"example.com/assay/graph/store"
)

// Labels of namespaces in the store. A tenant's records are below its name.
const (
	root        = "serve"
	openRuns    = "open" // the runs of all tenants that have not ended
	threadsOf   = "threads"
	runsOf      = "runs"
	runsByID    = "ids"
	tenantsRoot = "tenants"
)

// Records is the namespace in the store where a protocol keeps its own records for the tenant.
func (s *Space) Records(kind string) []string {
	return []string{root, tenantsRoot, s.tenant, "wire", kind}
}

func (s *Space) threads() []string { return []string{root, tenantsRoot, s.tenant, threadsOf} }
func (s *Space) ids() []string     { return []string{root, tenantsRoot, s.tenant, runsByID} }
func (s *Space) runsOn(thread string) []string {
	return []string{root, tenantsRoot, s.tenant, runsOf, thread}
}

var opened = []string{root, openRuns}

// place says where a run is. It is the record of a run by its ID alone, and of a run that has not
// ended.
type place struct {
	Tenant string `json:"tenant"`
	Thread string `json:"thread"`
	Bytes  int64  `json:"bytes,omitempty"` // of the events of an ended run
}

// read returns a record. A missing record is a *NotFoundError.
func read[T any](ctx context.Context, m *Manager, what string, namespace []string, key string) (T, error) {
	v, err := store.Get[T](ctx, m.Store, namespace, key)
	invalid := (*store.InvalidError)(nil)
	if errors.Is(err, store.ErrNotFound) || errors.As(err, &invalid) { // no record has such a name
		err = &NotFoundError{what, key}
	}
	return v, err
}

// A change collects records that are written together.
type change struct {
	ops []store.Op
	err error
}

func (c *change) put(namespace []string, key string, value any, ttl time.Duration) {
	op, err := store.Encode(namespace, key, value)
	op.TTL = ttl
	c.ops, c.err = append(c.ops, op), errors.Join(c.err, err)
}

func (c *change) remove(namespace []string, key string) {
	c.ops = append(c.ops, store.Op{Namespace: namespace, Key: key})
}

// write writes the change. A refusal of the store is an *InvalidError.
func (m *Manager) write(ctx context.Context, c *change) error {
	err := c.err
	if err == nil {
		err = m.Store.Apply(ctx, c.ops...)
	}
	if invalid := (*store.InvalidError)(nil); errors.As(err, &invalid) {
		return &InvalidError{err}
	}
	return err
}

// list returns the records of a namespace that match, sorted by key.
func list[T any](ctx context.Context, m *Manager, namespace []string, match func(*T) bool) ([]T, error) {
	found, err := m.Store.Search(ctx, store.Query{Namespace: namespace, Limit: math.MaxInt32})
	if err != nil {
		return nil, err
	}
	var out []T
	for _, item := range found {
		v, err := store.Decode[T](item.Item)
		if err != nil {
			return nil, fmt.Errorf("reading %v %q: %w", item.Namespace, item.Key, err)
		}
		if match == nil || match(&v) {
			out = append(out, v)
		}
	}
	return out, nil
}

// storable returns JSON of a graph in a form that the store accepts: without U+0000, and in UTF-8.
// A node's value must not prevent the end of its run.
func storable(data json.RawMessage) json.RawMessage {
	if !bytes.Contains(data, []byte(`\u0000`)) && utf8.Valid(data) {
		return data
	}
	out := make([]byte, 0, len(data))
	for rest := bytes.ToValidUTF8(data, []byte("\ufffd")); len(rest) > 0; {
		n := 1
		if rest[0] == '\\' {
			n = min(2, len(rest)) // keep the escaped character with its backslash
		}
		if bytes.HasPrefix(rest, []byte(`\u0000`)) {
			out, rest = append(out, `\ufffd`...), rest[6:]
			continue
		}
		out, rest = append(out, rest[:n]...), rest[n:]
	}
	return out
}

// object returns a JSON object; {} if data is empty.
func object(data json.RawMessage) json.RawMessage {
	if len(data) == 0 {
		return json.RawMessage("{}")
	}
	return data
}

// Merge returns the fields of both objects. The fields of more win.
func Merge(data, more json.RawMessage) (json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	for _, part := range []json.RawMessage{data, more} {
		if len(part) == 0 {
			continue
		}
		if err := json.Unmarshal(part, &all); err != nil {
			return nil, &InvalidError{fmt.Errorf("metadata must be an object: %w", err)}
		}
	}
	return json.Marshal(all)
}
