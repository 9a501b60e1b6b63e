package storage

import (
	"runtime"
	"testing"

	"example.com/assay/memory/index/indextest"
)

// Of a passage that is in a part an update holds a row until all are: of a million
// passages their texts would take a gigabyte.
func TestMemoryOfAddedPassages(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	const file = 1000
	b := NewBuilder(t.Context(), t.TempDir(), Earlier{})
	live := func() int64 {
		for range 3 { // pools keep what they have for two
			runtime.GC()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	var before int64
	for from := 0; from < 5*partSize; from += file {
		if err := b.Add(indextest.Part(from, from+file, 1)); err != nil {
			t.Fatal(err)
		}
		if from+file == partSize/file*file+file {
			if err := b.Wait(); err != nil {
				t.Fatal(err)
			}
			before = live()
		}
	}
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	if each := (live() - before) / (4 * partSize); each > 400 {
		t.Errorf("an added passage takes %d bytes", each)
	}
	runtime.KeepAlive(b)
}
