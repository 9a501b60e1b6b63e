package index

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"

	"example.com/assay/memory/retrieval"
	"example.com/assay/memory/vector"
	"example.com/assay/state"
)

// A meaning is the vectors of an embedder: one row per passage, or, where passages are cut, one per
// piece, in their order, in eight bits a coordinate.
type meaning struct {
	set   *vector.Set
	file  *os.File // that set reads; nil of whole passages
	first []int32  // per passage: its first row, and the end of the last; nil for a row each
	owner []int32  // per row: its passage; nil for a row each
	scale scale
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

// means reports whether questions are looked for by the vectors of an embedder: the passages have
// some, and the space is there to embed the question. Without it words alone find.
func (x *Index) means() bool { return x.space != nil && x.meaning != nil && x.meaning.set.Len() > 0 }

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

// share says how many rows each passage has.
func (m *meaning) share(counts []int) {
	m.first = make([]int32, len(counts)+1)
	m.owner = nil
	for ord, n := range counts {
		m.first[ord+1] = m.first[ord] + int32(n)
		m.owner = append(m.owner, slices.Repeat([]int32{int32(ord)}, n)...)
	}
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

// openMeaning opens the vectors of an embedder.
func openMeaning(dir string, m *manifest, files map[string][]byte, passages int) (*meaning, error) {
	out := &meaning{scale: *m.Scale}
	if m.Stats.Cut == "" {
		set, err := decodeMeaning(files[meaningFile], passages, files[meaningListsFile])
		out.set = set
		return out, err
	}
	counts, err := decodeCounts(files[meaningRowsFile], passages)
	if err != nil {
		return nil, err
	}
	out.share(counts)
	out.set, out.file, err = openCodes(dir, meaningCodesFile, files[meaningListsFile], nil)
	if err == nil && out.set.Len() != len(out.owner) {
		err = fmt.Errorf("%d vectors of an embedder, want %d", out.set.Len(), len(out.owner))
	}
	if err != nil && out.file != nil {
		err = errors.Join(err, out.file.Close())
	}
	return out, err
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

// Text is what an embedder and a reranker are shown of a passage: its title,
// the headings above it and its text, a line each.
func Text(p state.Passage) string {
	out := p.Text
	for _, above := range []string{p.Section, p.Title} {
		if above != "" {
			out = above + "\n" + out
		}
	}
	return out
}

// queryVectors embeds a query and its alternatives where the index has the
// vectors of a remote embedder. Alternatives without content words have none.
func (x *Index) queryVectors(ctx context.Context, list []string, q retrieval.Query) ([][]float32, error) {
	if len(list) == 0 || !x.means() {
		return nil, nil
	}
	if given := x.space.ID(); given != x.stats.Space {
		return nil, &SpaceError{Made: x.stats.Space, Given: given}
	}
	texts, at := []string{q.Primary}, []int{0}
	alternatives := q.Alternatives[:min(len(q.Alternatives), maxQueries)]
	for i, alternative := range alternatives {
		if len(x.terms(alternative)) > 0 {
			texts, at = append(texts, alternative), append(at, i+1)
		}
	}
	vectors, err := x.space.Queries(ctx, texts)
	if err != nil {
		return nil, err
	}
	out := make([][]float32, 1+len(alternatives))
	for i, v := range vectors {
		if len(v) != x.meaning.dims() {
			return nil, otherDims(x.stats.Space, len(v), x.meaning.dims())
		}
		out[at[i]] = v
	}
	return out, nil
}

func otherDims(space string, got, want int) error {
	return fmt.Errorf("embedder %q returned a vector of %d dimensions, and those of the index have %d: give it an ID that says so", space, got, want)
}

const (
	floorPairs = 2000
	floorSeed  = 43
)

// learnScale finds where the embedder's cosines lie. A question and its answer are taken
// to lie half way between the floor and two equal texts.
func (m *meaning) learnScale(t *table) *scale {
	floor := m.floor(t)
	return &scale{Floor: floor, Ceiling: (1 + floor) / 2}
}

// floor is the mean cosine of rows drawn in pairs, of different documents
// where there are several.
func (m *meaning) floor(t *table) float64 {
	n := m.set.Len()
	if n < 2 {
		return 0
	}
	rng := rand.New(rand.NewPCG(floorSeed, uint64(n)))
	var sum float64
	pairs := 0
	for range floorPairs {
		a, b := int32(rng.IntN(n)), int32(rng.IntN(n))
		if a == b || len(t.docs) > 1 && t.doc(m.passage(a)) == t.doc(m.passage(b)) {
			continue
		}
		sum += m.set.Dot(m.set.Row(a), b)
		pairs++
	}
	return sum / math.Max(1, float64(pairs))
}
