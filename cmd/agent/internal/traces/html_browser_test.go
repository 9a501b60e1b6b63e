package traces_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/traces"
	"example.com/assay/internal/browsertest"
)

// The page of a run is one file that a browser opens from disk without a network, and in
// which nothing is wrong, for each pipeline.
func TestFileInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("it opens pages of five pipelines in seven views")
	}
	p := browsertest.Open(t)
	p.Offline(true)
	for _, name := range []string{"negligence_elements", "county_conflicting", "public_health_edges", "contract_fields", "planted_errors"} {
		a, stdout, stderr := clitest.App(t.TempDir())
		if code := clitest.Run(t.Context(), a, []string{"trace", "html", filepath.Join("../../../../case_studies", name, "golden.jsonl")}, traces.Command(a)); code != 0 {
			t.Fatalf("%s: code %d\n%s", name, code, stderr)
		}
		file := filepath.Join(t.TempDir(), "run.html")
		if err := os.WriteFile(file, stdout.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		p.Inspect(t, "file-"+name, file, nil)
		p.Goto(file)
		if text := p.Text(); !strings.Contains(text, "Written by Assay") || !strings.Contains(text, "Graph") {
			t.Errorf("%s: %.500s", name, text)
		}
	}
}
