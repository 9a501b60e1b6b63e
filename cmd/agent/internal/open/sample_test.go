package open

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/memory"
)

// A sample of another version of the program is replaced. Its files stay, since earlier answers
// point into them.
func TestSampleOfOtherVersion(t *testing.T) {
	home := t.TempDir()
	old := filepath.Join(home, "samples", "us-law-primer-000000000000")
	if err := cli.WriteFile(filepath.Join(old, "torts", "battery.md"), []byte("# Battery\n\nA contact.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := memory.Ingest(t.Context(), memory.IngestOptions{Home: home, Corpus: SampleCorpus, Paths: []string{old}}); err != nil {
		t.Fatal(err)
	}
	var notes []string
	corpus, err := lawSample.open(t.Context(), home, func(s string) { notes = append(notes, s) })
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := corpus.Close(); err != nil {
			t.Error(err)
		}
	}()
	files, hash, err := SampleFiles()
	if err != nil {
		t.Fatal(err)
	}
	if len(notes) != 1 || len(corpus.Sources()) != len(files) {
		t.Errorf("notes %q, %d sources, want 1 note and %d sources", notes, len(corpus.Sources()), len(files))
	}
	for _, source := range corpus.Sources() {
		path, _, err := corpus.TextPath(source)
		if err != nil || !strings.HasPrefix(path, SampleDir(home, hash)) {
			t.Errorf("%s is at %s: %v", source, path, err)
		}
	}
	if _, err := os.Stat(filepath.Join(old, "torts", "battery.md")); err != nil {
		t.Error(err)
	}
	// A file that somebody edited is restored without another ingest.
	edited := filepath.Join(SampleDir(home, hash), "torts", "battery.md")
	if err := os.WriteFile(edited, []byte("edited"), 0o644); err != nil {
		t.Fatal(err)
	}
	again, err := lawSample.open(t.Context(), home, func(s string) { t.Errorf("prepared again: %s", s) })
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(edited); err != nil || string(data) == "edited" {
		t.Errorf("the edited file stays: %v", err)
	}
}

// Only the owner can enter a home that the sample made.
func TestSampleHome(t *testing.T) {
	home := filepath.Join(t.TempDir(), "deep", "home")
	corpus, err := lawSample.open(t.Context(), home, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := corpus.Close(); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(home); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
