// Package codec writes and reads what the files of a generation consist of: numbers, strings
// and vectors. It does not know which file holds what.
package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// ErrTruncated is the error of data that ends before it should.
var ErrTruncated = errors.New("the data ends early")

// An Encoder appends values to a sidecar file's content.
type Encoder struct{ Out []byte }

// Uint appends a number that is not negative, in as many bytes as it needs.
func (e *Encoder) Uint(v int) { e.Out = binary.AppendUvarint(e.Out, uint64(v)) }

// Fixed64 appends a number in eight bytes.
func (e *Encoder) Fixed64(v uint64) { e.Out = binary.LittleEndian.AppendUint64(e.Out, v) }

// Fixed32 appends a number in four bytes.
func (e *Encoder) Fixed32(v uint32) { e.Out = binary.LittleEndian.AppendUint32(e.Out, v) }

// Raw appends bytes without their length.
func (e *Encoder) Raw(b []byte) { e.Out = append(e.Out, b...) }

// Float appends a number in eight bytes.
func (e *Encoder) Float(v float64) { e.Fixed64(math.Float64bits(v)) }

// Strs appends a list of strings, with lengths.
func (e *Encoder) Strs(list []string) {
	e.Uint(len(list))
	for _, s := range list {
		e.Uint(len(s))
		e.Out = append(e.Out, s...)
	}
}

// Uints appends a list of numbers, with its length.
func (e *Encoder) Uints(list []int) {
	e.Uint(len(list))
	for _, v := range list {
		e.Uint(v)
	}
}

// A Decoder reads what an encoder wrote. The first error sticks; after it
// every read gives a zero value, so that loops end at once.
type Decoder struct {
	In  []byte
	Err error
}

// NewDecoder reads what follows the magic that data begins with.
func NewDecoder(data []byte, magic string) *Decoder {
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	d := &Decoder{In: rest}
	if !ok {
		d.Fail(errors.New("it is not a file of this version"))
	}
	return d
}

// Fail ends the reading with an error, unless there was one before.
func (d *Decoder) Fail(err error) {
	if d.Err == nil {
		d.Err = err
	}
	d.In = nil
}

// Uint64 reads a number of Encoder.Uint, of any size.
func (d *Decoder) Uint64() uint64 {
	v, n := binary.Uvarint(d.In)
	if n <= 0 {
		d.Fail(ErrTruncated)
		return 0
	}
	d.In = d.In[n:]
	return v
}

// Uint reads a number of Encoder.Uint up to 2³¹−1.
func (d *Decoder) Uint() int {
	v := d.Uint64()
	if v > math.MaxInt32 {
		d.Fail(fmt.Errorf("a number of %d is not plausible", v))
		return 0
	}
	return int(v)
}

// Count reads a number of items that take at least one byte each, so that a
// damaged count cannot make the reader allocate without bound.
func (d *Decoder) Count() int {
	n := d.Uint()
	if n > len(d.In) {
		d.Fail(ErrTruncated)
		return 0
	}
	return n
}

// Below reads a number in [0, limit).
func (d *Decoder) Below(limit int) int {
	n := d.Uint()
	if n >= limit {
		d.Fail(fmt.Errorf("%d is out of range, want less than %d", n, limit))
		return 0
	}
	return n
}

// Raw reads n bytes; nil after a failure.
func (d *Decoder) Raw(n int) []byte {
	if n > len(d.In) {
		d.Fail(ErrTruncated)
		return nil
	}
	b := d.In[:n]
	d.In = d.In[n:]
	return b
}

// Fixed64 reads a number of Encoder.Fixed64.
func (d *Decoder) Fixed64() uint64 {
	b := d.Raw(8)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

// Float reads a number of Encoder.Float.
func (d *Decoder) Float() float64 { return math.Float64frombits(d.Fixed64()) }

// Uints reads a list of Encoder.Uints.
func (d *Decoder) Uints() []int {
	out := make([]int, d.Count())
	for i := range out {
		out[i] = d.Uint()
	}
	return out
}

// Strs reads strings that share one allocation.
func (d *Decoder) Strs() []string {
	ends := make([][2]int, d.Count())
	from := d.In
	for i := range ends {
		n := d.Uint()
		at := len(from) - len(d.In)
		d.Raw(n)
		ends[i] = [2]int{at, at + n}
	}
	list := make([]string, len(ends))
	if d.Err != nil {
		return list
	}
	all := string(from[:len(from)-len(d.In)])
	for i, e := range ends {
		list[i] = all[e[0]:e[1]]
	}
	return list
}

// Fixed32s reads n numbers of four bytes.
func (d *Decoder) Fixed32s(n int) []uint32 {
	b := d.Raw(4 * n)
	if b == nil {
		return make([]uint32, 0)
	}
	out := make([]uint32, n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return out
}

// End reports the first error, or that data is left over.
func (d *Decoder) End() error {
	if d.Err == nil && len(d.In) > 0 {
		return fmt.Errorf("%d bytes are left over", len(d.In))
	}
	return d.Err
}

// EncodeVectors writes vectors one after the other.
func EncodeVectors(rows []float32) []byte {
	out := make([]byte, 0, 4*len(rows))
	for _, v := range rows {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}

// DecodeVectors reads n coordinates of vectors.
func DecodeVectors(data []byte, n int) ([]float32, error) {
	if len(data) != 4*n {
		return nil, fmt.Errorf("%d bytes of vectors, want %d", len(data), 4*n)
	}
	rows := make([]float32, n)
	const chunk = 1 << 16
	Parallel((n+chunk-1)/chunk, func(c int) {
		for i := c * chunk; i < min((c+1)*chunk, n); i++ {
			rows[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
	})
	return rows, nil
}
