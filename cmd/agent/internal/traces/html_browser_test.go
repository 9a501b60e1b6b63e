package traces_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/traces"
	"example.com/assay/internal/browsertest"
)

// The page of a run is one file. A browser opens it from disk without a network and without a
// complaint, whichever pipeline ran. It says which version made it.
func TestFileInBrowser(t *testing.T) {
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
		if name == "negligence_elements" && !testing.Short() {
			p.Inspect(t, "file-"+name, file, nil)
		}
		p.Look(browsertest.View{Width: 360})
		p.Goto(file)
		p.Shoot("file-" + name)
		p.Unfold()
		for _, fault := range slices.Concat(p.Wide(), p.Faint(), p.Complaints(), p.Strangers(), p.Ran(), p.Armed(), p.Turning()) {
			t.Errorf("%s: %s", name, fault)
		}
		if text := p.Text(); !strings.Contains(text, "Written by Assay") {
			t.Errorf("%s does not say which version made it: %.500s", name, text)
		}
	}
}
