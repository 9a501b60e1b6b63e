package index

import (
	"context"
	"sync"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// mostShingles bounds whose shingles a readOnce keeps: those of a passage take some 20 kB.
const mostShingles = 1000

// A readOnce is a source that keeps what was read, and what follows from it, for as long as many
// questions are asked together. Nothing is ever forgotten, so it must not stay.
type readOnce struct {
	source
	passages    kept[state.Passage]
	frequencies kept[uint64]
	headings    kept[[]string]            // their terms, by heading
	shingles    kept[map[string]struct{}] // by passage
}

func (r *readOnce) passage(id string) (state.Passage, error) {
	return r.passages.of(id, func() (state.Passage, error) { return r.source.passage(id) })
}

func (r *readOnce) frequency(ctx context.Context, field, term string) (uint64, error) {
	return r.frequencies.of(field+" "+term, func() (uint64, error) { return r.source.frequency(ctx, field, term) })
}

// headingTerms are the terms of a heading without its number, each once.
func (x *Index) headingTerms(heading string) []string {
	derive := func() []string {
		return distinct(terms(numbering.ReplaceAllString(heading, ""), text.DocStops))
	}
	if r, ok := x.store.(*readOnce); ok {
		return r.headings.derived(heading, derive)
	}
	return derive()
}

// shinglesOf are the shingles of a passage's text. The caller must not change them.
func (x *Index) shinglesOf(p state.Passage) map[string]struct{} {
	if r, ok := x.store.(*readOnce); ok {
		return r.shingles.derived(p.ID, func() map[string]struct{} { return shingles(p.Text) })
	}
	return shingles(p.Text)
}

// A kept holds what was made for each key. Several goroutines may use it.
type kept[V any] struct {
	lock sync.Mutex
	made map[string]V
	most int // how many are kept; 0 for all
}

// of returns what is kept for a key, or makes it. Two goroutines may make the same at a time.
func (k *kept[V]) of(key string, derive func() (V, error)) (V, error) {
	k.lock.Lock()
	v, ok := k.made[key]
	k.lock.Unlock()
	if ok {
		return v, nil
	}
	v, err := derive()
	if err != nil {
		return v, err
	}
	k.lock.Lock()
	defer k.lock.Unlock()
	if k.made == nil {
		k.made = map[string]V{}
	}
	if k.most == 0 || len(k.made) < k.most {
		k.made[key] = v
	}
	return v, nil
}

// derived is of for what cannot fail.
func (k *kept[V]) derived(key string, derive func() V) V {
	v, _ := k.of(key, func() (V, error) { return derive(), nil })
	return v
}
