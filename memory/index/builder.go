package index

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"example.com/assay/memory/citation"
	"example.com/assay/state"
)

// partSize is how many passages a new part has at most. It takes some 100 MB to
// build.
const partSize = 4096

// A builder makes the parts of a generation: new ones on all processors while passages
// are added, then merged ones.
type builder struct {
	ctx     context.Context
	dir     string
	earlier earlier
	parts   []part // those of the earlier generation first
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

// An earlier is what a builder must know of the generation that it starts from. The zero
// value is none.
type earlier struct {
	dir   string
	parts []part
	table *table
	terms vocabulary // which the builder changes
	// verify compares a file with its check sum, and returns its content where it is wanted.
	verify func(name string, wanted bool) ([]byte, error)
	link   func(name string) error // gives the new generation a file
}

// newBuilder makes the builder of the parts in a directory.
func newBuilder(ctx context.Context, dir string, from earlier) *builder {
	b := &builder{ctx: ctx, dir: dir, earlier: from, parts: slices.Clone(from.parts), limit: make(chan struct{}, runtime.GOMAXPROCS(0))}
	b.stems.New = func() any { return stemmer{} }
	return b
}

// add takes passages, all of a source's in one call.
func (b *builder) add(passages []state.Passage) error {
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
func (b *builder) flush() error {
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
	for _, p := range b.earlier.parts {
		base += p.Passages
	}
	for i := range b.fresh {
		b.fresh[i].place = int32(base + i)
	}
	return nil
}

// wait waits for what is being built and returns what went wrong first.
func (b *builder) wait() error {
	b.working.Wait()
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.failed
}

// start runs work on a goroutine when a processor is free.
func (b *builder) start(work func() error) error {
	select {
	case b.limit <- struct{}{}:
	case <-b.ctx.Done():
		return b.ctx.Err()
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
func (b *builder) newName() string {
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
func (b *builder) build(n int) error {
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
		if err := writePart(b.dir, name, ready); err != nil {
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
func (b *builder) places() int {
	n := 0
	for _, p := range b.parts {
		n += p.Passages
	}
	return n
}

// alive marks places among those of all parts.
func (b *builder) alive(places []int32) []bool {
	out := make([]bool, b.places())
	for _, at := range places {
		out[at] = true
	}
	return out
}

// bags reads the bags of a part, and checks them where the earlier generation wrote them:
// where a generation is large, opening it did not.
func (b *builder) bags(p part) (*bags, error) {
	var data []byte
	var err error
	if slices.Contains(b.earlier.parts, p) {
		data, err = b.earlier.verify(p.Name+bagsExt, true)
	} else {
		data, err = os.ReadFile(filepath.Join(b.dir, p.Name+bagsExt))
	}
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
func (b *builder) vocabulary(alive []bool) (vocabulary, error) {
	v := b.earlier.terms
	if v == nil {
		v = vocabulary{}
	}
	base := 0
	for i, p := range b.parts {
		was := func(row int) bool { return true }
		fresh := i >= len(b.earlier.parts)
		if !fresh {
			was = func(row int) bool { return b.earlier.table.drawn[base+row] >= 0 }
		}
		dropped := func(row int) bool { return was(row) && !alive[base+row] }
		lost := false
		for row := range p.Passages {
			lost = lost || dropped(row)
		}
		if lost || fresh {
			bags, err := b.bags(p)
			if err != nil {
				return nil, err
			}
			if fresh {
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

// checkPassages refuses what cannot be stored.
func checkPassages(passages []state.Passage) error {
	for i, p := range passages {
		if p.ID == "" {
			return fmt.Errorf("passage %d of %d (document %q) has no id", i+1, len(passages), p.Doc)
		}
		if !validText(p) {
			return fmt.Errorf("passage %q is not valid UTF-8; convert its document first", p.ID)
		}
	}
	return nil
}

func validText(p state.Passage) bool {
	for key, value := range p.Metadata {
		if !utf8.ValidString(key) || !utf8.ValidString(value) {
			return false
		}
	}
	return !slices.ContainsFunc([]string{p.ID, p.Doc, p.Title, p.Section, p.Text, p.Source}, func(s string) bool { return !utf8.ValidString(s) })
}
