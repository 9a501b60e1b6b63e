package qa

import (
	"context"
	"database/sql"
)

// StoreAll stores many answers in one transaction, for tests of many.
func (m *Memory) StoreAll(ctx context.Context, n int, entry func(int) Entry) error {
	return m.rows.(*fileRows).change(ctx, func(tx *sql.Tx) error {
		for i := range n {
			e := entry(i)
			text, err := conditionText(e.Conditions)
			if err != nil {
				return err
			}
			e.ID, e.Stored = idOf(text, questionKey(e.Question)), m.opts.Now()
			if err := insert(ctx, tx, rowOf(text, e)); err != nil {
				return err
			}
		}
		return nil
	})
}
