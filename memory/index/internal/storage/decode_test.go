package storage

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
	b := NewBuilder(f.Context(), dir, Earlier{})
	if err := errors.Join(b.Add(indextest.Synthesise(4, 1)), b.Flush()); err != nil {
		f.Fatal(err)
	}
	bags, err := os.ReadFile(filepath.Join(dir, partName(1)+bagsExt))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(bags)
	f.Add(slices.Concat(NewTable(new(Table), []int32{-1, -1, -1, -1}, b.Fresh, []int32{0, 1, 2, 3}, 4).Encode()...))
	f.Fuzz(func(t *testing.T, data []byte) {
		if table, err := DecodeTable(data); err == nil {
			if again, err := DecodeTable(slices.Concat(table.Encode()...)); err != nil || again.Fingerprint() != table.Fingerprint() {
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
