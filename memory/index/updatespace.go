package index

import (
	"context"
	"fmt"

	"example.com/assay/memory/vector"
)

// respaced reports whether the passages must be embedded in another space
// than that of the earlier generation.
func (u *update) respaced() bool {
	return u.old != nil && u.old.stats.Space != u.spaceID()
}

func (u *update) spaceID() string {
	if u.opts.Space == nil {
		return ""
	}
	return u.opts.Space.ID()
}

// mean gives x the vectors of the embedder, if there is one and it need not be waited for too
// long: those of the earlier generation where they are of its space, and new ones.
func (u *update) mean(x *Index) error {
	if u.opts.Space == nil {
		return nil
	}
	reuse := u.old != nil && !u.respaced()
	kept := make([]int, u.table.len()) // ordinal in the earlier generation, or -1
	var texts []string
	for ord := range kept {
		kept[ord] = -1
		if reuse && u.kept[ord] >= 0 {
			kept[ord] = int(u.kept[ord])
			continue
		}
		p, err := x.store.passage(u.table.id(int32(ord)))
		if err != nil {
			return err
		}
		texts = append(texts, Text(p))
	}
	if u.opts.Patience > 0 {
		missing, err := u.opts.Space.Missing(u.ctx, texts)
		if err != nil {
			return err
		}
		if missing > u.opts.Patience {
			u.opts.Space, u.manifest.Stats.Space = nil, ""
			return nil
		}
	}
	x.space, x.stats.Space = u.opts.Space, u.opts.Space.ID()
	x.meaning = &meaning{}
	if reuse {
		x.meaning.dims, x.meaning.scale = u.old.meaning.dims, u.old.meaning.scale
	}
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
	return u.place(x, kept, vectors)
}

// place puts the rows together.
func (u *update) place(x *Index, kept []int, vectors [][]float32) error {
	m := x.meaning
	if m.dims == 0 && len(vectors) > 0 {
		m.dims = len(vectors[0])
	}
	m.rows = make([]float32, len(kept)*m.dims)
	for ord, at := range kept {
		if at >= 0 {
			copy(m.row(ord), u.old.meaning.row(at))
			continue
		}
		v := vectors[0]
		vectors = vectors[1:]
		if len(v) != m.dims {
			return x.otherDims(len(v))
		}
		copy(m.row(ord), v)
	}
	var before *vector.Lists
	if u.old != nil && !u.manifest.Stats.Refit {
		before = u.old.meaning.set.Lists()
	}
	lists, err := u.lists(meaningListsFile, m.rows, m.dims, before)
	if err == nil {
		err = m.index(lists)
	}
	if err != nil {
		return err
	}
	return writeFile(u.opts.Dir, meaningFile, m.encode())
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
		if len(v) != x.meaning.dims {
			return nil, nil, x.otherDims(len(v))
		}
	}
	x.meaning.scale = x.learnScale(questions, vectors)
	return questions, vectors, nil
}
