package index

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"example.com/assay/internal/disk"
	"example.com/assay/memory/index/internal/codec"
	"example.com/assay/memory/vector"
)

// arrange writes the vectors.
func (u *update) arrange() error {
	dims := u.model.Dims()
	if dims > 0 && u.table.Len() > u.flatUpTo {
		return u.code()
	}
	rows := make([]float32, u.table.Len()*dims)
	keeps := func(ord int32) bool { return !u.manifest.Stats.Refit && u.kept[ord] >= 0 }
	for ord := range u.kept {
		if keeps(int32(ord)) {
			copy(rows[ord*dims:(ord+1)*dims], u.old.vectors.Row(u.kept[ord]))
		}
	}
	if err := u.project(func(ord int32) bool { return !keeps(ord) }, func(ords []int32, vectors []float32) error {
		for i, ord := range ords {
			copy(rows[int(ord)*dims:(int(ord)+1)*dims], vectors[i*dims:(i+1)*dims])
		}
		return nil
	}); err != nil {
		return err
	}
	return codec.Write(u.opts.Dir, vectorsFile, codec.EncodeVectors(rows))
}

// code shares the vectors of a large corpus out among lists, and writes them in eight
// bits a coordinate. At no time are all of them in memory in single precision. Where
// little has changed, the earlier generation's file stays, and the change is written.
func (u *update) code() error {
	stays := !u.manifest.Stats.Refit && u.old.coded()
	if stays {
		change := vector.NewChange(u.old.vectors, u.kept)
		if change != nil {
			return u.change(change)
		}
	}
	var lists *vector.Lists
	var err error
	if stays {
		lists = u.old.vectors.Lists()
	} else if lists, err = u.trainLists(); err != nil {
		return err
	}
	coder := vector.NewCoder(lists, u.table.Len())
	keeps := func(ord int32) bool { return stays && u.kept[ord] >= 0 }
	const chunk = 1 << 12
	codec.Parallel((len(u.kept)+chunk-1)/chunk, func(c int) {
		for ord := int32(c * chunk); ord < int32(min((c+1)*chunk, len(u.kept))); ord++ {
			if keeps(ord) {
				coder.Keep(ord, u.old.vectors, u.kept[ord])
			}
		}
	})
	if err := u.project(func(ord int32) bool { return !keeps(ord) }, func(ords []int32, vectors []float32) error {
		return coder.Put(u.ctx, ords, vectors)
	}); err != nil {
		return err
	}
	if stays && u.old.vectors.Err() != nil {
		return &CorruptError{Dir: u.opts.From, Err: u.old.vectors.Err()}
	}
	return u.writeCodes(coder, listsFile, vectorsFile)
}

// writeCodes writes the files of coded vectors.
func (u *update) writeCodes(coder *vector.Coder, lists, codes string) error {
	if err := u.writeLists(coder.Lists(), lists); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(u.opts.Dir, codes), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = coder.WriteTo(f)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("writing the index: %w", err)
	}
	return nil
}

func (u *update) writeLists(lists *vector.Lists, name string) error {
	data, err := lists.MarshalBinary()
	if err != nil {
		return fmt.Errorf("encoding the lists of vectors: %w", err)
	}
	return codec.Write(u.opts.Dir, name, data)
}

// change writes how the vectors differ from the earlier generation's file, and links that.
func (u *update) change(change *vector.Change) error {
	if err := u.project(func(ord int32) bool { return u.kept[ord] < 0 }, func(ords []int32, vectors []float32) error {
		return change.Put(u.ctx, ords, vectors)
	}); err != nil {
		return err
	}
	for _, name := range []string{listsFile, vectorsFile} {
		if err := u.link(name); err != nil {
			return err
		}
	}
	return codec.Write(u.opts.Dir, changeFile, change.Encode())
}

// listSample is how many passages' vectors lists are trained on.
const listSample = 100000

// trainLists trains lists on the vectors of a sample.
func (u *update) trainLists() (*vector.Lists, error) {
	n, dims := u.table.Len(), u.model.Dims()
	size := min(n, listSample)
	at := func(i int) int { return i * n / size } // the i-th of the sample
	sample := make([]float32, size*dims)
	within := func(ord int32) (int, bool) {
		i := (int(ord)*size + size - 1) / n
		for i < size && at(i) < int(ord) {
			i++
		}
		return i, i < size && at(i) == int(ord)
	}
	if err := u.project(func(ord int32) bool { _, yes := within(ord); return yes }, func(ords []int32, vectors []float32) error {
		for j, ord := range ords {
			i, _ := within(ord)
			copy(sample[i*dims:(i+1)*dims], vectors[j*dims:(j+1)*dims])
		}
		return nil
	}); err != nil {
		return nil, err
	}
	return vector.TrainFor(u.ctx, sample, dims, n)
}

// link gives the generation a file of the earlier one that stays as it is.
func (u *update) link(name string) error {
	at := u.old.index(name)
	if at < 0 {
		return fmt.Errorf("linking %s: the earlier generation does not have it", name)
	}
	if err := disk.Link(filepath.Join(u.opts.From, name), filepath.Join(u.opts.Dir, name)); err != nil {
		return fmt.Errorf("linking %s: %w", name, err)
	}
	u.linked[name] = u.old.Files[at]
	return nil
}

// verify compares a file of the earlier generation with its entry, and returns its content
// where that is asked for.
func (u *update) verify(name string, content bool) ([]byte, error) {
	how := streamed
	if content {
		how = wanted
	}
	at := u.old.index(name)
	if at < 0 {
		return nil, &CorruptError{Dir: u.opts.From, Err: errors.New("its manifest does not name every file")}
	}
	data, err := u.old.Files[at].verify(u.opts.From, how)
	if err != nil {
		return nil, &CorruptError{Dir: u.opts.From, Err: err}
	}
	return data, nil
}

// keepModel gives the generation the file of the embedder.
func (u *update) keepModel() error {
	if !u.manifest.Stats.Refit {
		return u.link(modelFile)
	}
	model, err := u.model.MarshalBinary()
	if err != nil {
		return fmt.Errorf("encoding the embedder: %w", err)
	}
	return codec.Write(u.opts.Dir, modelFile, model)
}
