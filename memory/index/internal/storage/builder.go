package storage

import (
	"cmp"
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

	"golang.org/x/sync/errgroup"

	"example.com/assay/memory/citation"
	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/index/internal/codec"
	"example.com/assay/state"
)

// partSize is how many passages a new part has at most. It takes some 100 MB to
// build.
const partSize = 4096

// A Builder makes the parts of a generation: new ones on all processors while passages
// are added, then merged ones.
type Builder struct {
	ctx     context.Context
	dir     string
	earlier Earlier
	Parts   []Part // those of the earlier generation first
	next    int    // number of the next part
	Fresh   []Draft
	pending []state.Passage
	labels  []citation.Labels

	group   *errgroup.Group // since the last Wait; nil before any work
	running context.Context // of the group
	stems   sync.Pool
	built   []*[]Draft // of each new part
}

// An Earlier tells a builder of the generation that it starts from. The zero value means that
// it starts from nothing.
type Earlier struct {
	Dir   string
	Parts []Part
	Table *Table
	Terms Vocabulary // which the builder changes
	// Verify compares a file with its check sum, and returns its content where it is wanted.
	Verify func(name string, wanted bool) ([]byte, error)
	Link   func(name string) error // gives the new generation a file
}

// NewBuilder makes the builder of the parts in a directory.
func NewBuilder(ctx context.Context, dir string, from Earlier) *Builder {
	b := &Builder{ctx: ctx, dir: dir, earlier: from, Parts: slices.Clone(from.Parts)}
	b.stems.New = func() any { return new(analysis.Stemmer) }
	return b
}

// Add takes passages, all of a source's in one call.
func (b *Builder) Add(passages []state.Passage) error {
	if err := checkPassages(passages); err != nil {
		return err
	}
	passages = analysis.WithLanguages(passages)
	b.pending = append(b.pending, passages...)
	b.labels = append(b.labels, citation.Label(passages)...)
	for len(b.pending) >= partSize {
		if err := b.build(partSize); err != nil {
			return err
		}
	}
	return nil
}

// Flush builds the part of the rest and waits for all.
func (b *Builder) Flush() error {
	if len(b.pending) > 0 {
		if err := b.build(len(b.pending)); err != nil {
			return err
		}
	}
	if err := b.Wait(); err != nil {
		return err
	}
	base := passages(b.earlier.Parts)
	b.Fresh = make([]Draft, 0, b.Places()-base)
	for i, drafts := range b.built {
		b.Fresh = append(b.Fresh, *drafts...)
		b.built[i] = nil
	}
	b.built = nil
	for i := range b.Fresh {
		b.Fresh[i].Place = int32(base + i)
	}
	return nil
}

// Wait waits for what is being built and returns what went wrong first.
func (b *Builder) Wait() error {
	if b.group == nil {
		return nil
	}
	err := b.group.Wait()
	b.group = nil
	return err
}

// start runs work on a goroutine when a processor is free, unless other work failed.
func (b *Builder) start(work func() error) error {
	if b.group == nil {
		b.group, b.running = errgroup.WithContext(b.ctx)
		b.group.SetLimit(runtime.GOMAXPROCS(0))
	}
	if b.running.Err() != nil {
		return cmp.Or(b.Wait(), b.ctx.Err())
	}
	b.group.Go(func() error { return codec.Guarded(work) })
	return nil
}

// newName names a part that no generation from here on has.
func (b *Builder) newName() string {
	if b.next == 0 {
		for _, p := range b.Parts {
			n, _ := strconv.Atoi(strings.TrimPrefix(p.Name, partPrefix))
			b.next = max(b.next, n)
		}
	}
	b.next++
	return partName(b.next)
}

// build makes a part of the first n pending passages.
func (b *Builder) build(n int) error {
	passages, labels := b.pending[:n:n], b.labels[:n:n]
	b.pending, b.labels = slices.Clone(b.pending[n:]), slices.Clone(b.labels[n:])
	name, drafts := b.newName(), new([]Draft)
	b.Parts, b.built = append(b.Parts, Part{Name: name, Passages: n}), append(b.built, drafts)
	return b.start(func() error {
		stems := b.stems.Get().(*analysis.Stemmer)
		defer b.stems.Put(stems)
		ready, err := analyseAll(passages, labels, stems)
		if err != nil {
			return err
		}
		if err := writePart(b.dir, name, ready); err != nil {
			return fmt.Errorf("writing the stored index: %w", err)
		}
		*drafts = make([]Draft, n)
		for i := range ready {
			(*drafts)[i] = ready[i].Draft
		}
		return nil
	})
}

// Places is how many passages the parts have, deleted ones included.
func (b *Builder) Places() int { return passages(b.Parts) }

// passages is how many parts have.
func passages(parts []Part) (n int) {
	for _, p := range parts {
		n += p.Passages
	}
	return n
}

// Settle keeps the passages in some places. It drops the others, merges parts of which there
// are many, and changes each place to where its passage is then. It returns the terms of
// what stays.
func (b *Builder) Settle(places []int32) (Vocabulary, error) {
	alive := make([]bool, b.Places())
	for _, at := range places {
		alive[at] = true
	}
	terms, err := b.vocabulary(alive)
	if err != nil {
		return nil, err
	}
	return terms, b.compact(alive, places)
}

// Bags reads the bags of a part, and checks them where the earlier generation wrote them:
// where a generation is large, opening it did not.
func (b *Builder) Bags(p Part) (*Bags, error) {
	var data []byte
	var err error
	if slices.Contains(b.earlier.Parts, p) {
		data, err = b.earlier.Verify(p.Name+bagsExt, true)
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
func (b *Builder) vocabulary(alive []bool) (Vocabulary, error) {
	v := b.earlier.Terms
	if v == nil {
		v = Vocabulary{}
	}
	base := 0
	for i, p := range b.Parts {
		was := func(row int) bool { return true }
		fresh := i >= len(b.earlier.Parts)
		if !fresh {
			was = func(row int) bool { return b.earlier.Table.Drawn[base+row] >= 0 }
		}
		dropped := func(row int) bool { return was(row) && !alive[base+row] }
		lost := false
		for row := range p.Passages {
			lost = lost || dropped(row)
		}
		if lost || fresh {
			bags, err := b.Bags(p)
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
