// Package meaning holds the vectors of passages in the space of an embedder, and the scale on
// which its cosines are compared. It embeds nothing and reads no files.
package meaning

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/assay/memory/index/internal/codec"
	"example.com/assay/memory/vector"
)

// Vectors are those of an embedder: one row per passage, or, where passages are cut, one per
// piece, in their order, in eight bits a coordinate.
type Vectors struct {
	Set   *vector.Set
	Scale Scale
	first []int32 // per passage: its first row, and the end of the last; nil for a row each
	owner []int32 // per row: its passage; nil for a row each
}

// New makes the vectors of passages that have so many rows each; nil for a row each.
func New(set *vector.Set, counts []int) (*Vectors, error) {
	m := &Vectors{Set: set}
	if counts == nil {
		return m, nil
	}
	m.first = make([]int32, len(counts)+1)
	for ord, n := range counts {
		m.first[ord+1] = m.first[ord] + int32(n)
		m.owner = append(m.owner, slices.Repeat([]int32{int32(ord)}, n)...)
	}
	if set.Len() != len(m.owner) {
		return nil, fmt.Errorf("%d vectors of an embedder, want %d", set.Len(), len(m.owner))
	}
	return m, nil
}

// A Scale says where an embedder's cosines lie on a corpus. Models differ: of
// one, unrelated texts have a cosine of .1, of another .8. Between Floor and
// Ceiling all mean the same, so weights and calibration need not know which
// model it is.
type Scale struct {
	Floor   float64 `json:"floor"`   // mean cosine of passages of different documents
	Ceiling float64 `json:"ceiling"` // cosine of a question and what answers it
}

// Of is a cosine's place on the way from the one to the other: 0 at the floor and below it, above 1 beyond
// the ceiling. An embedder that does not tell passages apart has no places.
func (s Scale) Of(cosine float64) float64 {
	if !s.Tells() {
		return 0
	}
	return max(0, (cosine-s.Floor)/(s.Ceiling-s.Floor))
}

// Tells reports whether the embedder tells passages apart.
func (s Scale) Tells() bool { return s.Ceiling-s.Floor >= 1e-6 }

// Pieces reports whether passages have several rows.
func (m *Vectors) Pieces() bool { return m.first != nil }

// Dims returns the length of a vector.
func (m *Vectors) Dims() int { return m.Set.Dims() }

// Rows are those of a passage, from the first to before the second.
func (m *Vectors) Rows(ord int32) (from, to int32) {
	if m.first == nil {
		return ord, ord + 1
	}
	return m.first[ord], m.first[ord+1]
}

// passage is the one that a row is of.
func (m *Vectors) passage(row int32) int32 {
	if m.owner == nil {
		return row
	}
	return m.owner[row]
}

// restShare is the weight of the mean cosine of a passage's rows, where that of the nearest row weighs 1. So
// a passage that is all about the question comes before one that mentions it once.
const restShare = .3

// Cosine is that of a query and the nearest row of a passage, with a share of the mean of all its rows.
func (m *Vectors) Cosine(query []float32, ord int32) float64 {
	best, sum := math.Inf(-1), 0.
	from, to := m.Rows(ord)
	for row := from; row < to; row++ {
		c := m.Set.Dot(query, row)
		best, sum = max(best, c), sum+c
	}
	return (best + restShare*sum/float64(to-from)) / (1 + restShare)
}

// Cosines are those of a query and each row of a passage, in four digits, which are the same on every
// processor.
func (m *Vectors) Cosines(query []float32, ord int32) []float64 {
	from, to := m.Rows(ord)
	out := make([]float64, 0, to-from)
	for row := from; row < to; row++ {
		out = append(out, math.Round(m.Set.Dot(query, row)*cosineDigits)/cosineDigits)
	}
	return out
}

const (
	cosineDigits = 1e4
	rowsAsked    = 4 // of passages with several rows, for each passage that is wanted
)

// Top are the k passages that are nearest to each query, above a bound.
func (m *Vectors) Top(queries [][]float32, k int, above float64, out func(ord int32) bool) [][]int32 {
	rows, skip := k, out
	if m.owner != nil {
		rows = rowsAsked * k
		if out != nil {
			skip = func(row int32) bool { return out(m.owner[row]) }
		}
	}
	found := make([][]int32, len(queries))
	for i, matches := range m.Set.TopOfEach(queries, rows, above, skip) {
		for _, match := range matches {
			if ord := m.passage(match.Row); len(found[i]) < k && !slices.Contains(found[i], ord) {
				found[i] = append(found[i], ord)
			}
		}
	}
	return found
}

// EncodeCounts writes how many rows each passage has.
func EncodeCounts(counts []int) []byte {
	e := new(codec.Encoder)
	e.Uints(counts)
	return e.Out
}

// DecodeCounts reads how many rows each passage has.
func DecodeCounts(data []byte, passages int) ([]int, error) {
	d := &codec.Decoder{In: data}
	out := d.Uints()
	if err := d.End(); err != nil {
		return nil, fmt.Errorf("reading how many vectors a passage has: %w", err)
	}
	if len(out) != passages || slices.Contains(out, 0) {
		return nil, fmt.Errorf("%d passages have vectors, want %d, and at least one each", len(out), passages)
	}
	return out, nil
}

// magic begins the file of vectors of whole passages; its last byte is the format's version. The
// number of dimensions follows, then the rows.
const magic = "assay-meaning\x01"

// Encode writes the vectors of whole passages.
func Encode(rows []float32, dims int) []byte {
	out := binary.AppendUvarint([]byte(magic), uint64(dims))
	return append(out, codec.EncodeVectors(rows)...)
}

// Decode reads them, with the lists that they are found by; nil for none.
func Decode(data []byte, rows int, lists []byte) (*vector.Set, error) {
	d := codec.NewDecoder(data, magic)
	dims := d.Uint()
	if dims > 1<<16 {
		d.Fail(fmt.Errorf("%d dimensions are not plausible", dims))
	}
	var vectors []float32
	err := d.Err
	if err == nil {
		vectors, err = codec.DecodeVectors(d.In, rows*dims)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the remote embedder's vectors: %w", err)
	}
	var by *vector.Lists
	if lists != nil {
		if by, err = vector.DecodeLists(lists); err != nil {
			return nil, err
		}
	}
	return vector.NewSet(vectors, dims, by)
}

const (
	floorPairs = 2000
	floorSeed  = 43
)

// LearnScale finds where the embedder's cosines lie. A question and its answer are taken
// to lie half way between the floor and two equal texts. together reports whether two
// passages are of one document.
func (m *Vectors) LearnScale(together func(a, b int32) bool) *Scale {
	floor := m.floor(together)
	return &Scale{Floor: floor, Ceiling: (1 + floor) / 2}
}

// floor is the mean cosine of rows drawn in pairs, of different documents.
func (m *Vectors) floor(together func(a, b int32) bool) float64 {
	n := m.Set.Len()
	if n < 2 {
		return 0
	}
	rng := rand.New(rand.NewPCG(floorSeed, uint64(n)))
	var sum float64
	pairs := 0
	for range floorPairs {
		a, b := int32(rng.IntN(n)), int32(rng.IntN(n))
		if a == b || together(m.passage(a), m.passage(b)) {
			continue
		}
		sum += m.Set.Dot(m.Set.Row(a), b)
		pairs++
	}
	return sum / math.Max(1, float64(pairs))
}
