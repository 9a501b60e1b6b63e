package index

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"example.com/assay/memory/vector"
)

// openVectors opens the offline embedder's vectors, and the file that those of a large
// corpus are read from.
func openVectors(dir string, m *manifest, files map[string][]byte, rows, dims int) (*vector.Set, *os.File, error) {
	if !m.coded() {
		vectors, err := decodeVectors(files[vectorsFile], rows*dims)
		if err != nil {
			return nil, nil, err
		}
		set, err := vector.NewSet(vectors, dims, nil)
		return set, nil, err
	}
	set, f, err := openCodes(dir, vectorsFile, files[listsFile], files[changeFile])
	if err == nil && (set.Len() != rows || set.Dims() != dims) {
		err = fmt.Errorf("%d vectors of %d dimensions, want %d of %d", set.Len(), set.Dims(), rows, dims)
	}
	if err != nil && f != nil {
		err = errors.Join(err, f.Close())
	}
	return set, f, err
}

// openCodes opens the file of coded vectors, which the set reads as it is searched.
func openCodes(dir, name string, lists, change []byte) (*vector.Set, *os.File, error) {
	by, err := vector.DecodeLists(lists)
	if err != nil {
		return nil, nil, err
	}
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return nil, nil, err
	}
	set, err := vector.OpenCoded(f, by, change)
	return set, f, err
}
