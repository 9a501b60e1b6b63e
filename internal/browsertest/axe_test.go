package browsertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// axe-core also runs on a page whose policy forbids all scripts.
func TestBarriers(t *testing.T) {
	if axe(t) == "" {
		t.Skip("axe-core is not installed: ASSAY_TEST_PAGE=1 makes the test install it by npm")
	}
	p := Open(t)
	file := filepath.Join(t.TempDir(), "page.html")
	for body, want := range map[string]string{
		`<h1>A page</h1>`: "", `<h1>A page</h1><img src="data:,">`: "axe image-alt", `<h1>A page</h1><h4>deep</h4>`: "axe heading-order",
		`<meta http-equiv="Content-Security-Policy" content="default-src 'none'"><h1>A page</h1><input>`: "axe label",
	} {
		text := `<!doctype html><html lang="en"><title>A page</title><body><main>` + body
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p.Goto(file)
		if found := strings.Join(p.Barriers(t), "\n"); want == "" && found != "" || !strings.Contains(found, want) {
			t.Errorf("%s: %q", body, found)
		}
	}
}
