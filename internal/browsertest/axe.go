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

// axe returns the source of axe-core, or "" if it is not installed and ASSAY_TEST_PAGE does not ask
// npm to install it.
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

// barriers lists the violations that axe-core finds on the page.
func (p *Page) barriers(source string) []string {
	p.t.Helper()
	p.Eval(source+";0", nil)
	var out []string
	p.Eval(`axe.run(document, {preload: false, resultTypes: ['violations']}).then(r =>
  r.violations.map(v => 'axe ' + v.id + ': ' + v.help + ': ' + v.nodes.slice(0, 4).map(n => n.html.slice(0, 120)).join(' | ')))`, &out)
	return out
}
