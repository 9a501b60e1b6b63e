package ranking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/index/internal/storage"
	"example.com/assay/memory/retrieval"
	"example.com/assay/memory/text"
)

// Check refuses a query of which a value is out of range.
func Check(q retrieval.Query) error {
	if !(q.MMR >= 0 && q.MMR <= 1) {
		return fmt.Errorf("MMR is %v: it must be from 0 to 1", q.MMR)
	}
	if q.Neighbours < 0 || q.Neighbours > maxNeighbours {
		return fmt.Errorf("the number of neighbours is %d: it must be from 0 to %d", q.Neighbours, maxNeighbours)
	}
	for _, c := range q.Filter {
		if text.Key(c.Key) == "" {
			return errors.New("a condition of the filter has no key")
		}
	}
	return nil
}

// A subset is what a filter lets through. Nil is everything.
type subset struct {
	passages []bool
	docs     []bool // with a passage that is let through
}

func (s *subset) has(ord int32) bool { return s == nil || s.passages[ord] }

// subset finds the passages of which all conditions hold; nil without any.
func (x *Corpus) subset(ctx context.Context, conditions []retrieval.Condition) (*subset, error) {
	if len(conditions) == 0 {
		return nil, nil
	}
	out := &subset{passages: slices.Repeat([]bool{true}, x.Table.Len()), docs: make([]bool, len(x.Table.Docs))}
	var list []storage.Posting
	for _, c := range conditions {
		terms, err := x.ConditionTerms(ctx, c)
		if err != nil {
			return nil, err
		}
		holds := make([]bool, x.Table.Len())
		for _, term := range terms {
			if list, err = x.Store.Postings(ctx, storage.MetaField, term, list[:0]); err != nil {
				return nil, err
			}
			for _, p := range list {
				holds[p.Ord] = true
			}
		}
		for ord := range out.passages {
			out.passages[ord] = out.passages[ord] && holds[ord]
		}
	}
	for ord, in := range out.passages {
		if in {
			out.docs[x.Table.Doc(int32(ord))] = true
		}
	}
	return out, nil
}

// ConditionTerms lists the terms of metadata of which a passage must have one.
func (x *Corpus) ConditionTerms(ctx context.Context, c retrieval.Condition) ([]string, error) {
	key := text.Key(c.Key)
	known, err := x.MetadataKeys(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(known, key) {
		return nil, &retrieval.UnknownKeyError{Key: key, Known: known}
	}
	terms := make([]string, 0, len(c.OneOf))
	for _, value := range c.OneOf {
		terms = append(terms, analysis.MetaTerm(key, strings.TrimSpace(value)))
	}
	if len(c.OneOf) == 0 || c.Prefix != "" {
		if err := x.Store.Terms(storage.MetaField, analysis.MetaTerm(key, c.Prefix), func(term string) (string, bool) {
			terms = append(terms, term)
			return "", true
		}); err != nil {
			return nil, err
		}
	}
	return terms, nil
}

// lexical takes what a filter leaves out from the scores by words. What comes
// after is computed for passages that are let through only. A nil subset changes
// nothing.
func (s *subset) lexical(sc *scratch) {
	if s == nil {
		return
	}
	for _, ord := range sc.touched {
		if !s.passages[ord] {
			sc.plain[ord], sc.scoped[ord], sc.names[ord], sc.holds[ord] = 0, 0, 0, 0
		}
	}
	for doc, in := range s.docs {
		if !in {
			sc.docs[doc] = 0
		}
	}
}

// MetadataKeys lists the keys that passages have, sorted.
func (x *Corpus) MetadataKeys(ctx context.Context) ([]string, error) {
	if x.Lexicon != nil {
		return x.Lexicon.Keys, nil
	}
	var out []string
	var list []storage.Posting
	var failed error
	err := x.Store.Terms(storage.MetaField, "", func(term string) (string, bool) {
		key, _, _ := strings.Cut(term, "\x00")
		if list, failed = x.Store.Postings(ctx, storage.MetaField, term, list[:0]); failed != nil {
			return "", false
		}
		if len(list) == 0 { // all deleted; another value may not be
			return "", true
		}
		out = append(out, key)
		return key + "\x01", true
	})
	return out, errors.Join(err, failed)
}
