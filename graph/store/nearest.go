package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// nearest returns the n matching rows that are nearest to a text, best first.
//
// Rows without vectors, or with vectors of another embedder, are embedded now and keep the new
// vectors. An error instead would make a store unusable after a change of the model, and skipping
// these rows would hide them. So the first search after a change is slow, and holds the values of
// these rows in memory.
func (e *engine) nearest(ctx context.Context, text string, r Range, conditions []condition, n int) ([]scored, error) {
	if e.opts.Embedder == nil {
		return nil, ErrNoEmbedder
	}
	vectors, err := e.embed(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	best := ranking{query: vectors[0], index: e.index, n: n}
	var foreign []*Row
	r.Vectors = true
	err = e.matching(ctx, r, conditions, func(row Row) (bool, error) {
		known, err := best.add(row)
		if err == nil && !known {
			foreign = append(foreign, &row)
		}
		return true, err
	})
	if err != nil {
		return nil, err
	}
	for batch := range slices.Chunk(foreign, embedBatch) {
		if err := e.reembed(ctx, r.Live, batch); err != nil {
			return nil, err
		}
		for _, row := range batch {
			if _, err := best.add(*row); err != nil {
				return nil, err
			}
		}
	}
	return best.sorted(), nil
}

// reembed makes vectors for rows and stores them, unless a row changed meanwhile.
func (e *engine) reembed(ctx context.Context, now int64, rows []*Row) error {
	if err := e.embedRows(ctx, rows, slices.Repeat([][][]string{e.fields}, len(rows))); err != nil {
		return err
	}
	changes := make([]Change, len(rows))
	for i, row := range rows {
		changes[i] = Change{Kind: ChangeVectors, Row: *row}
	}
	if err := e.write(ctx, now, changes); err != nil {
		return fmt.Errorf("keeping vectors: %w", err)
	}
	return nil
}

// A ranking keeps the best n rows.
type ranking struct {
	query []float32
	index string
	n     int
	rows  []scored
}

// add scores a row, and reports whether the row was embedded for this index. A row without text is
// embedded, but has no vectors and is not a result.
func (k *ranking) add(row Row) (known bool, err error) {
	vectors, known, err := decodeVectors(k.index, row.Vectors)
	if err != nil {
		return false, fmt.Errorf("scoring %s: %w", itemName(namespaceOf(row.Path), row.Key), err)
	}
	if len(vectors) == 0 {
		return known, nil
	}
	if len(vectors[0]) != len(k.query) {
		return false, fmt.Errorf("scoring %s: its vector has %d dimensions, the query's has %d",
			itemName(namespaceOf(row.Path), row.Key), len(vectors[0]), len(k.query))
	}
	score := -1.0
	for _, v := range vectors {
		score = max(score, cosine(k.query, v))
	}
	k.rows = append(k.rows, scored{row, score})
	// Rows are cut rarely, so that a cut costs little for each of them.
	if len(k.rows)/2 >= k.n {
		k.rows = k.sorted()
	}
	return true, nil
}

func (k *ranking) sorted() []scored {
	slices.SortFunc(k.rows, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.row.Path, b.row.Path), cmp.Compare(a.row.Key, b.row.Key))
	})
	cut := min(k.n, len(k.rows))
	clear(k.rows[cut:]) // their values may be large
	return k.rows[:cut]
}
