package browsertest

import (
	_ "embed"
	"os"
	"path/filepath"
	"testing"

	"example.com/assay/internal/npmtest"
)

//go:embed axe/package.json
var axePackages []byte

// axe returns the source of axe-core, or nothing where it is not installed and
// ASSAY_TEST_PAGE does not ask npm to install it.
func axe(t testing.TB) string {
	t.Helper()
	if os.Getenv("ASSAY_TEST_PAGE") == "" && !npmtest.Has(t, axePackages) {
		return ""
	}
	source, err := os.ReadFile(filepath.Join(npmtest.Modules(t, axePackages), "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// Barriers returns the findings of axe-core on the page. Where axe-core is not installed, a part of
// the test is skipped that says so.
func (p *Page) Barriers(t *testing.T) []string {
	t.Helper()
	source := axe(t)
	if source == "" {
		t.Run("axe", func(t *testing.T) {
			t.Skip("axe-core is not installed: ASSAY_TEST_PAGE=1 makes the test install it by npm")
		})
		return nil
	}
	p.Eval(source+";0", nil)
	var out []string
	p.Eval(`axe.run(document, {preload: false, resultTypes: ['violations']}).then(r =>
  r.violations.map(v => 'axe ' + v.id + ': ' + v.help + ': ' + v.nodes.slice(0, 4).map(n => n.html.slice(0, 120)).join(' | ')))`, &out)
	return out
}
