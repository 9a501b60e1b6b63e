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
	lists, err := vector.DecodeLists(files[listsFile])
	if err != nil {
		return nil, nil, err
	}
	f, err := os.Open(filepath.Join(dir, vectorsFile))
	if err != nil {
		return nil, nil, err
	}
	set, err := vector.OpenCoded(f, lists, files[changeFile])
	if err == nil && (set.Len() != rows || set.Dims() != dims) {
		err = fmt.Errorf("%d vectors of %d dimensions, want %d of %d", set.Len(), set.Dims(), rows, dims)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return set, f, nil
}

// setOf makes the set of rows, with lists where there is a file of them.
func setOf(rows []float32, dims int, file []byte) (*vector.Set, error) {
	if file == nil {
		return vector.NewSet(rows, dims, nil)
	}
	lists, err := vector.DecodeLists(file)
	if err != nil {
		return nil, err
	}
	return vector.NewSet(rows, dims, lists)
}
