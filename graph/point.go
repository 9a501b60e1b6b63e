package graph

import (
	"context"
	"fmt"
)

// A point is a checkpoint with its decoded content.
type point struct {
	Checkpoint
	*folded
	records []Record
	older   bool // it was migrated
}

func readPoint(ctx context.Context, saver Checkpointer, key Key) (*point, error) {
	lineage, records, err := saver.Load(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("loading %s: %w", key, ofCheckpointer(err))
	}
	f, err := fold(lineage, stateReaderOf(ctx, saver, key.Thread))
	if err != nil {
		return nil, fmt.Errorf("loading %s: %w", key, err)
	}
	return &point{Checkpoint: lineage[len(lineage)-1], folded: f, records: records}, nil
}

func stateReaderOf(ctx context.Context, saver Checkpointer, thread string) stateReader {
	return func(from stateRef) (*folded, error) {
		p, err := readPoint(ctx, saver, Key{thread, from.Namespace, from.ID})
		if err != nil {
			return nil, err
		}
		return p.folded, nil
	}
}

// readBoth reads a checkpoint, and the ID of the newest in its namespace. With an ID in the key,
// the newest may be unreadable.
func readBoth(ctx context.Context, saver Checkpointer, key Key) (p *point, newest string, err error) {
	if p, err = readPoint(ctx, saver, key); err != nil {
		return nil, "", err
	}
	if key.ID == "" {
		return p, p.ID, nil
	}
	newest, err = newestIn(ctx, saver, key)
	return p, newest, err
}

// newestIn returns the ID of the newest checkpoint in the key's namespace; empty for none.
func newestIn(ctx context.Context, saver Checkpointer, key Key) (newest string, err error) {
	for c, err := range saver.List(ctx, Query{Thread: key.Thread, Namespace: key.Namespace, Limit: 1}) {
		if err != nil {
			return "", fmt.Errorf("listing %s: %w", key, ofCheckpointer(err))
		}
		newest = c.ID
	}
	return newest, nil
}
