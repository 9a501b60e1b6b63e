package document

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
)

// bomb packs so many MB of one letter as a part of a ZIP file.
func bomb(t testing.TB, mb int, before, part string) string {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	f, err := z.Create(part)
	if err == nil {
		_, err = io.WriteString(f, before)
	}
	letters := strings.Repeat("a", 1<<20)
	for range mb {
		if err == nil {
			_, err = io.WriteString(f, letters)
		}
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A small file that unpacks to a huge one costs little memory, and says so in words
// that are not the library's.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	gzipped := func() string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		for range 300 {
			if _, err := io.WriteString(w, strings.Repeat("word\n", 1<<20/5)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for name, src := range map[string]string{
		"a.docx":   bomb(t, 300, "<w:document "+wordNS+"><w:body><w:p><w:r><w:t>", "word/document.xml"),
		"a.txt.gz": gzipped(),
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		_, err := read(t, name, src, nil)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 100<<20 {
			t.Errorf("%s of %d bytes took %d MB", name, len(src), used>>20)
		}
		var in *InputError
		if !errors.As(err, &in) || !strings.Contains(in.Error(), "unpacks to more than") || strings.Contains(in.Error(), "max_file") || strings.Contains(in.Error(), "MaxFile") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
