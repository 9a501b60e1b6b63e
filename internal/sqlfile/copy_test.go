package sqlfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var noteSchema = Schema{Application: 0x41537431, Steps: []string{`CREATE TABLE notes (n INTEGER PRIMARY KEY, body TEXT NOT NULL)`}}

// filled makes a file with n rows and leaves it open.
func filled(t *testing.T, n int) (string, *File) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "notes.db")
	f, err := Open(t.Context(), path, noteSchema, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	tx, err := f.Write.Begin()
	for i := range n {
		if err == nil {
			_, err = tx.Exec("INSERT INTO notes VALUES (?, ?)", i, fmt.Sprintf(`{"text":"%s"}`, strings.Repeat("x", 400)))
		}
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path, f
}

// A copy is one committed state, whatever other processes write meanwhile.
func TestCopyWhileWriting(t *testing.T) {
	path, f := filled(t, 20_000)
	to := filepath.Join(t.TempDir(), "copy.db")
	steps := 0
	err := Copy(t.Context(), path, to, func(done, total int) {
		steps++
		if _, err := f.Write.Exec("DELETE FROM notes WHERE n % 2 = ?", steps%2); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if steps < 2 {
		t.Fatalf("copied in %d steps: too few for a write in between", steps)
	}
	if err := Verify(t.Context(), to, noteSchema, "notes.body"); err != nil {
		t.Fatal(err)
	}
	c, err := Open(t.Context(), to, noteSchema, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var n int
	if err := c.Read.QueryRow("SELECT count(*) FROM notes").Scan(&n); err != nil || n != 20_000 {
		t.Errorf("the copy has %d rows (%v), want those before it began", n, err)
	}
}

func TestCopyEnds(t *testing.T) {
	path, _ := filled(t, 20_000)
	dir := t.TempDir()
	to := filepath.Join(dir, "copy.db")
	ctx, cancel := context.WithCancel(t.Context())
	if err := Copy(ctx, path, to, func(done, total int) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := os.WriteFile(to, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Copy(t.Context(), path, to, nil); err == nil {
		t.Error("a file that exists was overwritten")
	}
	if got, err := os.ReadFile(to); err != nil || string(got) != "mine" {
		t.Errorf("the file that exists is now %q, %v", got, err)
	}
}

// Verify finds damage and changes nothing, with and without a log next to the file.
func TestVerify(t *testing.T) {
	path, f := filled(t, 500)
	if application, _, err := Stamp(path); err != nil || application != 0 && application != noteSchema.Application {
		t.Errorf("stamp of a file with a log: %x, %v", application, err)
	}
	check := func(want string) {
		t.Helper()
		before := contents(t, filepath.Dir(path))
		err := Verify(t.Context(), path, noteSchema, "notes.body")
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
		for name, data := range contents(t, filepath.Dir(path)) {
			if !strings.HasSuffix(name, "-shm") && !bytes.Equal(before[name], data) {
				t.Errorf("%s changed", name)
			}
		}
	}
	check("")
	if _, err := f.Write.Exec(`INSERT INTO notes VALUES (-1, '{"text')`); err != nil {
		t.Fatal(err)
	}
	check("1 rows of the table notes are not JSON")
	if _, err := f.Write.Exec("DELETE FROM notes WHERE n = -1"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	check("")
	if application, version, err := Stamp(path); err != nil || application != noteSchema.Application || version != 1 {
		t.Errorf("stamp %x %d, %v", application, version, err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		how  string
		data []byte
		want string
	}{
		{"cut", data[:len(data)/2], "malformed"},
		{"page lost", append(append(bytes.Clone(data[:8192]), make([]byte, 4096)...), data[12288:]...), "ree"},
		{"no database", []byte("hello, this is a text of some length"), "not a database"},
		{"empty", nil, "no tables"},
	} {
		if err := os.WriteFile(path, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		t.Log(c.how)
		check(c.want)
	}
}

func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, e := range entries {
		if out[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return out
}
