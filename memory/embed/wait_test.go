package embed

import (
	"context"
	"errors"
	"testing"
	"time"
)

// While another process holds the lock, a writer waits for as long as it is asked
// to, and readers do not wait at all.
func TestWaitingForTheLock(t *testing.T) {
	dir := t.TempDir()
	c := reopen(t, dir, nil)
	known, v := vectorOf(1)
	if err := c.Put(t.Context(), []Key{known}, [][]float32{v}); err != nil {
		t.Fatal(err)
	}
	other, err := reopen(t, dir, nil).rows.(*cacheFile).file.Write.BeginTx(t.Context(), nil) // as another process would
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	wrote := make(chan error, 2)
	key, v := vectorOf(2)
	for range 2 { // one waits for the lock, the other for the one
		go func() { wrote <- c.Put(ctx, []Key{key}, [][]float32{v}) }()
	}
	time.Sleep(20 * time.Millisecond)
	read := make(chan error, 1)
	go func() {
		got, err := c.Get(t.Context(), []Key{known})
		if err == nil && got[0] == nil {
			err = errors.New("the vector is not found")
		}
		read <- err
	}()
	select {
	case err := <-read:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("a reader waits for the lock of another process")
	}
	cancel()
	for range 2 {
		select {
		case err := <-wrote:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("a cancelled writer: %v", err)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("a cancelled writer goes on waiting")
		}
	}
	if err := other.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := c.Put(t.Context(), []Key{key}, [][]float32{v}); err != nil {
		t.Errorf("once the lock is free: %v", err)
	}
}
