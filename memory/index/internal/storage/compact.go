package storage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	zap "github.com/blevesearch/zapx/v17"

	"example.com/assay/memory/index/internal/codec"
)

// A query looks its words up in each part, so parts must stay few. Parts whose numbers of
// passages reach the same power of mergeAt have one size; mergeAt of them become one part.
// The largest are not merged, so that an update of a large corpus writes little. A part of
// which more than half is left out is written again.
const (
	mergeAt     = 16
	largestSize = 4
)

// sizeOf is the power of mergeAt that a part has reached.
func sizeOf(passages int) int {
	size := 0
	for ; passages >= mergeAt && size < largestSize; passages /= mergeAt {
		size++
	}
	return size
}

// A group is parts that become one, or one that stays as it is.
type group struct {
	members []int // of the parts, ascending
	rewrite bool
}

// groups says what becomes of the parts; those of which nothing is alive go.
func (b *Builder) groups(bases []int, alive []bool) []group {
	var out []group
	var sizes [largestSize][]int
	for i, p := range b.Parts {
		living := 0
		for _, yes := range alive[bases[i] : bases[i]+p.Passages] {
			if yes {
				living++
			}
		}
		switch size := sizeOf(p.Passages); {
		case living == 0:
		case 2*living < p.Passages || size == largestSize:
			out = append(out, group{[]int{i}, 2*living < p.Passages})
		default:
			sizes[size] = append(sizes[size], i)
		}
	}
	for _, list := range sizes {
		for ; len(list) >= mergeAt; list = list[mergeAt:] {
			out = append(out, group{list[:mergeAt], true})
		}
		for _, i := range list {
			out = append(out, group{[]int{i}, false})
		}
	}
	slices.SortFunc(out, func(a, b group) int { return a.members[0] - b.members[0] })
	return out
}

// compact merges parts of which there are many, gives the new generation those of
// the earlier one that stay, and changes places to where their passages are then.
func (b *Builder) compact(alive []bool, places []int32) error {
	bases := make([]int, len(b.Parts))
	for i := 1; i < len(b.Parts); i++ {
		bases[i] = bases[i-1] + b.Parts[i-1].Passages
	}
	moved := make([]int32, len(alive))
	var parts []Part
	var merged []string
	next := int32(0)
	for _, g := range b.groups(bases, alive) {
		first, made := next, Part{}
		var inputs []mergeInput
		for _, i := range g.members {
			p := b.Parts[i]
			living := alive[bases[i] : bases[i]+p.Passages]
			for row, yes := range living {
				moved[bases[i]+row] = next
				if yes || !g.rewrite {
					next++
				}
			}
			in := mergeInput{dir: b.dir, part: p, alive: living}
			switch {
			case i >= len(b.earlier.Parts) && g.rewrite:
				merged = append(merged, p.Name)
			case g.rewrite:
				in.dir = b.earlier.Dir
				for _, ext := range []string{segmentExt, pairsExt, SumsExt} {
					if _, err := b.earlier.Verify(p.Name+ext, false); err != nil {
						return err
					}
				}
			case i < len(b.earlier.Parts):
				for _, ext := range partExts {
					if err := b.earlier.Link(p.Name + ext); err != nil {
						return err
					}
				}
			}
			made, inputs = p, append(inputs, in)
		}
		if g.rewrite {
			made = Part{Name: b.newName(), Passages: int(next - first)}
			if err := b.start(func() error { return mergeParts(b.dir, made.Name, inputs) }); err != nil {
				return err
			}
		}
		parts = append(parts, made)
	}
	if err := b.Wait(); err != nil {
		return err
	}
	for _, name := range merged {
		for _, ext := range partExts {
			if err := os.Remove(filepath.Join(b.dir, name+ext)); err != nil {
				return fmt.Errorf("removing a merged part: %w", err)
			}
		}
	}
	for i, at := range places {
		places[i] = moved[at]
	}
	b.Parts = parts
	return nil
}

// A mergeInput is a part, and which of its passages stay.
type mergeInput struct {
	dir   string
	part  Part
	alive []bool
}

// mergeParts writes a part of what stays of others, in their order.
func mergeParts(dir, name string, inputs []mergeInput) error {
	if err := mergeSegments(filepath.Join(dir, name+segmentExt), inputs); err != nil {
		return err
	}
	if err := mergePairFiles(filepath.Join(dir, name+pairsExt), inputs); err != nil {
		return err
	}
	w := newBagWriter()
	for _, in := range inputs {
		data, err := os.ReadFile(filepath.Join(in.dir, in.part.Name+bagsExt))
		if err != nil {
			return err
		}
		bags, err := decodeBags(data)
		if err != nil {
			return err
		}
		if err := bags.into(w, func(row int) bool { return in.alive[row] }); err != nil {
			return err
		}
	}
	if err := codec.Write(dir, name+bagsExt, w.encode()); err != nil {
		return err
	}
	return writeSums(dir, name)
}

func mergeSegments(path string, inputs []mergeInput) (err error) {
	segments, drops := make([]segment.Segment, len(inputs)), make([]*roaring.Bitmap, len(inputs))
	for i, in := range inputs {
		opened, openErr := new(zap.ZapPlugin).Open(filepath.Join(in.dir, in.part.Name+segmentExt))
		if openErr != nil {
			return openErr
		}
		defer func() { err = errors.Join(err, opened.Close()) }()
		segments[i] = opened
		drops[i] = deadOf(len(in.alive), func(row int) bool { return in.alive[row] })
	}
	_, _, err = new(zap.ZapPlugin).Merge(segments, drops, path, nil, nil)
	return err
}

func mergePairFiles(path string, inputs []mergeInput) (err error) {
	streams := make([]*pairStream, len(inputs))
	next := int32(0)
	for i, in := range inputs {
		opened, openErr := openPairs(filepath.Join(in.dir, in.part.Name+pairsExt))
		if openErr != nil {
			return openErr
		}
		defer func() { err = errors.Join(err, opened.close()) }()
		places := make([]int32, len(in.alive))
		for row, yes := range in.alive {
			if places[row] = -1; yes {
				places[row] = next
				next++
			}
		}
		streams[i] = &pairStream{pairs: opened, place: func(doc int32) int32 {
			if int(doc) >= len(places) {
				return -1
			}
			return places[doc]
		}}
	}
	return mergePairs(path, streams)
}
