package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/index/internal/storage"
)

// A Facet is a key of metadata and what the passages have of it.
type Facet struct {
	Key      string       `json:"key"`
	Passages int          `json:"passages"` // that have the key
	Distinct int          `json:"distinct"` // values
	Values   []FacetValue `json:"values"`   // the most frequent ones, those first; of equals the lesser
}

// A FacetValue is a value of a key.
type FacetValue struct {
	Value    string `json:"value"`
	Passages int    `json:"passages"`
}

// Facets lists the keys of metadata, sorted, each with at most limit values.
func (x *Index) Facets(ctx context.Context, limit int) ([]Facet, error) {
	var out []Facet
	if l := x.corpus.Lexicon; l != nil {
		l.EachKey(func(key string, passages int) {
			f := Facet{Key: key, Passages: passages}
			l.EachValue(key, func(value string, passages int) { f.Values = append(f.Values, FacetValue{value, passages}) })
			f.Distinct = len(f.Values)
			out = append(out, f.first(limit))
		})
		return out, nil
	}
	err := x.read(func() error {
		keys, err := x.corpus.MetadataKeys(ctx)
		for _, key := range keys {
			var f Facet
			if f, err = x.facet(ctx, key, limit); err != nil {
				return err
			}
			out = append(out, f)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listing metadata: %w", err)
	}
	return out, nil
}

func (x *Index) facet(ctx context.Context, key string, limit int) (Facet, error) {
	f := Facet{Key: key}
	has := make([]bool, x.gen.table.Len())
	prefix := analysis.MetaTerm(key, "")
	if err := storage.EachTerm(ctx, x.corpus.Store, storage.MetaField, prefix, func(term string, list []storage.Posting) {
		f.Distinct++
		f.Values = append(f.Values, FacetValue{Value: strings.Clone(term[len(prefix):]), Passages: len(list)})
		for _, p := range list {
			has[p.Ord] = true
		}
	}); err != nil {
		return f, err
	}
	for _, yes := range has {
		if yes {
			f.Passages++
		}
	}
	return f.first(limit), nil
}

// first keeps the most frequent values.
func (f Facet) first(limit int) Facet {
	slices.SortFunc(f.Values, func(a, b FacetValue) int {
		return cmp.Or(cmp.Compare(b.Passages, a.Passages), cmp.Compare(a.Value, b.Value))
	})
	f.Values = slices.Clip(f.Values[:min(max(0, limit), len(f.Values))])
	return f
}
