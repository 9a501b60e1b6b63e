package page_test

import (
	"compress/gzip"
	"os"
	"strings"
	"testing"
)

// All scripts and styles together are light, besides those that draw a PDF.
func TestWeight(t *testing.T) {
	s := served(t, nil)
	entries, err := os.ReadDir("static")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"style.css"}
	for _, e := range entries {
		if !e.IsDir() && !strings.HasPrefix(e.Name(), "pdf") {
			names = append(names, e.Name())
		}
	}
	var packed strings.Builder
	for _, name := range names {
		w := gzip.NewWriter(&packed)
		if _, err := w.Write([]byte(s.get("/ui/static/" + name))); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if t.Logf("%s: %d bytes compressed", strings.Join(names, ", "), packed.Len()); packed.Len() > 250_000 {
		t.Error("that is more than 250 kB")
	}
}
