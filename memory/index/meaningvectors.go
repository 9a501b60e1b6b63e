package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/assay/memory/vector"
)

// A meaning is the vectors of an embedder: one row per passage, or, where passages are cut, one per
// piece, in their order, in eight bits a coordinate.
type meaning struct {
	set   *vector.Set
	scale scale
	first []int32 // per passage: its first row, and the end of the last; nil for a row each
	owner []int32 // per row: its passage; nil for a row each
}

// newMeaning makes the vectors of passages that have so many rows each; nil for a row each.
func newMeaning(set *vector.Set, counts []int) (*meaning, error) {
	m := &meaning{set: set}
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

// A scale says where an embedder's cosines lie on a corpus. Models differ: of
// one, unrelated texts have a cosine of .1, of another .8. Between Floor and
// Ceiling all mean the same, so weights and calibration need not know which
// model it is.
type scale struct {
	Floor   float64 `json:"floor"`   // mean cosine of passages of different documents
	Ceiling float64 `json:"ceiling"` // cosine of a question and what answers it
}

// of is a cosine's place on the way from the one to the other: 0 at the floor and below it, above 1 beyond
// the ceiling. An embedder that does not tell passages apart has no places.
func (s scale) of(cosine float64) float64 {
	if !s.tells() {
		return 0
	}
	return max(0, (cosine-s.Floor)/(s.Ceiling-s.Floor))
}

// tells reports whether the embedder tells passages apart.
func (s scale) tells() bool { return s.Ceiling-s.Floor >= 1e-6 }

// pieces reports whether passages have several rows.
func (m *meaning) pieces() bool { return m.first != nil }

func (m *meaning) dims() int { return m.set.Dims() }

// rows are those of a passage, from the first to before the second.
func (m *meaning) rows(ord int32) (from, to int32) {
	if m.first == nil {
		return ord, ord + 1
	}
	return m.first[ord], m.first[ord+1]
}

// passage is the one that a row is of.
func (m *meaning) passage(row int32) int32 {
	if m.owner == nil {
		return row
	}
	return m.owner[row]
}

// restShare is the weight of the mean cosine of a passage's rows, where that of the nearest row weighs 1. So
// a passage that is all about the question comes before one that mentions it once.
const restShare = .3

// cosine is that of a query and the nearest row of a passage, with a share of the mean of all its rows.
func (m *meaning) cosine(query []float32, ord int32) float64 {
	best, sum := math.Inf(-1), 0.
	from, to := m.rows(ord)
	for row := from; row < to; row++ {
		c := m.set.Dot(query, row)
		best, sum = max(best, c), sum+c
	}
	return (best + restShare*sum/float64(to-from)) / (1 + restShare)
}

// cosines are those of a query and each row of a passage, in four digits, which are the same on every
// processor.
func (m *meaning) cosines(query []float32, ord int32) []float64 {
	from, to := m.rows(ord)
	out := make([]float64, 0, to-from)
	for row := from; row < to; row++ {
		out = append(out, math.Round(m.set.Dot(query, row)*cosineDigits)/cosineDigits)
	}
	return out
}

const (
	cosineDigits = 1e4
	rowsAsked    = 4 // of passages with several rows, for each passage that is wanted
)

// top are the k passages that are nearest to each query, above a bound.
func (m *meaning) top(queries [][]float32, k int, above float64, out func(ord int32) bool) [][]int32 {
	rows, skip := k, out
	if m.owner != nil {
		rows = rowsAsked * k
		if out != nil {
			skip = func(row int32) bool { return out(m.owner[row]) }
		}
	}
	found := make([][]int32, len(queries))
	for i, matches := range m.set.TopOfEach(queries, rows, above, skip) {
		for _, match := range matches {
			if ord := m.passage(match.Row); len(found[i]) < k && !slices.Contains(found[i], ord) {
				found[i] = append(found[i], ord)
			}
		}
	}
	return found
}

// encodeCounts writes how many rows each passage has.
func encodeCounts(counts []int) []byte {
	e := new(encoder)
	e.uints(counts)
	return e.out
}

// decodeCounts reads how many rows each passage has.
func decodeCounts(data []byte, passages int) ([]int, error) {
	d := &decoder{in: data}
	out := d.uints()
	if err := d.end(); err != nil {
		return nil, fmt.Errorf("reading how many vectors a passage has: %w", err)
	}
	if len(out) != passages || slices.Contains(out, 0) {
		return nil, fmt.Errorf("%d passages have vectors, want %d, and at least one each", len(out), passages)
	}
	return out, nil
}

// meaningMagic begins the file of vectors of whole passages; its last byte is the format's version. The
// number of dimensions follows, then the rows.
const meaningMagic = "assay-meaning\x01"

func encodeMeaning(rows []float32, dims int) []byte {
	out := binary.AppendUvarint([]byte(meaningMagic), uint64(dims))
	return append(out, encodeVectors(rows)...)
}

func decodeMeaning(data []byte, rows int, lists []byte) (*vector.Set, error) {
	if len(data) < len(meaningMagic) || string(data[:len(meaningMagic)]) != meaningMagic {
		return nil, errors.New("reading the remote embedder's vectors: not a file of this version")
	}
	d := &decoder{in: data[len(meaningMagic):]}
	dims := d.uint()
	if d.err != nil {
		return nil, fmt.Errorf("reading the remote embedder's vectors: %w", d.err)
	}
	if dims > 1<<16 {
		return nil, fmt.Errorf("reading the remote embedder's vectors: %d dimensions are not plausible", dims)
	}
	vectors, err := decodeVectors(d.in, rows*dims)
	if err != nil {
		return nil, fmt.Errorf("reading the remote embedder's vectors: %w", err)
	}
	if lists == nil {
		return vector.NewSet(vectors, dims, nil)
	}
	by, err := vector.DecodeLists(lists)
	if err != nil {
		return nil, err
	}
	return vector.NewSet(vectors, dims, by)
}

const (
	floorPairs = 2000
	floorSeed  = 43
)

// learnScale finds where the embedder's cosines lie. A question and its answer are taken
// to lie half way between the floor and two equal texts. together reports whether two
// passages are of one document.
func (m *meaning) learnScale(together func(a, b int32) bool) *scale {
	floor := m.floor(together)
	return &scale{Floor: floor, Ceiling: (1 + floor) / 2}
}

// floor is the mean cosine of rows drawn in pairs, of different documents.
func (m *meaning) floor(together func(a, b int32) bool) float64 {
	n := m.set.Len()
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
		sum += m.set.Dot(m.set.Row(a), b)
		pairs++
	}
	return sum / math.Max(1, float64(pairs))
}
