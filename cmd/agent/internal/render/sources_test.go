package render

import (
	"strings"
	"testing"

	"example.com/assay/state"
)

func TestWithoutSources(t *testing.T) {
	for in, want := range map[string]string{
		"a":                        "a",
		"a\n\n## Sources\n\n- [1]": "a\n",
		"a\n\n## Sources\n\n- [1]\n\n---\n\n**Answer: (A)**": "a\n\n\n---\n\n**Answer: (A)**",
		"“x\n## Sources\ny”\n\n## Sources\n\n- [1]":          "“x\n## Sources\ny”\n",
	} {
		if got := WithoutSources(in); got != want {
			t.Errorf("withoutSources(%q) = %q, want %q", in, got, want)
		}
	}
}

// Links stand only where a terminal shows them.
func TestSourceLinks(t *testing.T) {
	sources := []state.Source{{Query: 1, Source: 2, Where: "Notes", Path: "/tmp/my notes.md", Start: 1, End: 4}}
	if got := Sources(sources, false); got != "• [Query 1][Source 2] Notes — /tmp/my notes.md, bytes 1–4\n" {
		t.Errorf("plain: %q", got)
	}
	if got := Sources(sources, true); !strings.Contains(got, "\x1b]8;;file:///tmp/my%20notes.md\x1b\\/tmp/my notes.md, bytes 1–4\x1b]8;;\x1b\\") {
		t.Errorf("linked: %q", got)
	}
}
