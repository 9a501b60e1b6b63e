package memory

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestData ingests real corpora, where a person has them, and checks every
// passage against its bytes.
func TestData(t *testing.T) {
	dir := os.Getenv("ASSAY_DATA")
	if dir == "" {
		t.Skip("set ASSAY_DATA to a folder of corpora (NAME/corpus.jsonl.gz) to measure ingest")
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*", "corpus.jsonl*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		home, start := t.TempDir(), time.Now()
		r := mustIngest(t, IngestOptions{Home: home, Corpus: "data", Paths: []string{path}})
		first := time.Since(start)
		start = time.Now()
		mustIngest(t, IngestOptions{Home: home, Corpus: "data", Paths: []string{path}})
		again := time.Since(start)
		closeCorpus(t, verify(t, home, "data"))
		t.Logf("%s: %d passages, %d empty records, ingest %.1f s, again %.2f s", filepath.Base(filepath.Dir(path)), r.Passages, r.Records, first.Seconds(), again.Seconds())
	}
}
