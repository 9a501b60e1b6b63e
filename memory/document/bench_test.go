package document

import (
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkLoad reads and splits the papers of a person's desk, or the files of the folder
// that BENCH_DIR names.
func BenchmarkLoad(b *testing.B) {
	dir := os.Getenv("BENCH_DIR")
	if dir == "" {
		dir = "../../case_studies/desk/dev"
	}
	var paths []string
	if err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			paths = append(paths, path)
		}
		return err
	}); err != nil {
		b.Skip(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		size := 0
		for _, path := range paths {
			d, err := Load(b.Context(), path, filepath.Base(path), nil)
			if err != nil { // a file that holds no text
				continue
			}
			if _, err := Passages(b.Context(), d, nil); err != nil {
				b.Fatal(err)
			}
			size += len(d.Text)
		}
		b.SetBytes(int64(size))
	}
}
