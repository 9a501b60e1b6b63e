package memory

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A PDF without text of its own is read by a program of the machine. What it was
// read by is on record, and another program, or another version, reads it again.
func TestReaderOfPDF(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	install := func(version, text string) {
		t.Helper()
		script := fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = -v ]; then echo 'pdftotext version %s' >&2; exit 0; fi\necho '%s'\n", version, text)
		if err := os.WriteFile(filepath.Join(bin, "pdftotext"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	home, docs := t.TempDir(), tree(t, t.TempDir(), map[string]string{"scan.pdf": "%PDF-1.4\nno text here", "other.txt": "Another text."})
	opts := IngestOptions{Home: home, Corpus: "scans", Paths: []string{docs}}
	seen := func() (reader, text string) {
		t.Helper()
		c, err := Open(home, "scans")
		if err != nil {
			t.Fatal(err)
		}
		defer closeCorpus(t, c)
		f, err := c.file("scan.pdf")
		if err != nil {
			t.Fatal(err)
		}
		p := passagesOf(t, c, f.Source)[0]
		if p.Metadata["reader"] != f.Reader {
			t.Errorf("the passage names %q, the record %q", p.Metadata["reader"], f.Reader)
		}
		return f.Reader, strings.TrimSpace(p.Text)
	}
	for _, c := range []struct {
		version, text string
		changed       int
	}{{"22.12.0", "Read by one.", 0}, {"22.12.0", "Read by one.", 0}, {"24.02.0", "Read by another.", 1}, {"24.03.0", "Read by another.", 1}, {"24.03.0", "Read by another.", 0}} {
		install(c.version, c.text)
		r := mustIngest(t, opts)
		if reader, text := seen(); reader != "pdftotext version "+c.version || text != c.text || r.Changed != c.changed {
			t.Errorf("%s: read by %q: %q, %d changed; want %q, %d changed", c.version, reader, text, r.Changed, c.text, c.changed)
		}
	}
	if err := os.Remove(filepath.Join(bin, "pdftotext")); err != nil {
		t.Fatal(err)
	}
	r := mustIngest(t, opts)
	if len(r.Skipped) != 1 || r.Removed != 1 || !strings.HasSuffix(r.Skipped[0].Path, "scan.pdf") {
		t.Errorf("without the program: %+v", r)
	}
}
