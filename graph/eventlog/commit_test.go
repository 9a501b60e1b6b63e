package eventlog

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
)

// cut is rows whose connection breaks at a commit, once: behind it, or before.
type cut struct {
	rows
	behind bool
	runs   int // of the append that breaks; before it none does
}

func (c *cut) append(ctx context.Context, batches []*batch) error {
	if len(batches) != c.runs {
		return c.rows.append(ctx, batches)
	}
	c.runs = -1
	if c.behind {
		return errors.Join(errors.New("connection reset"), c.rows.append(ctx, batches))
	}
	for _, b := range batches {
		b.first = 1 // as it would be
	}
	return errors.New("connection reset")
}

// Events whose commit ended with an error are written once, whether it was done or not.
func TestCommitUnknown(t *testing.T) {
	for _, behind := range []bool{true, false} {
		l, err := OpenFile(t.Context(), filepath.Join(t.TempDir(), "events.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		l.rows = &cut{l.rows, behind, 2}
		a, b := l.Recorder("a"), l.Recorder("b")
		l.mu.Lock() // so that both are written together
		for _, run := range []string{"a", "b"} {
			l.waiting[run] = &batch{run: run, events: []json.RawMessage{[]byte(`{"n":1}`), []byte(`{"n":2}`)}}
			l.size += 14
		}
		l.more <- struct{}{}
		l.mu.Unlock()
		if err := errors.Join(a.Close(t.Context()), b.Close(t.Context())); err != nil {
			t.Errorf("behind the commit %v: %v", behind, err)
		}
		for _, run := range []string{"a", "b"} {
			if found, err := l.rows.page(t.Context(), run, 0, 10); err != nil || len(found) != 2 {
				t.Errorf("behind the commit %v: run %s has %d events, want 2; %v", behind, run, len(found), err)
			}
		}
	}
}
