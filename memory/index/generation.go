package index

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"example.com/assay/memory/index/internal/codec"
	"example.com/assay/memory/index/internal/meaning"
	"example.com/assay/memory/index/internal/ranking"
	"example.com/assay/memory/index/internal/storage"
	"example.com/assay/memory/lsa"
	"example.com/assay/memory/vector"
)

// A generation is what is read of a directory when it is opened: all but its parts.
type generation struct {
	*manifest
	dir     string
	table   *storage.Table
	model   *lsa.Model
	vectors *vector.Set      // a row of model.Dims per passage
	meaning *meaning.Vectors // nil without a remote embedder
	reading []*os.File       // that vectors are read from
}

// decodeGeneration makes a generation of the content of its files.
func decodeGeneration(dir string, m *manifest, files map[string][]byte) (_ *generation, err error) {
	g := &generation{manifest: m, dir: dir, model: new(lsa.Model)}
	defer func() {
		if err != nil {
			err = errors.Join(err, g.close())
		}
	}()
	var errs [2]error
	codec.Parallel(len(errs), func(i int) {
		if i == 0 {
			g.table, errs[i] = storage.DecodeTable(files[tableFile])
		} else if errs[i] = g.model.Decode(files[modelFile], m.Stats.Embedder); errs[i] == nil {
			errs[i] = g.openVectors(files)
		}
	})
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	if g.table.Len() != m.Stats.Passages {
		return nil, fmt.Errorf("the table holds %d passages, want %d", g.table.Len(), m.Stats.Passages)
	}
	if m.Scale != nil {
		if err := g.openMeaning(files); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// openVectors opens the offline embedder's vectors.
func (g *generation) openVectors(files map[string][]byte) error {
	rows, dims := g.Stats.Passages, g.model.Dims()
	if !g.coded() {
		vectors, err := codec.DecodeVectors(files[vectorsFile], rows*dims)
		if err == nil {
			g.vectors, err = vector.NewSet(vectors, dims, nil)
		}
		return err
	}
	var err error
	g.vectors, err = g.openCodes(vectorsFile, files[listsFile], files[changeFile])
	if err == nil && (g.vectors.Len() != rows || g.vectors.Dims() != dims) {
		err = fmt.Errorf("%d vectors of %d dimensions, want %d of %d", g.vectors.Len(), g.vectors.Dims(), rows, dims)
	}
	return err
}

// openCodes opens a file of coded vectors, which the set reads as it is searched.
func (g *generation) openCodes(name string, lists, change []byte) (*vector.Set, error) {
	by, err := vector.DecodeLists(lists)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(g.dir, name))
	if err != nil {
		return nil, err
	}
	g.reading = append(g.reading, f)
	return vector.OpenCoded(f, by, change)
}

// openMeaning opens the vectors of a remote embedder.
func (g *generation) openMeaning(files map[string][]byte) error {
	var set *vector.Set
	var counts []int
	var err error
	if g.Stats.Cut == "" {
		set, err = meaning.Decode(files[meaningFile], g.table.Len(), files[meaningListsFile])
	} else if counts, err = meaning.DecodeCounts(files[meaningRowsFile], g.table.Len()); err == nil {
		set, err = g.openCodes(meaningCodesFile, files[meaningListsFile], nil)
	}
	if err == nil {
		g.meaning, err = meaning.New(set, counts)
	}
	if err == nil {
		g.meaning.Scale = *g.Scale
	}
	return err
}

// rules are what the generation is ranked by.
func (g *generation) rules() ranking.Rules {
	bm25 := g.Stats.BM25.Resolved()
	return ranking.Rules{K1: bm25.K1, B: bm25.B, Confidence: g.Calibration.confidence}
}

// damaged is the error of a file that is not as it was written.
func (g *generation) damaged(err error) error { return &CorruptError{Dir: g.dir, Err: err} }

// damage is the first error of reading vectors.
func (g *generation) damage() error {
	if g.meaning == nil {
		return g.vectors.Err()
	}
	return errors.Join(g.vectors.Err(), g.meaning.Set.Err())
}

// close closes the files of vectors.
func (g *generation) close() error {
	var errs []error
	for _, f := range g.reading {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
