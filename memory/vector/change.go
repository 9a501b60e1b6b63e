package vector

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// changeMagic begins an encoded change; its last byte is the format's version. The
// numbers of rows that are gone and added follow, where the codes of those that are
// gone are in the file, and of those that are added the row, the list, the step and the
// codes. Rows ascend.
const changeMagic = "assay-change\x01"

// A Change describes a set as the difference from an earlier file, which is kept: some of its rows
// are deleted, and others are added. The remaining rows keep their order.
type Change struct {
	centroids *codes
	lists     *Lists
	gone      []int32 // places in the file
	added     []int32 // rows of the new set
	own       codes   // of the rows that are added
	assigned  []int32 // lists of those
}

// changedShare is the greatest share of changed rows. Added rows are read at once.
const changedShare = 1. / 16

// NewChange returns the difference of rows from those of a coded set: kept has the former number of
// each row, ascending, or −1 for a new one, which the caller must Put. It is nil if so many rows
// differ that a new file is better.
func NewChange(from *Set, kept []int32) *Change {
	c := &Change{lists: from.lists, own: codes{width: from.codes.width}}
	stays := make([]bool, from.coded.rows)
	staying := 0
	for row, at := range kept {
		if at >= 0 && int(from.place[at]) < len(stays) {
			stays[from.place[at]] = true
			staying++
			continue
		}
		c.added = append(c.added, int32(row))
	}
	if float64(len(stays)-staying+len(c.added)) > changedShare*float64(len(stays)) {
		return nil
	}
	for place, yes := range stays {
		if !yes {
			c.gone = append(c.gone, int32(place))
		}
	}
	n := len(c.added)
	c.own.data, c.own.step, c.assigned = make([]int8, n*c.own.width), make([]float32, n), make([]int32, n)
	for i, row := range c.added {
		if at := kept[row]; at >= 0 {
			codes, step := from.codeOf(at)
			copy(c.own.data[i*c.own.width:], codes)
			c.own.step[i], c.assigned[i] = step, from.lists.Of(at)
		}
	}
	c.centroids = encode(c.lists.Count(), c.lists.dims, c.lists.centroid)
	return c
}

// Put codes new rows as a Coder does.
func (c *Change) Put(ctx context.Context, rows []int32, vectors []float32) error {
	products := make([]int32, len(c.centroids.step))
	for j, row := range rows {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		i, _ := slices.BinarySearch(c.added, row)
		v := vectors[j*c.lists.dims : (j+1)*c.lists.dims]
		c.assigned[i] = nearestTo(c.centroids, v, products)
		encodeRow(v, c.own.data[i*c.own.width:(i+1)*c.own.width], &c.own.step[i])
	}
	return nil
}

// Encode returns the data that OpenCoded needs in addition to the file and its lists.
func (c *Change) Encode() []byte {
	out := []byte(changeMagic)
	for _, n := range []int{c.own.width, len(c.gone), len(c.added)} {
		out = binary.LittleEndian.AppendUint32(out, uint32(n))
	}
	for _, list := range [][]int32{c.gone, c.added, c.assigned} {
		for _, v := range list {
			out = binary.LittleEndian.AppendUint32(out, uint32(v))
		}
	}
	for _, step := range c.own.step {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(step))
	}
	return append(out, bytesOf(c.own.data)...)
}

var errChange = errors.New("what changed of them is not of this file, or not of this version")

// decodeChange reads the output of Encode for a set.
func (s *Set) decodeChange(data []byte) (*Change, error) {
	const head = len(changeMagic) + 3*4
	if len(data) < head || string(data[:len(changeMagic)]) != changeMagic {
		return nil, errChange
	}
	number := func(i int) int { return int(binary.LittleEndian.Uint32(data[len(changeMagic)+4*i:])) }
	width, gone, added := number(0), number(1), number(2)
	if width != s.codes.width || gone > s.coded.rows || len(data) != head+4*gone+(3*4+width)*added {
		return nil, errChange
	}
	rest := data[head:]
	numbers := func(n, below int) []int32 {
		out := make([]int32, n)
		for i := range out {
			v := binary.LittleEndian.Uint32(rest[4*i:])
			if uint64(v) >= uint64(below) {
				out = nil
				break
			}
			out[i] = int32(v)
		}
		rest = rest[4*n:]
		return out
	}
	rows := s.coded.rows - gone + added
	c := &Change{gone: numbers(gone, s.coded.rows), added: numbers(added, rows), assigned: numbers(added, s.lists.Count())}
	ascend := func(list []int32) bool {
		return slices.IsSorted(list) && len(slices.Compact(slices.Clone(list))) == len(list)
	}
	if len(c.gone) != gone || len(c.added) != added || len(c.assigned) != added || !ascend(c.gone) || !ascend(c.added) {
		return nil, errChange
	}
	c.own.step = make([]float32, added)
	for i := range c.own.step {
		c.own.step[i] = math.Float32frombits(binary.LittleEndian.Uint32(rest[4*i:]))
	}
	c.own.data = make([]int8, added*width)
	copy(bytesOf(c.own.data), rest[4*added:])
	return c, nil
}

// change applies the changes since the file was written to its set.
func (s *Set) change(data []byte) error {
	c, err := s.decodeChange(data)
	if err != nil {
		return err
	}
	rows := s.coded.rows - len(c.gone) + len(c.added)
	for _, place := range c.gone {
		s.place[s.order[place]] = -1
	}
	lists := *s.lists
	lists.assigned = make([]int32, rows)
	place, order := make([]int32, rows), make([]int32, s.coded.rows, s.coded.rows+len(c.added))
	for i := range order {
		order[i] = -1
	}
	from, next := 0, 0 // row of the file, of those that are added
	for row := range rows {
		if next < len(c.added) && int(c.added[next]) == row {
			lists.assigned[row] = c.assigned[next]
			next++
			continue
		}
		for s.place[from] < 0 {
			from++
		}
		place[row], lists.assigned[row] = s.place[from], s.lists.assigned[from]
		order[place[row]] = int32(row)
		from++
	}
	s.place, s.order, s.lists = place, order, &lists
	s.add(c)
	return nil
}

// add appends the codes of added rows to those of the file, by list.
func (s *Set) add(c *Change) {
	tail := Lists{dims: s.dims, centroids: s.lists.centroids, assigned: c.assigned}
	byList, start := tail.order()
	s.coded.added = start
	for i := range start {
		start[i] += s.coded.rows
	}
	width := s.codes.width
	data := make([]int8, (s.coded.rows+len(byList))*width)
	for i, at := range byList {
		own := c.own.data[int(at)*width : (int(at)+1)*width]
		place := s.coded.rows + i
		copy(data[place*width:], own)
		s.place[c.added[at]] = int32(place)
		s.order = append(s.order, c.added[at])
		s.codes.step = append(s.codes.step, c.own.step[at])
		s.codes.norm = max(s.codes.norm, normOf(own, c.own.step[at]))
	}
	s.codes.data = data
}
