package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

const (
	defaultResults    = 10
	defaultNamespaces = 100
)

func (e *engine) Search(ctx context.Context, q Query) ([]Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limit, err := window(q.Limit, q.Offset, defaultResults)
	if err != nil {
		return nil, err
	}
	if err := checkPrefix(q.Namespace); err != nil {
		return nil, err
	}
	conditions := make([]condition, len(q.Filters))
	for i, f := range q.Filters {
		c, err := f.condition()
		if err != nil {
			return nil, err
		}
		conditions[i] = c
	}
	now := e.now()
	r := Range{Prefix: pathOf(q.Namespace), Live: now}
	var found []scored
	if q.Text != "" {
		found, err = e.nearest(ctx, q.Text, r, conditions, last(q.Offset, limit))
	} else {
		found, err = e.first(ctx, r, conditions, last(q.Offset, limit))
	}
	if err != nil {
		return nil, err
	}
	found = found[min(q.Offset, len(found)):]
	rows := make([]*Row, len(found))
	for i := range found {
		rows[i] = &found[i].row
	}
	if err := e.refresh(ctx, now, rows); err != nil {
		return nil, err
	}
	results := make([]Result, len(found))
	for i := range found {
		results[i] = Result{Item: found[i].row.item(), Score: found[i].score}
	}
	return results, nil
}

// window checks an offset and a limit, and returns the limit or its default.
func window(limit, offset, standard int) (int, error) {
	if limit < 0 || offset < 0 {
		return 0, invalid("query", "the limit %d or the offset %d is negative", limit, offset)
	}
	return cmp.Or(limit, standard), nil
}

// last is the number of results up to the end of the window.
func last(offset, limit int) int {
	if offset > math.MaxInt-limit {
		return math.MaxInt
	}
	return offset + limit
}

func checkPrefix(labels []string) error {
	if len(labels) == 0 {
		return nil
	}
	if err := checkNamespace(labels); err != nil {
		return err.of(slices.Clone(labels), "")
	}
	return nil
}

type scored struct {
	row   Row
	score float64
}

// first returns the first rows that match, n at most.
func (e *engine) first(ctx context.Context, r Range, conditions []condition, n int) ([]scored, error) {
	var found []scored
	err := e.matching(ctx, r, conditions, func(row Row) (more bool, err error) {
		found = append(found, scored{row: row})
		return len(found) < n, nil
	})
	return found, err
}

// matching calls f with the rows that match until it returns false.
func (e *engine) matching(ctx context.Context, r Range, conditions []condition, f func(Row) (more bool, err error)) error {
	for row, err := range e.rows.Scan(ctx, r) {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		ok, err := matchesAll(row, conditions)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if more, err := f(row); err != nil || !more {
			return err
		}
	}
	return nil
}

func matchesAll(row Row, conditions []condition) (bool, error) {
	if len(conditions) == 0 {
		return true, nil
	}
	object, err := parse(row.Value)
	if err != nil {
		return false, fmt.Errorf("reading the value of %s: %w", itemName(namespaceOf(row.Path), row.Key), err)
	}
	for _, c := range conditions {
		if !c.matches(object) {
			return false, nil
		}
	}
	return true, nil
}

func (e *engine) ListNamespaces(ctx context.Context, q NamespaceQuery) ([][]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limit, err := window(q.Limit, q.Offset, defaultNamespaces)
	if err != nil {
		return nil, err
	}
	if q.MaxDepth < 0 {
		return nil, invalid("query", "the depth %d is negative", q.MaxDepth)
	}
	if err := checkPrefix(q.Prefix); err != nil {
		return nil, err
	}
	if err := checkLabels(q.Suffix); err != nil {
		return nil, err
	}
	end := last(q.Offset, limit)
	var found [][]string
	for path, err := range e.rows.Paths(ctx, Range{Prefix: pathOf(q.Prefix), Live: e.now()}) {
		if err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		namespace := namespaceOf(path)
		if !hasSuffix(namespace, q.Suffix) {
			continue
		}
		if q.MaxDepth > 0 && len(namespace) > q.MaxDepth {
			namespace = namespace[:q.MaxDepth]
		}
		// Namespaces that the cut made equal are neighbours.
		if len(found) > 0 && slices.Equal(found[len(found)-1], namespace) {
			continue
		}
		if found = append(found, namespace); len(found) == end {
			break
		}
	}
	return found[min(q.Offset, len(found)):], nil
}
