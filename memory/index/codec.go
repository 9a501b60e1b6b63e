package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

var errTruncated = errors.New("the data ends early")

// An encoder appends values to a sidecar file's content.
type encoder struct{ out []byte }

func (e *encoder) uint(v int)         { e.out = binary.AppendUvarint(e.out, uint64(v)) }
func (e *encoder) fixed64(v uint64)   { e.out = binary.LittleEndian.AppendUint64(e.out, v) }
func (e *encoder) fixed32(v uint32)   { e.out = binary.LittleEndian.AppendUint32(e.out, v) }
func (e *encoder) raw(b []byte)       { e.out = append(e.out, b...) }
func (e *encoder) str(s string)       { e.uint(len(s)); e.out = append(e.out, s...) }
func (e *encoder) strs(list []string) { e.uint(len(list)); e.each(list) }

func (e *encoder) each(list []string) {
	for _, s := range list {
		e.str(s)
	}
}

func (e *encoder) float(v float64) { e.fixed64(math.Float64bits(v)) }

func (e *encoder) uints(list []int) {
	e.uint(len(list))
	for _, v := range list {
		e.uint(v)
	}
}

// A decoder reads what an encoder wrote. The first error sticks; after it
// every read gives a zero value, so that loops end at once.
type decoder struct {
	in  []byte
	err error
}

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
	d.in = nil
}

func (d *decoder) uint64() uint64 {
	v, n := binary.Uvarint(d.in)
	if n <= 0 {
		d.fail(errTruncated)
		return 0
	}
	d.in = d.in[n:]
	return v
}

func (d *decoder) uint() int {
	v := d.uint64()
	if v > math.MaxInt32 {
		d.fail(fmt.Errorf("a number of %d is not plausible", v))
		return 0
	}
	return int(v)
}

// count reads a number of items that take at least one byte each, so that a
// damaged count cannot make the reader allocate without bound.
func (d *decoder) count() int {
	n := d.uint()
	if n > len(d.in) {
		d.fail(errTruncated)
		return 0
	}
	return n
}

// below reads a number in [0, limit).
func (d *decoder) below(limit int) int {
	n := d.uint()
	if n >= limit {
		d.fail(fmt.Errorf("%d is out of range, want less than %d", n, limit))
		return 0
	}
	return n
}

func (d *decoder) raw(n int) []byte {
	if n > len(d.in) {
		d.fail(errTruncated)
		return nil
	}
	b := d.in[:n]
	d.in = d.in[n:]
	return b
}

func (d *decoder) fixed64() uint64 {
	b := d.raw(8)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

func (d *decoder) float() float64 { return math.Float64frombits(d.fixed64()) }

func (d *decoder) uints() []int {
	out := make([]int, d.count())
	for i := range out {
		out[i] = d.uint()
	}
	return out
}

// strs reads strings that share one allocation.
func (d *decoder) strs() []string {
	ends := make([][2]int, d.count())
	from := d.in
	for i := range ends {
		n := d.uint()
		at := len(from) - len(d.in)
		d.raw(n)
		ends[i] = [2]int{at, at + n}
	}
	list := make([]string, len(ends))
	if d.err != nil {
		return list
	}
	all := string(from[:len(from)-len(d.in)])
	for i, e := range ends {
		list[i] = all[e[0]:e[1]]
	}
	return list
}

// fixed32s reads n numbers of four bytes.
func (d *decoder) fixed32s(n int) []uint32 {
	b := d.raw(4 * n)
	if b == nil {
		return make([]uint32, 0)
	}
	out := make([]uint32, n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return out
}

// end reports the first error, or that data is left over.
func (d *decoder) end() error {
	if d.err == nil && len(d.in) > 0 {
		return fmt.Errorf("%d bytes are left over", len(d.in))
	}
	return d.err
}

func encodeVectors(rows []float32) []byte {
	out := make([]byte, 0, 4*len(rows))
	for _, v := range rows {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}

func decodeVectors(data []byte, n int) ([]float32, error) {
	if len(data) != 4*n {
		return nil, fmt.Errorf("%d bytes of vectors, want %d", len(data), 4*n)
	}
	rows := make([]float32, n)
	const chunk = 1 << 16
	parallel((n+chunk-1)/chunk, func(c int) {
		for i := c * chunk; i < min((c+1)*chunk, n); i++ {
			rows[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
	})
	return rows, nil
}
