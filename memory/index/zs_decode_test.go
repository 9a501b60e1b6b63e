package index

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"example.com/assay/memory/index/indextest"
)

func FuzzDecode(f *testing.F) {
	dir := f.TempDir()
	b := newBuilder(f.Context(), dir, earlier{})
	if err := errors.Join(b.add(indextest.Synthesise(4, 1)), b.flush()); err != nil {
		f.Fatal(err)
	}
	bags, err := os.ReadFile(filepath.Join(dir, partName(1)+bagsExt))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(bags)
	f.Add(slices.Concat(newTable(nil, []int32{-1, -1, -1, -1}, b.fresh, []int32{0, 1, 2, 3}, 4).encode()...))
	f.Fuzz(func(t *testing.T, data []byte) {
		if table, err := decodeTable(data); err == nil {
			if again, err := decodeTable(slices.Concat(table.encode()...)); err != nil || again.fingerprint() != table.fingerprint() {
				t.Errorf("a table does not survive encoding: %v", err)
			}
		}
		if c, err := decodeBags(data); err == nil {
			w := newBagWriter()
			if err := c.into(w, func(int) bool { return true }); err == nil {
				if again, err := decodeBags(w.encode()); err != nil || again.count != c.count {
					t.Errorf("bags do not survive encoding: %v", err)
				}
			}
		}
	})
}
