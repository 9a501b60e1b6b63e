package weaviate_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"example.com/assay/memory"
	"example.com/assay/memory/index"
	"example.com/assay/memory/index/indextest"
	"example.com/assay/memory/index/weaviate"
	"example.com/assay/memory/index/weaviate/weaviatetest"
	"example.com/assay/memory/retrieval"
)

const childHome, childServer = "ASSAY_TEST_HOME", "ASSAY_TEST_SERVER"

// TestMain lets a copy of this program be the ingest that is killed.
func TestMain(m *testing.M) {
	if home := os.Getenv(childHome); home != "" {
		opts := laws(home, os.Getenv(childServer))
		opts.Progress = func(phase string, done, _ int) {
			if phase == index.PhaseWrite && done > 0 {
				fmt.Println("writing")
			}
		}
		_, err := memory.Ingest(context.Background(), opts)
		fmt.Println("ended", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func servers(address string) (memory.Server, error) { return weaviate.New(address, "") }

// laws ingests what is in the folder docs of a home.
func laws(home, address string) memory.IngestOptions {
	return memory.IngestOptions{Home: home, Corpus: "laws", Paths: []string{filepath.Join(home, "docs")}, Index: address, Servers: servers}
}

func write(t *testing.T, home, name string, seed uint64) {
	t.Helper()
	path := filepath.Join(home, "docs", name)
	var text string
	for _, p := range indextest.Synthesise(6000, seed) {
		text += p.Text + "\n\n"
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}

}

// An ingest that was killed while it wrote leaves the live generation as it is, and the
// next one removes what is on the server of it.
func TestIngestKilled(t *testing.T) {
	nodes := weaviatetest.Start(t, 1)
	address, home := nodes.Address(""), t.TempDir()
	write(t, home, "a.txt", 1)
	before, err := memory.Ingest(t.Context(), laws(home, address))
	if err != nil {
		t.Fatal(err)
	}
	write(t, home, "b.txt", 2)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childHome+"="+home, childServer+"="+address)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "writing" {
		t.Fatalf("the ingest says %q", lines.Text())
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() { // what it said before
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := passages(t, home); got != before.Passages {
		t.Errorf("after the kill the corpus has %d passages, want %d", got, before.Passages)
	}
	if names := collections(t, address); len(names) != 2 {
		t.Errorf("the killed ingest left %v", names)
	}
	from := time.Now()
	after, err := memory.Ingest(t.Context(), laws(home, address))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d passages, ingested again in %v", after.Passages, time.Since(from).Round(time.Second))
	if got := passages(t, home); got != after.Passages || after.Passages <= before.Passages {
		t.Errorf("the corpus has %d passages, want %d", got, after.Passages)
	}
	if names := collections(t, address); len(names) != 2 { // the live one and that before
		t.Errorf("there are %v", names)
	}
	if err := memory.Remove(t.Context(), home, "laws", servers); err != nil {
		t.Fatal(err)
	}
	if names := collections(t, address); len(names) != 0 {
		t.Errorf("the removed corpus left %v", names)
	}
}

// passages is how many the corpus has, one of which a search finds.
func passages(t *testing.T, home string) int {
	t.Helper()
	c, err := memory.OpenWith(home, "laws", &memory.OpenOptions{Servers: servers})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	q := indextest.Questions(1, indextest.Synthesise(100, 1), 3)[0]
	if r, err := c.Search(t.Context(), retrieval.Query{Primary: q}); err != nil || len(r.Hits) == 0 {
		t.Errorf("%q finds %d passages: %v", q, len(r.Hits), err)
	}
	return c.Info().Passages
}

func collections(t *testing.T, address string) []string {
	t.Helper()
	s, err := weaviate.New(address, "")
	if err != nil {
		t.Fatal(err)
	}
	names, err := s.Collections(t.Context(), "Assay_")
	if err != nil {
		t.Fatal(err)
	}
	return names
}
