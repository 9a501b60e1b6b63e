//go:build unix

package serve_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe below the root is refused; the tool does not wait for it.
func TestMCPPipe(t *testing.T) {
	root := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(root, "pipe.txt"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := piped(t, t.TempDir(), "", "--root", root).call("verify", object{"file": "pipe.txt"}); !strings.HasPrefix(got, `tool: "pipe.txt" is not a file`) {
		t.Error(got)
	}
}
