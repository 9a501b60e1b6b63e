package sourcetest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"example.com/assay/memory/index"
)

func TestMemory(t *testing.T) {
	Run(t, func(*testing.T) index.Collection { return new(Memory) })
}

// What is changed or cut on disk is not searched, and each kind of generation says how it
// is opened.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	files, served, to := filepath.Join(dir, "files"), filepath.Join(dir, "served"), new(Memory)
	if _, err := index.Update(t.Context(), index.UpdateOptions{Dir: files, Add: Rulebook()}); err != nil {
		t.Fatal(err)
	}
	if err := index.Publish(t.Context(), index.PublishOptions{From: files, Dir: served, To: to}); err != nil {
		t.Fatal(err)
	}
	if _, err := index.Open(served); err == nil {
		t.Error("a generation on a server was opened without it")
	}
	if _, err := index.OpenServed(files, to); err == nil {
		t.Error("a generation in files was opened on a server")
	}
	for _, name := range []string{"lexicon", "lsa", "manifest"} {
		path := filepath.Join(served, name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		changed := append([]byte(nil), whole...)
		changed[len(changed)/2] ^= 1
		for what, data := range map[string][]byte{"changed": changed, "cut": whole[:len(whole)/2], "empty": nil} {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := index.OpenServed(served, to); !errors.As(err, new(*index.CorruptError)) {
				t.Errorf("%s %s: %v", what, name, err)
			}
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	x, err := index.OpenServed(served, to)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}
