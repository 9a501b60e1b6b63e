package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A damaged or unusable history is reported once. Its usable lines stay, and so do the lines
// that another session wrote meanwhile.
func TestHistory(t *testing.T) {
	var warned []string
	warn := func(format string, args ...any) { warned = append(warned, fmt.Sprintf(format, args...)) }
	path := filepath.Join(t.TempDir(), "history")
	long := strings.Repeat("long ", 2000)
	if err := os.WriteFile(path, []byte("first\n\xff\xfe\n\x1b[31mred\n"+long+"\nlast\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h, lines := readHistory(path, warn)
	if want := []string{"first", long, "last"}; fmt.Sprint(lines) != fmt.Sprint(want) || len(warned) != 1 || !strings.Contains(warned[0], "2 lines left out") {
		t.Errorf("read %.60q, warned %q", lines, warned)
	}
	other, _ := readHistory(path, warn)
	other.add("from the other")
	other.save()
	h.add("of two\nlines")
	h.save()
	got, err := os.ReadFile(path)
	if err != nil || !strings.HasSuffix(string(got), "last\nfrom the other\nof two↵lines\n") {
		t.Errorf("the file ends %q, %v", got[max(len(got)-60, 0):], err)
	}

	warned = nil
	h, lines = readHistory(t.TempDir(), warn) // a folder cannot be read
	h.add("x")
	h.save()
	if len(lines) != 0 || len(warned) != 1 {
		t.Errorf("an unreadable history: %d lines, warned %q", len(lines), warned)
	}
	warned = nil
	path = filepath.Join(t.TempDir(), "history")
	h, _ = readHistory(path, warn)
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	h.add("x")
	h.save()
	if len(warned) != 1 {
		t.Errorf("a history that cannot be written: warned %q", warned)
	}
}
