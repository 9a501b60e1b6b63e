package plainfile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/assay/internal/plainfile"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	file, pipe := filepath.Join(dir, "file"), filepath.Join(dir, "pipe")
	if err := errors.Join(os.WriteFile(file, []byte("12345"), 0o600), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path  string
		limit int64
		want  string
		says  string
	}{
		{file, 0, "12345", ""}, {file, 5, "12345", ""}, {file, 4, "", "is longer than 4 bytes; split it"},
		{pipe, 0, "", ""}, // nobody writes it
		{dir, 0, "", "is a folder; name a file in it"}, {"/dev/zero", 0, "", "is a device or a socket"},
	} {
		data, err := plainfile.Read(c.path, c.limit)
		if string(data) != c.want || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("reading %s up to %d: %q, %v", c.path, c.limit, data, err)
		}
	}
	if _, err := plainfile.Read(filepath.Join(dir, "none"), 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file is %v", err)
	}
}

// The reader waits for a process that has a pipe open for writing, as in a shell's process
// substitution.
func TestReadPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		data, err := plainfile.Read(fmt.Sprintf("/dev/fd/%d", r.Fd()), 0)
		if string(data) != "slow" || err != nil {
			t.Errorf("%q, %v", data, err)
		}
	}()
	for _, s := range []string{"sl", "ow"} {
		time.Sleep(20 * time.Millisecond) // the reader is there, and finds nothing
		if _, err := w.WriteString(s); err != nil {
			t.Error(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	<-done
}
