package open_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
)

var update = flag.Bool("update", false, "rewrite testdata/versions.txt")

var versionLine = regexp.MustCompile(`(?m)^const version = (\d+)$`)

// A graph whose structure or channels change has a new version, and accepts threads of the one
// before: without that, threads that an earlier program saved are refused.
func TestVersionsOfGraphs(t *testing.T) {
	a, _, _ := clitest.App(t.TempDir())
	folders := map[string]string{"edges": "causal", "comply": "evidence"}
	var got strings.Builder
	for _, p := range open.Pipelines() {
		d, err := open.NewBare(a, config.Default(false), true)
		if err != nil {
			t.Fatal(err)
		}
		made, err := p.On(t.Context(), d, nil)
		if err != nil {
			t.Fatal(err)
		}
		source, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "nodes", cmp.Or(folders[p.Name], p.Name), "pipeline.go"))
		if err != nil {
			t.Fatal(err)
		}
		version := "0"
		if m := versionLine.FindSubmatch(source); m != nil {
			version = string(m[1])
		}
		fmt.Fprintln(&got, p.Name, version, made.App.Fingerprint())
	}
	file := filepath.Join("testdata", "versions.txt")
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("a graph has changed. Raise version in its pipeline.go, let migrate accept the threads of the version before, and run this test with -update:\ngot  %swant %s", got.String(), want)
	}
}
