package render

import (
	"strings"
	"testing"

	"example.com/assay/state"
)

// Links stand only where a terminal shows them.
func TestSourceLinks(t *testing.T) {
	sources := []state.Source{{Query: 1, Source: 2, Where: "Notes", Path: "/tmp/my notes.md", Start: 1, End: 4}}
	if got := Sources(sources, false); got != "• [Query 1][Source 2] Notes — /tmp/my notes.md, bytes 1–4\n" {
		t.Errorf("plain: %q", got)
	}
	if got := Sources(sources, true); !strings.Contains(got, "\x1b]8;;file:///tmp/my%20notes.md\x1b\\/tmp/my notes.md, bytes 1–4\x1b]8;;\x1b\\") {
		t.Errorf("linked: %q", got)
	}
	if got := fileURL("C:/my notes.md"); got != "file:///C:/my%20notes.md" {
		t.Errorf("on a drive: %q", got)
	}
}
