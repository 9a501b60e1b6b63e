package index

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"example.com/assay/memory/citation"
	"example.com/assay/state"
)

// partSize is how many passages a new part has at most. It takes some 100 MB to
// build.
const partSize = 4096

// A partsBuilder makes the parts of a generation: new ones on all processors while
// passages are added, then merged ones.
type partsBuilder struct {
	u       *update
	parts   []part // those of the earlier generation first
	old     int    // so many of them
	next    int    // number of the next part
	fresh   []draft
	pending []state.Passage
	labels  []citation.Labels

	limit   chan struct{}
	working sync.WaitGroup
	stems   sync.Pool
	lock    sync.Mutex
	failed  error
	built   [][]draft // of each new part
}

func newPartsBuilder(u *update) *partsBuilder {
	b := &partsBuilder{u: u, limit: make(chan struct{}, runtime.GOMAXPROCS(0))}
	b.stems.New = func() any { return stemmer{} }
	return b
}

// add takes passages, all of a source's in one call.
func (b *partsBuilder) add(passages []state.Passage) error {
	if err := checkPassages(passages); err != nil {
		return err
	}
	passages = withLanguages(passages)
	b.pending = append(b.pending, passages...)
	b.labels = append(b.labels, citation.Label(passages)...)
	for len(b.pending) >= partSize {
		if err := b.build(partSize); err != nil {
			return err
		}
	}
	return nil
}

// flush builds the part of the rest and waits for all.
func (b *partsBuilder) flush() error {
	if len(b.pending) > 0 {
		if err := b.build(len(b.pending)); err != nil {
			return err
		}
	}
	if err := b.wait(); err != nil {
		return err
	}
	n := 0
	for _, drafts := range b.built {
		n += len(drafts)
	}
	b.fresh = make([]draft, 0, n)
	for i, drafts := range b.built {
		b.fresh = append(b.fresh, drafts...)
		b.built[i] = nil
	}
	b.built = nil
	base := 0
	for _, p := range b.parts[:b.old] {
		base += p.Passages
	}
	for i := range b.fresh {
		b.fresh[i].place = int32(base + i)
	}
	return nil
}

// wait waits for what is being built and returns what went wrong first.
func (b *partsBuilder) wait() error {
	b.working.Wait()
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.failed
}

// start runs work on a goroutine when a processor is free.
func (b *partsBuilder) start(work func() error) error {
	select {
	case b.limit <- struct{}{}:
	case <-b.u.ctx.Done():
		return b.u.ctx.Err()
	}
	b.lock.Lock()
	failed := b.failed
	b.lock.Unlock()
	if failed != nil {
		<-b.limit
		return failed
	}
	b.working.Go(func() {
		defer func() { <-b.limit }()
		if err := guarded(work); err != nil {
			b.lock.Lock()
			defer b.lock.Unlock()
			if b.failed == nil {
				b.failed = err
			}
		}
	})
	return nil
}

// newName names a part that no generation from here on has.
func (b *partsBuilder) newName() string {
	if b.next == 0 {
		for _, p := range b.parts {
			n, _ := strconv.Atoi(strings.TrimPrefix(p.Name, partPrefix))
			b.next = max(b.next, n)
		}
	}
	b.next++
	return partName(b.next)
}

// build makes a part of the first n pending passages.
func (b *partsBuilder) build(n int) error {
	passages, labels := b.pending[:n:n], b.labels[:n:n]
	b.pending, b.labels = slices.Clone(b.pending[n:]), slices.Clone(b.labels[n:])
	name, at := b.newName(), len(b.built)
	b.parts = append(b.parts, part{Name: name, Passages: n})
	b.lock.Lock()
	b.built = append(b.built, nil)
	b.lock.Unlock()
	return b.start(func() error {
		stems := b.stems.Get().(stemmer)
		defer b.stems.Put(stems)
		ready, err := analyse(passages, labels, stems)
		if err != nil {
			return err
		}
		if err := writePart(b.u.opts.Dir, name, ready); err != nil {
			return fmt.Errorf("writing the stored index: %w", err)
		}
		drafts := make([]draft, n)
		for i := range ready {
			drafts[i] = ready[i].draft
		}
		b.lock.Lock()
		defer b.lock.Unlock()
		b.built[at] = drafts
		return nil
	})
}

// places is how many passages the parts have, deleted ones included.
func (b *partsBuilder) places() int {
	n := 0
	for _, p := range b.parts {
		n += p.Passages
	}
	return n
}

// alive marks places among those of all parts.
func (b *partsBuilder) alive(places []int32) []bool {
	out := make([]bool, b.places())
	for _, at := range places {
		out[at] = true
	}
	return out
}

// content reads a file of a part, and checks it where the earlier generation wrote
// it: where a generation is large, opening it did not.
func (b *partsBuilder) content(p part, ext string) ([]byte, error) {
	if b.u.oldFiles != nil {
		for _, f := range b.u.oldFiles.Files {
			if f.Name == p.Name+ext {
				data, err := f.verify(b.u.opts.From, true, nil)
				if err != nil {
					return nil, &CorruptError{Dir: b.u.opts.From, Err: err}
				}
				return data, nil
			}
		}
	}
	return os.ReadFile(filepath.Join(b.u.opts.Dir, p.Name+ext))
}

// open opens the parts for reading passages of the new table.
func (b *partsBuilder) open(t *table) (*store, error) {
	sums := make([][]byte, len(b.parts))
	for i, p := range b.parts {
		data, err := os.ReadFile(filepath.Join(b.u.opts.Dir, p.Name+sumsExt))
		if err != nil {
			return nil, err
		}
		sums[i], _ = bytes.CutPrefix(data, []byte(sumsMagic))
	}
	return openStore(b.u.opts.Dir, t, b.parts, sums)
}

// bags reads the bags of a part.
func (b *partsBuilder) bags(p part) (*bags, error) {
	data, err := b.content(p, bagsExt)
	if err != nil {
		return nil, err
	}
	out, err := decodeBags(data)
	if err == nil && out.count != p.Passages {
		err = fmt.Errorf("%d bags for %d passages", out.count, p.Passages)
	}
	return out, err
}

// vocabulary is that of the earlier generation with what is new and without what is
// gone.
func (b *partsBuilder) vocabulary(alive []bool) (vocabulary, error) {
	v := b.u.oldTerms
	if v == nil {
		v = vocabulary{}
	}
	base := 0
	for i, p := range b.parts {
		was := func(row int) bool { return true }
		if i < b.old {
			was = func(row int) bool { return b.u.old.table.drawn[base+row] >= 0 }
		}
		dropped := func(row int) bool { return was(row) && !alive[base+row] }
		lost := false
		for row := range p.Passages {
			lost = lost || dropped(row)
		}
		if lost || i >= b.old {
			bags, err := b.bags(p)
			if err != nil {
				return nil, err
			}
			if i >= b.old {
				v.add(bags)
			}
			if lost {
				if err := v.drop(bags, dropped); err != nil {
					return nil, err
				}
			}
		}
		base += p.Passages
	}
	return v, nil
}
