package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestSync(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, dir} {
		if err := Sync(path); err != nil {
			t.Error(err)
		}
	}
	if err := Sync(filepath.Join(dir, "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of what is absent: %v", err)
	}
}

// A link has the file's bytes, also on another disk, and never takes an existing name.
func TestLink(t *testing.T) {
	from := filepath.Join(t.TempDir(), "from")
	if err := os.WriteFile(from, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	folders := []string{t.TempDir()}
	if other, err := os.MkdirTemp("/dev/shm", "disk-"); err == nil {
		t.Cleanup(func() { _ = os.RemoveAll(other) })
		folders = append(folders, other)
	}
	for _, dir := range folders {
		to := filepath.Join(dir, "to")
		if err := Link(from, to); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(to); err != nil || string(data) != "text" {
			t.Errorf("%s holds %q, %v", to, data, err)
		}
		if err := Link(from, to); !errors.Is(err, fs.ErrExist) {
			t.Errorf("to a place that is taken: %v", err)
		}
	}
}

// A renamed file replaces the old one. An error without an open file comes at once and does not
// mention one.
func TestRename(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	for path, text := range map[string]string{from: "new", to: "old"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := Rename(from, to); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(to); err != nil || string(data) != "new" {
		t.Errorf("it holds %q, %v", data, err)
	}
	if err := Rename(from, to); !errors.Is(err, fs.ErrNotExist) || InUse(err) || Full(err) {
		t.Errorf("of what is absent: %v", err)
	}
}
