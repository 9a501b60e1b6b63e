package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.com/assay/memory/index/indextest"
	"example.com/assay/memory/index/internal/storage"
	"example.com/assay/memory/retrieval"
)

// Whatever happens to a generation's files, opening it gives a typed error or
// an index that answers as before.
func TestDamagedFiles(t *testing.T) {
	dir := build(t, kiteBarge(t)[:12])
	want := outcomes(t, open(t, dir))
	damages := map[string]func(data []byte) []byte{
		"emptied":   func([]byte) []byte { return nil },
		"cut":       func(d []byte) []byte { return d[:len(d)-1] },
		"halved":    func(d []byte) []byte { return d[:len(d)/2] },
		"longer":    func(d []byte) []byte { return append(bytes.Clone(d), 0) },
		"zeroed":    func(d []byte) []byte { return make([]byte, len(d)) },
		"first bit": func(d []byte) []byte { return flip(d, 0) },
		"middle":    func(d []byte) []byte { return flip(d, len(d)/2) },
		"last bit":  func(d []byte) []byte { return flip(d, len(d)-1) },
	}
	for path, data := range snapshot(t, dir) {
		for name, damage := range damages {
			t.Run(filepath.Base(path)+" "+name, func(t *testing.T) {
				if err := os.WriteFile(path, damage([]byte(data)), 0o600); err != nil {
					t.Fatal(err)
				}
				defer os.WriteFile(path, []byte(data), 0o600)
				expectDamage(t, dir)
				_, err := Update(t.Context(), UpdateOptions{Dir: filepath.Join(t.TempDir(), "new"), From: dir, Add: plain("x")})
				if !damaged(err) {
					t.Errorf("Update from it: %v", err)
				}
			})
		}
		t.Run(filepath.Base(path)+" removed", func(t *testing.T) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			defer os.WriteFile(path, []byte(data), 0o600)
			expectDamage(t, dir)
		})
	}
	if got := outcomes(t, open(t, dir)); got != want {
		t.Error("the restored index answers differently")
	}
}

// Of a large generation the parts are not checked when it is opened: a search of
// changed ones gives a typed error or answers as before.
func TestDamageIsFoundWhenItIsRead(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	passages := indextest.Synthesise(300, 9)
	for i := range passages {
		passages[i].Metadata = map[string]string{"kind": indextest.Word(uint64(i % 5))}
	}
	dir := updateListed(t, UpdateOptions{From: updateListed(t, UpdateOptions{Add: passages[:295]}, 100), Add: passages[295:]}, 100)
	var queries []retrieval.Query
	for i, q := range indextest.Questions(4, passages, 2) {
		queries = append(queries, retrieval.Query{Primary: q, Filter: []retrieval.Condition{{Key: "kind"}}[:i%2]})
	}
	var want []string
	x := open(t, dir)
	for _, q := range queries {
		want = append(want, outcome(search(t, x, q)))
	}
	for path, data := range snapshot(t, dir) {
		found, tried := 0, 0
		for at := 0; at < len(data); at += 1 + len(data)/60 {
			if err := os.WriteFile(path, flip([]byte(data), at), 0o600); err != nil {
				t.Fatal(err)
			}
			tried++
			if answersAnother(t, dir, queries, want) {
				found++
			}
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if ext := filepath.Ext(path); (ext == "" || ext == storage.SumsExt) && filepath.Base(path) != termsFile && filepath.Base(path) != vectorsFile && found < tried {
			t.Errorf("%s: %d of %d changes were found", filepath.Base(path), found, tried)
		} else if ext != ".bags" && filepath.Base(path) != termsFile && found == 0 {
			t.Errorf("%s: no change was found", filepath.Base(path))
		}
		if err := os.WriteFile(path, []byte(data)[:len(data)-1], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := openChecking(dir, nil, 0); !damaged(err) {
			t.Errorf("%s cut: %v", filepath.Base(path), err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// answersAnother reports whether a damage is found; an answer that is not the one of
// before fails the test.
func answersAnother(t *testing.T, dir string, queries []retrieval.Query, want []string) (found bool) {
	t.Helper()
	x, err := openChecking(dir, nil, 0)
	if err != nil {
		if !damaged(err) {
			t.Errorf("opening: %v", err)
		}
		return true
	}
	defer x.Close()
	for i, q := range queries {
		r, err := x.Search(t.Context(), q)
		switch {
		case err != nil && !damaged(err):
			t.Errorf("searching: %v", err)
		case err == nil && outcome(r) != want[i]:
			t.Errorf("another answer, and no error")
		}
		found = found || err != nil
	}
	return found
}

func flip(data []byte, at int) []byte {
	data = bytes.Clone(data)
	data[at] ^= 0x10
	return data
}

func damaged(err error) bool {
	var corrupt *CorruptError
	var version *VersionError
	return errors.As(err, &corrupt) || errors.As(err, &version)
}

func expectDamage(t *testing.T, dir string) {
	t.Helper()
	x, err := Open(dir)
	if err == nil {
		x.Close()
	}
	if !damaged(err) {
		t.Errorf("Open: %v, want a CorruptError or a VersionError", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) || damaged(err) {
		t.Errorf("no directory: %v", err)
	}
	var corrupt *CorruptError
	if _, err := Open(t.TempDir()); !errors.As(err, &corrupt) {
		t.Errorf("an empty directory: %v", err)
	}
	dir := build(t, plain("x"))
	manifest := filepath.Join(dir, manifestFile)
	data, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	newer := bytes.Replace(data, fmt.Appendf(nil, "%s %d ", manifestMagic, formatVersion), fmt.Appendf(nil, "%s %d ", manifestMagic, cutVersion+1), 1)
	if err := os.WriteFile(manifest, newer, 0o600); err != nil {
		t.Fatal(err)
	}
	var version *VersionError
	if _, err := Open(dir); !errors.As(err, &version) || version.Got != cutVersion+1 || version.Want != formatVersion {
		t.Errorf("another version: %v", err)
	}
	for _, name := range []string{"../outside", "/etc/passwd"} {
		m := manifestNaming(t, dir, data, name)
		if err := os.WriteFile(manifest, m, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); !errors.As(err, &corrupt) {
			t.Errorf("a manifest that names %s: %v", name, err)
		}
	}
}

// manifestNaming is the manifest with one more file.
func manifestNaming(t *testing.T, dir string, data []byte, name string) []byte {
	t.Helper()
	m, err := decodeManifest(dir, data)
	if err != nil {
		t.Fatal(err)
	}
	m.Files = append(m.Files, file{Name: name})
	if data, err = m.encode(); err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSharedAndConcurrent(t *testing.T) {
	dir := build(t, kiteBarge(t))
	a, b := open(t, dir), open(t, dir)
	want := outcomes(t, a)
	var wg sync.WaitGroup
	for _, x := range []*Index{a, b, a, b} {
		wg.Go(func() {
			if got := outcomes(t, x); got != want {
				t.Error("a concurrent reader got other answers")
			}
		})
	}
	wg.Wait()
}

func TestClosedAndCancelled(t *testing.T) {
	dir := build(t, kiteBarge(t)[:5])
	x := open(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Search(ctx, retrieval.Query{Primary: "barge pilots"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	if _, err := x.Search(t.Context(), retrieval.Query{Primary: "barge pilots"}); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("searching a closed index: %v", err)
	}
}

func FuzzDecodeManifest(f *testing.F) {
	dir := build(f, kiteBarge(f)[:4])
	f.Add([]byte(snapshot(f, dir)[filepath.Join(dir, manifestFile)]))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := decodeManifest("dir", data); err != nil && !damaged(err) {
			t.Errorf("an untyped error: %v", err)
		}
	})
}
