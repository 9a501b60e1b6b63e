package open

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/memory"
	"example.com/assay/memory/index"
)

// A sample that another version of the program ingested is replaced; its
// files stay, since earlier answers point into them.
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
	// A file that somebody edited is put back without ingesting anew.
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

// A home that the sample makes can be entered by its owner alone.
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

var update = flag.Bool("update", false, "rewrite what is known of the samples")

// What is shipped is what an ingest learns that knows nothing. On other processors, which
// round otherwise, it is not taken.
func TestLearntOfSamples(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the files were made on amd64")
	}
	for _, e := range []embedded{lawSample, countySample} {
		files, hash, err := e.list()
		if err != nil {
			t.Fatal(err)
		}
		home := t.TempDir()
		if err := unpack(e.dir(home, hash), files); err != nil {
			t.Fatal(err)
		}
		if _, err := memory.Ingest(t.Context(), memory.IngestOptions{Home: home, Corpus: e.corpus, Paths: []string{e.dir(home, hash)}}); err != nil {
			t.Fatal(err)
		}
		corpus, err := memory.Open(home, e.corpus)
		if err != nil {
			t.Fatal(err)
		}
		want := corpus.Learnt()
		if err := corpus.Close(); err != nil {
			t.Fatal(err)
		}
		if *update {
			data, err := json.MarshalIndent(want, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join("learnt", e.name+".json"), append(data, '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := e.known()
		if err != nil {
			t.Fatal(err)
		}
		if *got != want {
			t.Errorf("%s: the file says\n%+v\nand an ingest learns\n%+v\ngo test ./cmd/agent/internal/open -run LearntOfSamples -update rewrites it (then build again)", e.name, *got, want)
		}
		phases := map[string]bool{}
		o := memory.IngestOptions{Home: t.TempDir(), Corpus: e.corpus, Paths: []string{e.dir(home, hash)}, Learnt: got, Progress: func(phase string, _, _ int) { phases[phase] = true }}
		if _, err := memory.Ingest(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if phases[index.PhaseCalibrate] || !phases[index.PhaseSeal] {
			t.Errorf("%s: with what is known, an ingest went through %v", e.name, phases)
		}
	}
}
