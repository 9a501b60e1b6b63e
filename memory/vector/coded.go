package vector

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"unsafe"
)

// codedMagic begins the file of a coded set; its last byte is the version of the format.
// Dimensions, rows and lists follow, the greatest length of a row, the step of each row and the
// checksum of each list's codes, then the checksum of all that, then the codes. Steps and codes are
// ordered by list.
const codedMagic = "assay-codes\x01"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A Coder writes the file of a coded set, for rows that do not fit into memory in single precision,
// in the eight bits that a scan reads anyway.
type Coder struct {
	lists     Lists
	centroids *codes
	codes     codes
	norms     []float64
}

// NewCoder returns a coder for that many rows. Lists of [Even] must be for the same number.
func NewCoder(lists *Lists, rows int) *Coder {
	c := &Coder{lists: *lists, centroids: encode(lists.Count(), lists.dims, lists.centroid)}
	if !lists.even {
		c.lists.assigned = make([]int32, rows)
	}
	width := c.centroids.width
	c.codes = codes{width: width, data: make([]int8, rows*width), step: make([]float32, rows)}
	c.norms = make([]float64, rows)
	return c
}

// Put codes rows by their numbers; vectors has them one after the other. Concurrent calls must have
// different rows. The error is cancellation.
func (c *Coder) Put(ctx context.Context, rows []int32, vectors []float32) error {
	products := make([]int32, len(c.centroids.step))
	for i, row := range rows {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		v := vectors[i*c.lists.dims : (i+1)*c.lists.dims]
		if !c.lists.even {
			c.lists.assigned[row] = nearestTo(c.centroids, v, products)
		}
		c.put(row, v)
	}
	return nil
}

// Keep takes over the codes that a row has in another set. Of lists that were trained, it must be a
// coded one of the same centroids.
func (c *Coder) Keep(row int32, from *Set, at int32) {
	if !c.lists.even {
		c.lists.assigned[row] = from.lists.Of(at)
	}
	own, step := from.codeOf(at)
	copy(c.codes.data[int(row)*c.codes.width:], own)
	c.codes.step[row] = step
	c.norms[row] = normOf(own, step)
}

// normOf is the length of a decoded row.
func normOf(codes []int8, step float32) float64 {
	sum := 0
	for _, v := range codes {
		sum += int(v) * int(v)
	}
	return float64(step) * math.Sqrt(float64(sum))
}

func (c *Coder) put(row int32, v []float32) {
	width := c.codes.width
	_, c.norms[row] = encodeRow(v, c.codes.data[int(row)*width:(int(row)+1)*width], &c.codes.step[row])
}

// Lists returns the lists of the rows that were put. They do not refer to the coder.
func (c *Coder) Lists() *Lists {
	own := c.lists
	return &own
}

// WriteTo writes the file.
func (c *Coder) WriteTo(w io.Writer) (int64, error) {
	order, start := c.lists.order()
	width := c.codes.width
	head := append([]byte(codedMagic), 0, 0, 0) // steps begin at a multiple of four
	var norm float64
	for _, n := range c.norms {
		norm = max(norm, n)
	}
	for _, n := range []uint64{uint64(c.lists.dims), uint64(len(order)), uint64(c.lists.Count()), math.Float64bits(norm)} {
		head = binary.LittleEndian.AppendUint64(head, n)
	}
	for _, row := range order {
		head = binary.LittleEndian.AppendUint32(head, math.Float32bits(c.codes.step[row]))
	}
	codesOf := func(row int32) []byte { return bytesOf(c.codes.data[int(row)*width : (int(row)+1)*width]) }
	for list := range c.lists.Count() {
		var sum uint32
		for _, row := range order[start[list]:start[list+1]] {
			sum = crc32.Update(sum, castagnoli, codesOf(row))
		}
		head = binary.LittleEndian.AppendUint32(head, sum)
	}
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(head, castagnoli))
	out := bufio.NewWriterSize(w, 1<<20)
	n, err := out.Write(head)
	written := int64(n)
	for _, row := range order {
		if err == nil {
			n, err = out.Write(codesOf(row))
			written += int64(n)
		}
	}
	return written, errors.Join(err, out.Flush())
}

func bytesOf(codes []int8) []byte {
	if len(codes) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&codes[0])), len(codes))
}

// coded is the additional state of a set that is read from a file. The codes of a list are read and
// checked on first use.
type coded struct {
	file  io.ReaderAt
	at    int64 // of the codes
	sums  []uint32
	once  []sync.Once
	rows  int   // of the file; codes of added rows follow
	added []int // with added rows: the offsets of each list's, and their end
	fault atomic.Pointer[error]
}

// OpenCoded opens the file of a Coder with the same lists, and the encoded Change since then or
// nil. It reads from file as long as the set is used.
func OpenCoded(file io.ReaderAt, lists *Lists, change []byte) (*Set, error) {
	s, err := openCoded(file, lists)
	if err == nil && change != nil {
		err = s.change(change)
	}
	if err == nil && s.codes.data == nil {
		s.codes.data = make([]int8, s.coded.rows*s.codes.width)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the coded vectors: %w", err)
	}
	return s, nil
}

func openCoded(file io.ReaderAt, lists *Lists) (*Set, error) {
	const numbers = len(codedMagic) + 3
	rows, count := len(lists.assigned), lists.Count()
	head := make([]byte, numbers+4*8+4*rows+4*count+4)
	if _, err := file.ReadAt(head, 0); err != nil {
		return nil, err
	}
	at := int64(len(head))
	sum := binary.LittleEndian.Uint32(head[at-4:])
	if string(head[:len(codedMagic)]) != codedMagic || crc32.Checksum(head[:at-4], castagnoli) != sum {
		return nil, errors.New("they were changed, or are not of this version")
	}
	head = head[numbers:]
	number := func(i int) uint64 { return binary.LittleEndian.Uint64(head[8*i:]) }
	if number(0) != uint64(lists.dims) || number(1) != uint64(rows) || number(2) != uint64(count) {
		return nil, errors.New("they are not of these lists")
	}
	s := &Set{dims: lists.dims}
	s.arrange(lists)
	width := (s.dims + lane - 1) / lane * lane
	s.codes = &codes{width: width, step: make([]float32, rows), norm: math.Float64frombits(number(3))}
	steps := head[4*8:]
	for i := range s.codes.step {
		s.codes.step[i] = math.Float32frombits(binary.LittleEndian.Uint32(steps[4*i:]))
	}
	s.coded = &coded{file: file, at: at, sums: make([]uint32, count), once: make([]sync.Once, count), rows: rows}
	for i := range s.coded.sums {
		s.coded.sums[i] = binary.LittleEndian.Uint32(steps[4*rows+4*i:])
	}
	return s, nil
}

// load reads the codes of a list.
func (s *Set) load(list int32) {
	if s.coded == nil {
		return
	}
	s.coded.once[list].Do(func() {
		from, to := s.start[list]*s.codes.width, s.start[list+1]*s.codes.width
		data := bytesOf(s.codes.data[from:to])
		_, err := s.coded.file.ReadAt(data, s.coded.at+int64(from))
		if err == nil && crc32.Checksum(data, castagnoli) != s.coded.sums[list] {
			err = errors.New("they were changed")
		}
		if err != nil {
			err = fmt.Errorf("reading the coded vectors: %w", err)
			s.coded.fault.CompareAndSwap(nil, &err)
			clear(data)
		}
	})
}

// Err returns the first error in reading a set's file. Results since then are unreliable.
func (s *Set) Err() error {
	if s.coded == nil {
		return nil
	}
	if err := s.coded.fault.Load(); err != nil {
		return *err
	}
	return nil
}

// codeOf returns a row's codes and their step.
func (s *Set) codeOf(row int32) ([]int8, float32) {
	at := int(row)
	if s.place != nil {
		at = int(s.place[row])
	}
	if s.coded != nil && at < s.coded.rows {
		s.load(s.lists.assigned[row])
	}
	return s.codes.data[at*s.codes.width : (at+1)*s.codes.width], s.codes.step[at]
}
