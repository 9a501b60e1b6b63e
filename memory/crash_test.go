package memory

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const childHome, childDocs = "ASSAY_TEST_HOME", "ASSAY_TEST_DOCS"

// TestMain lets a copy of this program be the one that is killed.
func TestMain(m *testing.M) {
	if home := os.Getenv(childHome); home != "" {
		ingestForever(home, os.Getenv(childDocs))
	}
	os.Exit(m.Run())
}

// ingestForever ingests two changing directories in turn until it is killed.
func ingestForever(home, docs string) {
	fmt.Println("started")
	for i := 0; ; i++ {
		opts := IngestOptions{Home: home, Corpus: "k", Paths: []string{filepath.Join(docs, fmt.Sprintf("v%d", i%2))}, Rebuild: i%5 == 4}
		if _, err := Ingest(context.Background(), opts); err != nil {
			fmt.Println("fault:", err)
			os.Exit(1)
		}
	}
}

// Killed at any moment, an ingest leaves a whole generation, and the next one
// clears away what the killed one left.
func TestKill(t *testing.T) {
	const seed, kills = 11, 24
	t.Logf("seed %d, %d kills", seed, kills)
	rng := rand.New(rand.NewPCG(seed, seed))
	home, docs := t.TempDir(), killDocs(t)
	mustIngest(t, IngestOptions{Home: home, Corpus: "k", Paths: []string{filepath.Join(docs, "v0")}})
	for i := range kills {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childHome+"="+home, childDocs+"="+docs)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		lines.Scan() // it runs
		after := time.Duration(rng.IntN(120_000)) * time.Microsecond
		time.Sleep(after)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			t.Errorf("the killed process said %q", lines.Text())
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) {
			t.Fatalf("kill %d: %v", i, err)
		}
		c := verify(t, home, "k")
		if n := len(c.Sources()); n < 3 || n > 6 {
			t.Errorf("kill %d after %v: sources %v", i, after, c.Sources())
		}
		closeCorpus(t, c)
	}
	r := mustIngest(t, IngestOptions{Home: home, Corpus: "k", Paths: []string{filepath.Join(docs, "v0")}, Rebuild: true})
	clean(t, home, "k", r)
}

// killDocs writes two directories with files of their own.
func killDocs(t *testing.T) string {
	t.Helper()
	files := map[string]string{}
	for v := range 2 {
		files[fmt.Sprintf("v%d/same.md", v)] = fmt.Sprintf("# Version %d\n\nThe text of version %d has words.\n", v, v)
		files[fmt.Sprintf("v%d/page%d.html", v, v)] = fmt.Sprintf("<p>Page of version %d.", v)
		files[fmt.Sprintf("v%d/only%d.jsonl", v, v)] = fmt.Sprintf(`{"id":"r%d","text":"Record of version %d."}`, v, v)
	}
	return tree(t, t.TempDir(), files)
}

// clean checks that a corpus directory holds one generation and its texts,
// and nothing else.
func clean(t *testing.T, home, name string, r Report) {
	t.Helper()
	c := verify(t, home, name)
	defer closeCorpus(t, c)
	if c.Fingerprint() != r.Fingerprint {
		t.Errorf("fingerprint %s, reported %s", c.Fingerprint(), r.Fingerprint)
	}
	texts := 0
	for _, f := range c.manifest.Files {
		if f.Text != "" {
			texts++
		}
	}
	got, err := os.ReadDir(filepath.Join(corpusDir(home, name), textsDir))
	if err != nil || len(got) != texts {
		t.Errorf("%d texts kept for %d files, %v", len(got), texts, err)
	}
	var names []string
	entries, err := os.ReadDir(corpusDir(home, name))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := "CURRENT " + c.Info().Generation + " lock texts"; strings.Join(names, " ") != want {
		t.Errorf("the directory holds %v, want %s", names, want)
	}
}

// crashed ingests, and dies before the change n of the directory. at is that change, "" when
// there were fewer.
func crashed(t *testing.T, opts IngestOptions, n int) (at string) {
	t.Helper()
	type crash struct{ op string }
	defer func() {
		if c, ok := recover().(crash); ok {
			at = c.op
		}
	}()
	step := 0
	if _, err := ingest(t.Context(), opts, func(op string) {
		if step++; step > n {
			panic(crash{op})
		}
	}); err != nil {
		t.Fatal(err)
	}
	return ""
}

// What a killed first ingest leaves is no damage, and in nobody's way.
func TestCrashOfTheFirst(t *testing.T) {
	opts := IngestOptions{Corpus: "k", Paths: []string{filepath.Join(killDocs(t), "v0")}}
	for n := 0; ; n++ {
		opts.Home = t.TempDir()
		at := crashed(t, opts, n)
		faults, err := Verify(t.Context(), opts.Home, "k")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range faults {
			if !f.Harmless {
				t.Errorf("after a crash at %q: %s: %v", at, f.File, f.Err)
			}
		}
		clean(t, opts.Home, "k", mustIngest(t, opts))
		if at == "" {
			return
		}
	}
}

// A crash before every single change to the directory, in turn.
func TestCrashAtEveryStep(t *testing.T) {
	docs := killDocs(t)
	first := IngestOptions{Corpus: "k", Paths: []string{filepath.Join(docs, "v0")}}
	second := IngestOptions{Corpus: "k", Paths: []string{filepath.Join(docs, "v1")}, Rebuild: true}
	for n := 0; ; n++ {
		home := t.TempDir()
		first.Home, second.Home = home, home
		old := mustIngest(t, first)
		at := crashed(t, second, n)
		c := verify(t, home, "k")
		whole := c.Fingerprint()
		closeCorpus(t, c)
		r := mustIngest(t, second)
		if whole != old.Fingerprint && whole != r.Fingerprint {
			t.Errorf("after a crash at %q the corpus is neither the old nor the new", at)
		}
		clean(t, home, "k", r)
		if at == "" {
			if n < 12 || whole != r.Fingerprint {
				t.Errorf("%d steps, the last whole: %v", n, whole == r.Fingerprint)
			}
			return
		}
	}
}

func TestBusy(t *testing.T) {
	home, docs := t.TempDir(), killDocs(t)
	opts := IngestOptions{Home: home, Corpus: "k", Paths: []string{docs}}
	var inside error
	opts.Progress = func(phase string, _, _ int) {
		if inside == nil {
			_, inside = Ingest(t.Context(), IngestOptions{Home: home, Corpus: "k", Paths: []string{docs}})
		}
	}
	mustIngest(t, opts)
	var busy *BusyError
	if !errors.As(inside, &busy) || busy.PID != os.Getpid() || !strings.Contains(inside.Error(), fmt.Sprintf("process %d", os.Getpid())) {
		t.Errorf("a second writer: %v", inside)
	}
}

// Readers open and search while the corpus is replaced again and again.
func TestReadersDuringIngest(t *testing.T) {
	home, docs := t.TempDir(), killDocs(t)
	mustIngest(t, IngestOptions{Home: home, Corpus: "k", Paths: []string{filepath.Join(docs, "v0")}})
	stop, done := make(chan struct{}), make(chan error, 3)
	for range 3 {
		go func() {
			for {
				select {
				case <-stop:
					done <- nil
					return
				default:
				}
				c, err := Open(home, "k")
				if err == nil {
					err = c.Close()
				}
				if err != nil {
					done <- err
					return
				}
			}
		}()
	}
	for i := range 12 {
		mustIngest(t, IngestOptions{Home: home, Corpus: "k", Paths: []string{filepath.Join(docs, fmt.Sprintf("v%d", i%2))}, Rebuild: true})
	}
	close(stop)
	for range 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
