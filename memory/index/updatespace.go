package index

import (
	"context"
	"fmt"

	"example.com/assay/memory/vector"
)

// respaced reports whether the passages must be embedded in another space, or in other pieces, than
// those of the earlier generation.
func (u *update) respaced() bool {
	return u.old != nil && (u.old.stats.Space != u.spaceID() || u.old.stats.Cut != u.cut().Name())
}

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
	return u.opts.Cut.For(u.table.len())
}

// mean gives x the vectors of the embedder, if there is one and it need not be waited for too
// long: those of the earlier generation where they are of its space, and new ones.
func (u *update) mean(x *Index) error {
	if u.opts.Space == nil {
		return nil
	}
	cut, reuse := u.cut(), u.old != nil && !u.respaced()
	pieces := pieces{counts: make([]int, u.table.len()), kept: make([]int32, u.table.len())}
	var texts []string
	for ord := range pieces.kept {
		pieces.counts[ord], pieces.kept[ord] = 1, -1
		if reuse && u.kept[ord] >= 0 {
			from, to := u.old.meaning.rows(u.kept[ord])
			pieces.counts[ord], pieces.kept[ord] = int(to-from), from
			continue
		}
		p, err := x.store.passage(u.table.id(int32(ord)))
		if err != nil {
			return err
		}
		own := []string{Text(p)}
		if cut != nil {
			own = cut.Of(p)
		}
		texts, pieces.counts[ord] = append(texts, own...), len(own)
	}
	if u.opts.Patience > 0 {
		missing, err := u.opts.Space.Missing(u.ctx, texts)
		if err != nil {
			return err
		}
		if missing > u.opts.Patience {
			u.opts.Space, u.manifest.Stats.Space, u.manifest.Stats.Cut = nil, "", ""
			return nil
		}
	}
	x.space, x.stats.Space, x.stats.Cut = u.opts.Space, u.opts.Space.ID(), cut.Name()
	if err := u.report(PhaseMeaning, 0, len(texts)); err != nil {
		return err
	}
	vectors, err := u.opts.Space.Passages(u.ctx, texts, func(done, total int) {
		if u.opts.Progress != nil {
			u.opts.Progress(PhaseMeaning, done, total)
		}
	})
	if err != nil {
		return err
	}
	dims, err := u.dims(reuse, vectors)
	if err != nil {
		return err
	}
	write := u.floats
	if cut != nil {
		write = u.codes
	}
	if x.meaning, err = write(pieces, vectors, dims); err == nil && reuse {
		x.meaning.scale = u.old.meaning.scale
	}
	return err
}

// dims is the length of the embedder's vectors, those that stay and new ones; 0 without any.
func (u *update) dims(reuse bool, vectors [][]float32) (int, error) {
	dims := 0
	if reuse && u.old.meaning.set.Len() > 0 {
		dims = u.old.meaning.dims()
	} else if len(vectors) > 0 {
		dims = len(vectors[0])
	}
	for _, v := range vectors {
		if len(v) != dims {
			return 0, otherDims(u.spaceID(), len(v), dims)
		}
	}
	return dims, nil
}

// pieces are what is embedded of each passage: how many rows, and the first of them in the earlier
// generation, -1 of new ones.
type pieces struct {
	counts []int
	kept   []int32
}

// floats writes the vectors of an embedder, a row for each passage, and makes the set of them.
func (u *update) floats(p pieces, vectors [][]float32, dims int) (*meaning, error) {
	rows := make([]float32, len(p.kept)*dims)
	for ord, at := range p.kept {
		own := rows[ord*dims : (ord+1)*dims]
		if at >= 0 {
			copy(own, u.old.meaning.set.Row(at))
			continue
		}
		copy(own, vectors[0])
		vectors = vectors[1:]
	}
	var before *vector.Lists
	if u.old != nil && !u.manifest.Stats.Refit {
		before = u.old.meaning.set.Lists()
	}
	lists, err := u.lists(rows, dims, before)
	if err != nil {
		return nil, err
	}
	m := &meaning{}
	if m.set, err = vector.NewSet(rows, dims, lists); err != nil {
		return nil, err
	}
	return m, writeFile(u.opts.Dir, meaningFile, encodeMeaning(rows, dims))
}

// lists writes the lists of an embedder's vectors that are too many to be scanned, made of
// the earlier generation's where there are some that still fit; else there
// are none.
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
	data, err := lists.MarshalBinary()
	if err != nil {
		return nil, fmt.Errorf("encoding the lists of vectors: %w", err)
	}
	return lists, writeFile(u.opts.Dir, meaningListsFile, data)
}

// codes writes the vectors of what passages are cut into, those that stay and new ones, in eight bits a
// coordinate, and opens the set of them.
func (u *update) codes(p pieces, vectors [][]float32, dims int) (*meaning, error) {
	m := &meaning{}
	m.share(p.counts)
	coder := vector.NewCoder(vector.Even(len(m.owner), max(1, dims)), len(m.owner))
	for ord, at := range p.kept {
		for row, to := m.rows(int32(ord)); row < to; row++ {
			if at >= 0 {
				coder.Keep(row, u.old.meaning.set, at)
				at++
				continue
			}
			if err := coder.Put(u.ctx, []int32{row}, vectors[0]); err != nil {
				return nil, err
			}
			vectors = vectors[1:]
		}
	}
	var err error
	if m.set, m.file, err = u.writeCodes(coder, meaningListsFile, meaningCodesFile); err != nil {
		return m, err
	}
	e := new(encoder)
	e.uints(p.counts)
	return m, writeFile(u.opts.Dir, meaningRowsFile, e.out)
}

// embedQuestions returns the vectors of the pseudo-questions, none without a
// remote embedder, and the questions that are asked then.
func (x *Index) embedQuestions(ctx context.Context, questions []pseudo) ([]pseudo, [][]float32, error) {
	if x.meaning == nil {
		return questions, nil, nil
	}
	questions = questions[:min(len(questions), spaceQuestions)]
	texts := make([]string, len(questions))
	for i, q := range questions {
		texts[i] = q.text
	}
	vectors, err := x.space.Queries(ctx, texts)
	if err != nil {
		return nil, nil, fmt.Errorf("embedding the questions to calibrate by: %w", err)
	}
	for _, v := range vectors {
		if len(v) != x.meaning.dims() {
			return nil, nil, otherDims(x.stats.Space, len(v), x.meaning.dims())
		}
	}
	x.meaning.scale = x.learnScale(questions, vectors)
	return questions, vectors, nil
}
