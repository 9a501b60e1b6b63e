package index

import (
	"errors"
	"os"
	"path/filepath"

	"example.com/assay/memory/index/internal/codec"
	"example.com/assay/memory/index/internal/meaning"
	"example.com/assay/memory/index/internal/storage"
	"example.com/assay/memory/vector"
)

func (u *update) spaceID() string {
	if u.opts.Space == nil {
		return ""
	}
	return u.opts.Space.ID()
}

// cut is how passages are cut before they are embedded; nil for not at all.
func (u *update) cut() *Cut {
	if u.opts.Space == nil {
		return nil
	}
	return u.opts.Cut.For(u.table.Len())
}

// mean writes the vectors of a remote embedder, if there is one: those of the earlier
// generation where they are of its space, and new ones. With many new ones it writes none:
// see UpdateOptions.Patience.
func (u *update) mean() (err error) {
	u.manifest.Calibration = byWords
	if u.opts.Space == nil {
		return nil
	}
	cut := u.cut()
	p, err := u.pieces(cut)
	if err != nil {
		return err
	}
	if u.opts.Patience > 0 {
		missing, err := u.opts.Space.Missing(u.ctx, p.texts)
		if err != nil {
			return err
		}
		if missing > u.opts.Patience {
			u.manifest.Stats.Space, u.manifest.Stats.Cut = "", ""
			return nil
		}
	}
	write := u.floats
	if cut != nil {
		write = u.codes
	}
	m, file, err := write(p)
	if file != nil {
		defer func() { err = errors.Join(err, file.Close()) }()
	}
	if err != nil {
		return err
	}
	u.manifest.Calibration, u.manifest.Scale = byMeaning, m.LearnScale(func(a, b int32) bool {
		return len(u.table.Docs) > 1 && u.table.Doc(a) == u.table.Doc(b)
	})
	return m.Set.Err()
}

// pieces cuts the passages whose vectors the earlier generation does not have.
func (u *update) pieces(cut *Cut) (pieces, error) {
	p := pieces{counts: make([]int, u.table.Len()), kept: make([]int32, u.table.Len())}
	if u.old.Stats.Space == u.spaceID() && u.old.Stats.Cut == u.cut().Name() {
		p.old = u.old.meaning
	}
	sums := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(u.opts.Dir, name)) }
	read, err := storage.Open(u.opts.Dir, u.table, u.manifest.Parts, sums, func(err error) error { return &CorruptError{Dir: u.opts.Dir, Err: err} })
	if err != nil {
		return p, err
	}
	for ord := range p.kept {
		p.counts[ord], p.kept[ord] = 1, -1
		if p.old != nil && u.kept[ord] >= 0 {
			from, to := p.old.Rows(u.kept[ord])
			p.counts[ord], p.kept[ord] = int(to-from), from
			continue
		}
		passage, err := read.Passage(int32(ord))
		if err != nil {
			return p, errors.Join(err, read.Close())
		}
		own := []string{Text(passage)}
		if cut != nil {
			own = cut.Of(passage)
		}
		p.texts, p.counts[ord] = append(p.texts, own...), len(own)
	}
	return p, read.Close()
}

// pieces are what is embedded of each passage.
type pieces struct {
	counts []int            // of rows
	kept   []int32          // the first row in the earlier generation, -1 of a passage whose texts are embedded
	texts  []string         // of those, in their order
	old    *meaning.Vectors // the earlier generation's; nil where none stay
}

// embedAtOnce is how many texts are embedded before their vectors are put away.
const embedAtOnce = 8192

// fill embeds texts. It calls begin with the length of the vectors, 0 of none, and then, for each row in
// turn, keep with that of the earlier generation or put with its vector.
func (u *update) fill(p pieces, begin func(dims int), keep func(row, at int32), put func(row int32, v []float32) error) error {
	if err := u.report(PhaseMeaning, 0, len(p.texts)); err != nil {
		return err
	}
	var vectors [][]float32
	done := 0
	next := func() (err error) {
		texts := p.texts[done:min(done+embedAtOnce, len(p.texts))]
		vectors, err = u.opts.Space.Passages(u.ctx, texts, func(n, all int) {
			if u.opts.Progress != nil {
				u.opts.Progress(PhaseMeaning, done+n*len(texts)/max(1, all), len(p.texts))
			}
		})
		done += len(texts)
		return err
	}
	if err := next(); err != nil {
		return err
	}
	dims := 0
	if p.old != nil && p.old.Set.Len() > 0 {
		dims = p.old.Dims()
	} else if len(vectors) > 0 {
		dims = len(vectors[0])
	}
	begin(dims)
	row := int32(0)
	for ord, at := range p.kept {
		for i := range int32(p.counts[ord]) {
			if at >= 0 {
				keep(row, at+i)
				row++
				continue
			}
			if len(vectors) == 0 {
				if err := next(); err != nil {
					return err
				}
			}
			v := vectors[0]
			if len(v) != dims {
				return otherDims(u.spaceID(), len(v), dims)
			}
			if err := put(row, v); err != nil {
				return err
			}
			vectors, row = vectors[1:], row+1
		}
	}
	return nil
}

// floats writes the vectors of an embedder, a row for each passage, and makes the set of them.
func (u *update) floats(p pieces) (*meaning.Vectors, *os.File, error) {
	var rows []float32
	width := 0
	put := func(row int32, v []float32) error {
		copy(rows[int(row)*width:], v)
		return nil
	}
	err := u.fill(p, func(dims int) {
		width, rows = dims, make([]float32, len(p.kept)*dims)
	}, func(row, at int32) { _ = put(row, p.old.Set.Row(at)) }, put)
	if err != nil {
		return nil, nil, err
	}
	var before *vector.Lists
	if p.old != nil && !u.manifest.Stats.Refit {
		before = p.old.Set.Lists()
	}
	lists, err := u.lists(rows, width, before)
	if err != nil {
		return nil, nil, err
	}
	set, err := vector.NewSet(rows, width, lists)
	if err != nil {
		return nil, nil, err
	}
	m, err := meaning.New(set, nil)
	return m, nil, errors.Join(err, codec.Write(u.opts.Dir, meaningFile, meaning.Encode(rows, width)))
}

// lists writes the lists of an embedder's vectors where these are too many to be scanned. It
// assigns the vectors to the earlier generation's lists, or trains new ones.
func (u *update) lists(rows []float32, dims int, before *vector.Lists) (lists *vector.Lists, err error) {
	if dims == 0 || len(rows)/dims <= u.flatUpTo {
		return nil, nil
	}
	if before != nil {
		lists, err = before.Assign(u.ctx, rows)
	} else {
		lists, err = vector.Train(u.ctx, rows, dims)
	}
	if err != nil {
		return nil, err
	}
	return lists, u.writeLists(lists, meaningListsFile)
}

// codes writes the vectors of what passages are cut into, those that stay and new ones, in eight bits a
// coordinate, and opens the set of them. The caller closes the file that the set reads.
func (u *update) codes(p pieces) (*meaning.Vectors, *os.File, error) {
	rows := 0
	for _, n := range p.counts {
		rows += n
	}
	var coder *vector.Coder
	err := u.fill(p, func(dims int) {
		coder = vector.NewCoder(vector.Even(rows, max(1, dims)), rows)
	}, func(row, at int32) { coder.Keep(row, p.old.Set, at) }, func(row int32, v []float32) error {
		return coder.Put(u.ctx, []int32{row}, v)
	})
	if err != nil {
		return nil, nil, err
	}
	if err := errors.Join(u.writeCodes(coder, meaningListsFile, meaningCodesFile), codec.Write(u.opts.Dir, meaningRowsFile, meaning.EncodeCounts(p.counts))); err != nil {
		return nil, nil, err
	}
	file, err := os.Open(filepath.Join(u.opts.Dir, meaningCodesFile))
	if err != nil {
		return nil, nil, err
	}
	set, err := vector.OpenCoded(file, coder.Lists(), nil)
	if err != nil {
		return nil, file, err
	}
	m, err := meaning.New(set, p.counts)
	return m, file, err
}
