package index

import (
	"cmp"
	"errors"
	"slices"

	"example.com/assay/memory/index/internal/codec"
	"example.com/assay/memory/index/internal/storage"
	"example.com/assay/memory/lsa"
)

// eachBag calls fn for the bags of every part with a passage that is wanted, on all
// processors. fn is told the passages by their ordinals, -1 where one is left out.
func (u *update) eachBag(wanted func(ord int32) bool, fn func(b *storage.Bags, ords []int32) error) error {
	errs := make([]error, len(u.manifest.Parts))
	bases := make([]int, len(errs)+1)
	for i, p := range u.manifest.Parts {
		bases[i+1] = bases[i] + p.Passages
	}
	codec.Parallel(len(errs), func(i int) {
		ords := u.table.Drawn[bases[i]:bases[i+1]]
		if u.ctx.Err() != nil || !slices.ContainsFunc(ords, func(ord int32) bool { return ord >= 0 && wanted(ord) }) {
			return
		}
		b, err := u.parts.Bags(u.manifest.Parts[i])
		if err == nil {
			err = fn(b, ords)
		}
		errs[i] = err
	})
	for _, err := range append(errs, u.ctx.Err()) {
		if err != nil {
			return err
		}
	}
	return nil
}

// fit trains the embedder on the passages, or on a sample of many.
func (u *update) fit() error {
	terms, df := u.terms.Sorted()
	number := make(map[string]int32, len(terms))
	for i, t := range terms {
		number[t] = int32(i)
	}
	sample, err := u.sample()
	if err != nil {
		return err
	}
	at := make([]int32, u.table.Len()) // place in the sample, counted from 1
	for i, ord := range sample {
		at[ord] = int32(i + 1)
	}
	corpus := lsa.Corpus{Terms: terms, DF: df, Passages: u.table.Len(), Docs: make([][]lsa.Cell, len(sample))}
	err = u.eachBag(func(ord int32) bool { return at[ord] > 0 }, func(b *storage.Bags, ords []int32) error {
		place := make([]int32, len(b.Terms))
		for i, t := range b.Terms {
			if n, ok := number[t]; ok { // it is not of a passage that is gone
				place[i] = n
			}
		}
		return b.Each(func(row int, cells []lsa.Cell) {
			if ords[row] < 0 || at[ords[row]] == 0 {
				return
			}
			own := slices.Clone(cells)
			for i := range own {
				own[i].Term = place[own[i].Term]
			}
			corpus.Docs[at[ords[row]]-1] = own
		})
	})
	if err != nil {
		return err
	}
	u.model, err = lsa.Fit(u.ctx, corpus)
	return err
}

// sample returns the passages to train on, in order: all, or those whose bags hash
// lowest, of equal ones the first.
func (u *update) sample() ([]int32, error) {
	ords := make([]int32, u.table.Len())
	for i := range ords {
		ords[i] = int32(i)
	}
	if len(ords) <= lsa.Sample {
		return ords, nil
	}
	hashes := make([]uint64, len(ords))
	all := func(int32) bool { return true }
	if err := u.eachBag(all, func(b *storage.Bags, ords []int32) error {
		var bag []lsa.Term
		return b.Each(func(row int, cells []lsa.Cell) {
			if ords[row] < 0 {
				return
			}
			bag = bag[:0]
			for _, c := range cells {
				bag = append(bag, lsa.Term{Text: b.Terms[c.Term], N: int(c.N)})
			}
			hashes[ords[row]] = lsa.Hash(bag)
		})
	}); err != nil {
		return nil, err
	}
	return lowest(ords, hashes, lsa.Sample), nil
}

// lowest returns the n ordinals of the lowest hashes, in order.
func lowest(ords []int32, hashes []uint64, n int) []int32 {
	slices.SortFunc(ords, func(a, b int32) int { return cmp.Or(cmp.Compare(hashes[a], hashes[b]), cmp.Compare(a, b)) })
	ords = ords[:n]
	slices.Sort(ords)
	return ords
}

// projected is how many vectors are made at a time.
const projected = 4096

// project makes the vectors of passages that are wanted and hands them to take, some
// at a time, by several goroutines.
func (u *update) project(wanted func(ord int32) bool, take func(ords []int32, vectors []float32) error) error {
	dims := u.model.Dims()
	return u.eachBag(wanted, func(b *storage.Bags, ords []int32) error {
		place := make([]int32, len(b.Terms))
		for i, t := range b.Terms {
			place[i] = u.model.Place(t)
		}
		var batch []int32
		vectors := make([]float32, projected*dims)
		var failed error
		flush := func() {
			if failed == nil && len(batch) > 0 {
				failed = take(batch, vectors[:len(batch)*dims])
			}
			batch = batch[:0]
			clear(vectors)
		}
		err := b.Each(func(row int, cells []lsa.Cell) {
			if ords[row] < 0 || !wanted(ords[row]) {
				return
			}
			for i := range cells {
				cells[i].Term = place[cells[i].Term]
			}
			u.model.ProjectCells(cells, vectors[len(batch)*dims:(len(batch)+1)*dims])
			if batch = append(batch, ords[row]); len(batch) == projected {
				flush()
			}
		})
		flush()
		return errors.Join(err, failed)
	})
}
