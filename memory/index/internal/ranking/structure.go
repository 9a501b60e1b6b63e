package ranking

import (
	"cmp"
	"context"
	"slices"

	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/index/internal/storage"
	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/state"
)

// The first passage below a heading that names the question's topic says what the topic
// is. Headings are in the passages themselves, so only the best candidates are looked at.
const (
	structureDepth = 60 // candidates that are read
	headingWeight  = .15
	headingLeast   = .2 // match of heading and question below which a passage gets nothing
)

// placed adds to the best candidates what their headings are worth, and ranks them anew.
func (x *Corpus) placed(ctx context.Context, sig *signals, ranked []candidate) error {
	ranked = ranked[:min(structureDepth, len(ranked))]
	h := x.topic(sig)
	for i := range ranked {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := &ranked[i]
		p, err := x.Store.Passage(c.ord)
		if err != nil {
			return err
		}
		c.passage = p
		if c.heading, err = h.heading(ctx, p, c.ord); err != nil {
			return err
		}
		c.fused += c.heading
	}
	slices.SortFunc(ranked, byFused)
	return nil
}

func byFused(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.fused, a.fused), cmp.Compare(a.ord, b.ord))
}

// A topic is a question that headings are compared with.
type topic struct {
	x     *Corpus
	sig   *signals
	at    map[string]int     // term → place in sig.terms
	idfs  map[string]float64 // of other terms of headings
	total float64            // weight of the terms that a passage holds
}

func (x *Corpus) topic(sig *signals) *topic {
	h := &topic{x: x, sig: sig, at: make(map[string]int, len(sig.terms)), idfs: map[string]float64{}}
	for i, t := range sig.terms {
		h.at[t.term] = i
		if sig.cfs[i] > 0 {
			h.total += t.weight * sig.idfs[i]
		}
	}
	return h
}

// heading is what a passage gets for its heading, if it is the first below it.
func (h *topic) heading(ctx context.Context, p state.Passage, ord int32) (float64, error) {
	if p.Section == "" || h.total == 0 {
		return 0, nil
	}
	last := p.Section
	if _, after, found := text.CutLast(p.Section, " > "); found {
		last = after
	}
	match, err := h.match(ctx, last)
	if err != nil || match < headingLeast {
		return 0, err
	}
	first, err := h.x.opens(p, ord)
	if err != nil || !first {
		return 0, err
	}
	return headingWeight * match, nil
}

// numbering begins a heading.
var numbering = pattern.New(`^\s*(?i:(?:chapter|appendix|section|part)\s+)?(?:[A-Z]\.)?[\d.§]+\s+`)

// match says how far a heading and the question are about the same: it is the share of the
// heading that is in the question times the share of the question that is in the heading.
func (h *topic) match(ctx context.Context, heading string) (float64, error) {
	var all, both, share float64
	for _, t := range analysis.Distinct(analysis.Terms(numbering.ReplaceAllString(heading, ""), text.DocStops)) {
		if i, ok := h.at[t]; ok {
			all += h.sig.idfs[i]
			both += h.sig.idfs[i]
			share += h.sig.terms[i].weight * h.sig.idfs[i]
			continue
		}
		rarity, ok := h.idfs[t]
		if !ok {
			n, err := h.x.Store.Frequency(ctx, storage.BodyField, t)
			if err != nil {
				return 0, err
			}
			rarity = idf(float64(h.x.Passages), float64(n))
			h.idfs[t] = rarity
		}
		all += rarity
	}
	if all == 0 {
		return 0, nil
	}
	return both / all * share / h.total, nil
}

// opens reports whether a passage is the first below its heading.
func (x *Corpus) opens(p state.Passage, ord int32) (bool, error) {
	if x.gathered != nil {
		return x.gathered.Opens[ord], nil
	}
	before := int32(-1)
	for _, m := range x.members(x.docOf[ord]) {
		if x.Table.ByPlace(m, ord) < 0 && (before < 0 || x.Table.ByPlace(m, before) > 0) {
			before = m
		}
	}
	if before < 0 {
		return true, nil
	}
	other, err := x.Store.Passage(before)
	return other.Section != p.Section, err
}
