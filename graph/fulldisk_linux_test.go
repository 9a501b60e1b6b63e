package graph_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/sqlite"
)

// TestFullDisk lets the disk become full at many moments of a run.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("a small disk needs the right to mount one: %v; graph/checkpoint/sqlite fills its file without", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	filler := filepath.Join(dir, "filler")
	failed := 0
	for free := 0; free < 1<<20; free += 40 << 10 {
		t.Run(fmt.Sprint(free>>10, "kB"), func(t *testing.T) {
			path := filepath.Join(dir, fmt.Sprint(free))
			saver := openSQLite(t, path, sqlite.Full)
			t.Cleanup(func() { removeAll(t, path+"*") })
			s := newSurvival(t, 2, 0, saver, graph.DurabilitySync)
			fill(t, filler, free)
			err := s.survive(t, "t", saver, func() { removeAll(t, filler) })
			whole(t, path)
			if err == nil {
				return // it was enough
			}
			failed++
			if !strings.Contains(err.Error(), "full") {
				t.Errorf("the error does not say that the disk is full: %v", err)
			}
		})
	}
	if failed < 5 {
		t.Errorf("only %d runs met a full disk", failed)
	}
}

// fill leaves so many bytes of the disk that a file is on.
func fill(t *testing.T, path string, free int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var disk syscall.Statfs_t
	if err := syscall.Statfs(path, &disk); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(make([]byte, max(0, int(disk.Bavail)*int(disk.Bsize)-free))); err != nil {
		t.Fatal(err)
	}
}

func removeAll(t *testing.T, pattern string) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	for _, path := range paths {
		err = errors.Join(err, os.Remove(path))
	}
	if err != nil {
		t.Error(err)
	}
}
