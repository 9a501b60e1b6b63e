package vector

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// listsMagic begins encoded lists; its last byte is the format's version.
const listsMagic = "assay-lists\x01"

// Lists distribute the rows of a set over centroids, so that the nearest rows of a query are found
// in the lists of the nearest centroids: an inverted file (Jégou, Douze and Schmid, "Product
// quantization for nearest neighbor search", 2011, section 4). They are immutable and safe for
// concurrent use.
type Lists struct {
	dims      int
	centroids []float32
	probes    int     // lists that are looked at
	recall    float64 // at that number, of the queries that Train asked
	assigned  []int32 // per row: its list
	even      bool    // of rows shared out by their numbers
}

// evenRows is the number of rows in a list of Even.
const evenRows = 8 * blockRows

// Even distributes rows by their numbers alone and examines all lists: results are exact.
func Even(rows, dims int) *Lists {
	count := max(1, (rows+evenRows-1)/evenRows)
	l := &Lists{dims: dims, centroids: make([]float32, count*dims), probes: count, recall: 1, assigned: make([]int32, rows), even: true}
	for row := range l.assigned {
		l.assigned[row] = int32(row / evenRows)
	}
	return l
}

// Count returns the number of lists.
func (l *Lists) Count() int { return len(l.centroids) / l.dims }

// Probes returns the number of lists that a query examines.
func (l *Lists) Probes() int { return l.probes }

// Recall is the share of the ten nearest rows that are found by examining Probes lists: the mean
// over the queries that Train made, 0 to 1.
func (l *Lists) Recall() float64 { return l.recall }

func (l *Lists) centroid(i int) []float32 { return l.centroids[i*l.dims : (i+1)*l.dims] }

// nearest returns the lists to look at, the nearest first.
func (l *Lists) nearest(query []float32) []int32 {
	found := best{k: l.probes, above: math.Inf(-1)}
	for i := range l.Count() {
		found.add(Match{Row: int32(i), Value: Dot(query, l.centroid(i))})
	}
	out := make([]int32, len(found.list))
	for i, m := range found.list {
		out[i] = m.Row
	}
	return out
}

// order sorts the rows by list, and says where each list begins.
func (l *Lists) order() (order []int32, start []int) {
	start = make([]int, l.Count()+1)
	for _, list := range l.assigned {
		start[list+1]++
	}
	for i := range l.Count() {
		start[i+1] += start[i]
	}
	order = make([]int32, len(l.assigned))
	next := slices.Clone(start)
	for row, list := range l.assigned {
		order[next[list]] = int32(row)
		next[list]++
	}
	return order, start
}

// Assign shares other rows of the same length out among the same centroids, as
// when a corpus has changed by a few passages. Errors are a length that does
// not fit and cancellation.
func (l *Lists) Assign(ctx context.Context, rows []float32) (*Lists, error) {
	if len(rows)%l.dims != 0 {
		return nil, fmt.Errorf("assigning rows to lists: %d numbers are not a multiple of the row length %d", len(rows), l.dims)
	}
	out := *l
	out.assigned = make([]int32, len(rows)/l.dims)
	byCode := encode(l.Count(), l.dims, l.centroid)
	if err := assign(ctx, byCode, rows, l.dims, out.assigned); err != nil {
		return nil, fmt.Errorf("assigning rows to lists: %w", err)
	}
	return &out, nil
}

// assign writes the nearest centroid of every row, by codes alone: a row
// between two of them may be given to either, the same one every time.
func assign(ctx context.Context, centroids *codes, rows []float32, dims int, out []int32) error {
	inBlocks(len(out), func(_, from, to int) {
		products := make([]int32, len(centroids.step))
		for i := from; i < to; i++ {
			if ctx.Err() != nil {
				return
			}
			out[i] = nearestTo(centroids, rows[i*dims:(i+1)*dims], products)
		}
	})
	return ctx.Err()
}

// nearestTo returns the nearest centroid; products is room for one of each.
func nearestTo(centroids *codes, row []float32, products []int32) (nearest int32) {
	p := centroids.probe(row)
	dotRows(p.codes, centroids.data, products)
	var top float32
	for c, product := range products {
		if v := centroids.step[c] * float32(product); c == 0 || v > top {
			top, nearest = v, int32(c)
		}
	}
	return nearest
}

// Of returns the list of a row.
func (l *Lists) Of(row int32) int32 { return l.assigned[row] }

// MarshalBinary encodes the lists: magic, dimensions, lists, probes, recall,
// rows, the centroids as little-endian float32 and the list of each row. It
// never fails.
func (l *Lists) MarshalBinary() ([]byte, error) {
	out := make([]byte, 0, len(listsMagic)+4*len(l.centroids)+2*len(l.assigned)+64)
	out = append(out, listsMagic...)
	for _, n := range []int{l.dims, l.Count(), l.probes} {
		out = binary.AppendUvarint(out, uint64(n))
	}
	out = binary.LittleEndian.AppendUint64(out, math.Float64bits(l.recall))
	out = binary.AppendUvarint(out, uint64(len(l.assigned)))
	for _, v := range l.centroids {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	for _, list := range l.assigned {
		out = binary.AppendUvarint(out, uint64(list))
	}
	return out, nil
}

// DecodeLists reads the output of MarshalBinary. It does not retain data.
func DecodeLists(data []byte) (*Lists, error) {
	l, err := decodeLists(data)
	if err != nil {
		return nil, fmt.Errorf("reading the lists of vectors: %w", err)
	}
	return l, nil
}

func decodeLists(data []byte) (*Lists, error) {
	if len(data) < len(listsMagic) || string(data[:len(listsMagic)]) != listsMagic {
		return nil, errors.New("they are not lists of this version")
	}
	data = data[len(listsMagic):]
	var failed error
	number := func(most int) int {
		v, n := binary.Uvarint(data)
		if n <= 0 || v > uint64(most) {
			failed = errors.New("a number is missing or not plausible")
			data = nil
			return 0
		}
		data = data[n:]
		return int(v)
	}
	l := &Lists{dims: number(1 << 16)}
	count := number(1 << 24)
	l.probes = number(count)
	if failed == nil && len(data) < 8 {
		failed = errors.New("the data ends early")
	}
	if failed != nil {
		return nil, failed
	}
	l.recall = math.Float64frombits(binary.LittleEndian.Uint64(data))
	data = data[8:]
	rows := number(math.MaxInt32)
	switch {
	case failed != nil:
		return nil, failed
	case l.dims == 0 || count == 0 || l.probes == 0:
		return nil, errors.New("they have no dimensions, no lists or no probes")
	case uint64(len(data)) < 4*uint64(l.dims)*uint64(count)+uint64(rows):
		return nil, errors.New("the data ends early")
	}
	l.centroids = make([]float32, l.dims*count)
	for i := range l.centroids {
		l.centroids[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	data = data[4*len(l.centroids):]
	l.assigned = make([]int32, rows)
	for i := range l.assigned {
		l.assigned[i] = int32(number(count - 1))
	}
	if failed == nil && len(data) > 0 {
		failed = fmt.Errorf("%d bytes are left over", len(data))
	}
	return l, failed
}
