package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
)

// Options configure a store over any backend.
type Options struct {
	// Now is the clock. Default: time.Now.
	Now func() time.Time
	// TTL is the life of items whose Op has none. Default: for ever.
	TTL time.Duration
	// RefreshOnRead restarts an item's TTL whenever Get or Search returns it. Reads then also
	// write. Default: only a put restarts it.
	RefreshOnRead bool
	// Embedder lets Search compare texts by meaning. Default: none; a search by text then returns
	// ErrNoEmbedder.
	Embedder Embedder
	// Fields are paths, as in Filter, of the fields to embed. Each gets one vector of all its
	// strings. Default: one vector of all strings in the value.
	Fields []string
	// Dimensions is the length of the Embedder's vectors. Default: the length of the first vector
	// that it returns.
	Dimensions int
}

// New returns a store over a backend. Nil options mean the defaults.
func New(b Backend, opts *Options) (Store, error) {
	e := &engine{rows: b}
	if opts != nil {
		e.opts = *opts
	}
	if e.opts.Now == nil {
		e.opts.Now = time.Now
	}
	if e.opts.TTL < 0 && e.opts.TTL != Forever {
		return nil, invalid("options", "TTL is %v", e.opts.TTL)
	}
	if e.opts.Dimensions < 0 {
		return nil, invalid("options", "Dimensions is %d", e.opts.Dimensions)
	}
	var wrong *InvalidError
	if e.fields, wrong = splitFields(e.opts.Fields); wrong != nil {
		return nil, wrong
	}
	if e.opts.Embedder != nil {
		if e.opts.Embedder.ID() == "" {
			return nil, invalid("options", "the Embedder's ID is empty")
		}
		e.index = indexName(e.opts.Embedder.ID(), e.opts.Fields)
	}
	e.dimensions.Store(int64(e.opts.Dimensions))
	return e, nil
}

// engine is the Store over any Backend.
type engine struct {
	rows       Backend
	opts       Options
	fields     [][]string
	index      string       // names comparable vectors; empty without an Embedder
	dimensions atomic.Int64 // of the Embedder; 0 until known
}

func (e *engine) now() int64 { return e.opts.Now().UnixMicro() }

func (e *engine) Apply(ctx context.Context, ops ...Op) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	now := e.now()
	changes := make([]Change, len(ops))
	var rows []*Row
	var fields [][][]string
	for i, op := range ops {
		var err *InvalidError
		if changes[i], err = e.change(op, now); err != nil {
			return err
		}
		if changes[i].Kind != ChangePut {
			continue
		}
		own, err := splitFields(op.Fields)
		if err != nil {
			return err.of(slices.Clone(op.Namespace), op.Key)
		}
		if op.Fields == nil {
			own = e.fields
		}
		rows, fields = append(rows, &changes[i].Row), append(fields, own)
	}
	if err := e.embedRows(ctx, rows, fields); err != nil {
		return err
	}
	return e.write(ctx, now, changes)
}

// write sorts changes by row, so two transactions cannot deadlock. Changes of one row keep their
// order.
func (e *engine) write(ctx context.Context, now int64, changes []Change) error {
	if len(changes) == 0 {
		return nil
	}
	slices.SortStableFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Row.Path, b.Row.Path), cmp.Compare(a.Row.Key, b.Row.Key))
	})
	return e.rows.Write(ctx, now, changes)
}

func (e *engine) change(op Op, now int64) (Change, *InvalidError) {
	if err := checkName(op.Namespace, op.Key); err != nil {
		return Change{}, err
	}
	row := Row{Path: pathOf(op.Namespace), Key: op.Key}
	if op.Value == nil {
		return Change{Kind: ChangeDelete, Row: row}, nil
	}
	value, err := compact(op.Value)
	if err != nil {
		return Change{}, err.of(slices.Clone(op.Namespace), op.Key)
	}
	ttl := cmp.Or(op.TTL, e.opts.TTL)
	if ttl < 0 && ttl != Forever {
		return Change{}, invalid("ttl", "%v is negative", ttl).of(slices.Clone(op.Namespace), op.Key)
	}
	row.Value, row.Created, row.Updated, row.Expires = value, now, now, Never
	if ttl > 0 {
		row.TTL = max(ttl.Microseconds(), 1)
		row.Expires = now + row.TTL
	}
	return Change{Kind: ChangePut, Row: row}, nil
}

// splitFields splits dotted paths. It returns nil for none, and an empty list for an empty one.
func splitFields(fields []string) (paths [][]string, wrong *InvalidError) {
	if fields != nil {
		paths = [][]string{}
	}
	for _, f := range fields {
		path, err := splitField(f)
		if err != nil {
			return nil, invalid("options", "Fields: %s", err.Reason)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

func (e *engine) Get(ctx context.Context, namespace []string, key string) (Item, error) {
	if err := ctx.Err(); err != nil {
		return Item{}, err
	}
	if err := checkName(namespace, key); err != nil {
		return Item{}, err
	}
	now := e.now()
	row, ok, err := e.rows.Read(ctx, pathOf(namespace), key)
	if err != nil {
		return Item{}, err
	}
	if !ok || row.Expires <= now {
		return Item{}, ErrNotFound
	}
	if err := e.refresh(ctx, now, []*Row{&row}); err != nil {
		return Item{}, err
	}
	return row.item(), nil
}

// refresh restarts the TTL of the rows that were read, with Options.RefreshOnRead.
func (e *engine) refresh(ctx context.Context, now int64, rows []*Row) error {
	if !e.opts.RefreshOnRead {
		return nil
	}
	var changes []Change
	for _, row := range rows {
		if row.TTL > 0 {
			row.Expires = max(row.Expires, now+row.TTL)
			changes = append(changes, Change{Kind: ChangeRefresh, Row: Row{Path: row.Path, Key: row.Key}})
		}
	}
	if err := e.write(ctx, now, changes); err != nil {
		return fmt.Errorf("refreshing what was read: %w", err)
	}
	return nil
}

func (e *engine) Sweep(ctx context.Context) (int, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return e.rows.Sweep(ctx, e.now())
}

// item copies the value, which a backend may still hold.
func (r *Row) item() Item {
	item := Item{
		Namespace: namespaceOf(r.Path),
		Key:       r.Key,
		Value:     bytes.Clone(r.Value),
		Created:   time.UnixMicro(r.Created).UTC(),
		Updated:   time.UnixMicro(r.Updated).UTC(),
	}
	if r.Expires != Never {
		item.Expires = time.UnixMicro(r.Expires).UTC()
	}
	return item
}
