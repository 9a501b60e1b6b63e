package store

import (
	"context"
	"slices"
)

// Below returns the part of a store below some labels as a store of its own. Its namespaces leave
// out these labels. A user of the part cannot name anything outside it.
func Below(s Store, labels ...string) Store { return &part{s, slices.Clone(labels)} }

type part struct {
	whole  Store
	labels []string
}

func (p *part) outer(namespace []string) []string { return slices.Concat(p.labels, namespace) }

// check refuses a namespace that is invalid inside the part. With the labels before it, the whole
// store would accept it.
func (p *part) check(namespace []string, key string) error {
	if fault := checkNamespace(namespace); fault != nil {
		fault.Namespace, fault.Key = namespace, key
		return fault
	}
	return nil
}

func (p *part) inner(i Item) Item {
	i.Namespace = slices.Clone(i.Namespace[len(p.labels):])
	return i
}

func (p *part) Apply(ctx context.Context, ops ...Op) error {
	own := slices.Clone(ops)
	for i, op := range ops {
		if err := p.check(op.Namespace, op.Key); err != nil {
			return err
		}
		own[i].Namespace = p.outer(op.Namespace)
	}
	return p.whole.Apply(ctx, own...)
}

func (p *part) Get(ctx context.Context, namespace []string, key string) (Item, error) {
	if err := p.check(namespace, key); err != nil {
		return Item{}, err
	}
	i, err := p.whole.Get(ctx, p.outer(namespace), key)
	if err != nil {
		return i, err
	}
	return p.inner(i), nil
}

func (p *part) Search(ctx context.Context, query Query) ([]Result, error) {
	query.Namespace = p.outer(query.Namespace)
	found, err := p.whole.Search(ctx, query)
	for i := range found {
		found[i].Item = p.inner(found[i].Item)
	}
	return found, err
}

func (p *part) ListNamespaces(ctx context.Context, query NamespaceQuery) ([][]string, error) {
	query.Prefix = p.outer(query.Prefix)
	if query.MaxDepth > 0 {
		query.MaxDepth += len(p.labels)
	}
	list, err := p.whole.ListNamespaces(ctx, query)
	for i := range list {
		list[i] = list[i][len(p.labels):]
	}
	return list, err
}

// Sweep sweeps the whole store: expired items are invisible to everybody.
func (p *part) Sweep(ctx context.Context) (int, error) { return p.whole.Sweep(ctx) }
