package index

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/assay/memory/retrieval"
	"example.com/assay/memory/vector"
	"example.com/assay/state"
)

// A meaning is the vectors of a remote embedder, one row per passage. dims is
// known before there is a set of them.
type meaning struct {
	dims  int
	rows  []float32
	set   *vector.Set // of rows
	scale scale
}

// A scale says where an embedder's cosines lie on a corpus. Models differ: of
// one, unrelated texts have a cosine of .1, of another .8. Between Floor and
// Ceiling all mean the same, so weights and calibration need not know which
// model it is.
type scale struct {
	Floor   float64 `json:"floor"`   // mean cosine of passages of different documents
	Ceiling float64 `json:"ceiling"` // median of the best cosine that answered pseudo-questions find
}

// of is a cosine's place between the two, 0 to 1. An embedder that does not
// tell passages apart has no places.
func (s scale) of(cosine float64) float64 {
	if !s.tells() {
		return 0
	}
	return min(1, max(0, (cosine-s.Floor)/(s.Ceiling-s.Floor)))
}

// tells reports whether the embedder tells passages apart.
func (s scale) tells() bool { return s.Ceiling-s.Floor >= 1e-6 }

func (m *meaning) len() int {
	if m.dims == 0 {
		return 0
	}
	return len(m.rows) / m.dims
}

// means reports whether questions are looked for by the vectors of an embedder: the passages have
// some, and the space is there to embed the question. Without it words alone find.
func (x *Index) means() bool { return x.space != nil && x.meaning != nil && x.meaning.len() > 0 }

// index makes the set of the rows.
func (m *meaning) index(lists *vector.Lists) (err error) {
	m.set, err = vector.NewSet(m.rows, m.dims, lists)
	return err
}

func (m *meaning) row(ord int) []float32 { return m.rows[ord*m.dims : (ord+1)*m.dims] }

// meaningMagic begins the file of the vectors; its last byte is the format's
// version. The number of dimensions follows, then the rows.
const meaningMagic = "assay-meaning\x01"

func (m *meaning) encode() []byte {
	out := binary.AppendUvarint([]byte(meaningMagic), uint64(m.dims))
	return append(out, encodeVectors(m.rows)...)
}

func decodeMeaning(data []byte, rows int, s scale) (*meaning, error) {
	if len(data) < len(meaningMagic) || string(data[:len(meaningMagic)]) != meaningMagic {
		return nil, errors.New("reading the remote embedder's vectors: not a file of this version")
	}
	d := &decoder{in: data[len(meaningMagic):]}
	m := &meaning{dims: d.uint(), scale: s}
	if d.err != nil {
		return nil, fmt.Errorf("reading the remote embedder's vectors: %w", d.err)
	}
	if m.dims > 1<<16 {
		return nil, fmt.Errorf("reading the remote embedder's vectors: %d dimensions are not plausible", m.dims)
	}
	var err error
	if m.rows, err = decodeVectors(d.in, rows*m.dims); err != nil {
		return nil, fmt.Errorf("reading the remote embedder's vectors: %w", err)
	}
	return m, nil
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
		if len(v) != x.meaning.dims {
			return nil, x.otherDims(len(v))
		}
		out[at[i]] = v
	}
	return out, nil
}

func (x *Index) otherDims(n int) error {
	return fmt.Errorf("embedder %q returned a vector of %d dimensions, and those of the index have %d: give it an ID that says so", x.stats.Space, n, x.meaning.dims)
}

const (
	floorPairs     = 2000
	floorSeed      = 43
	spaceQuestions = 120 // pseudo-questions that are embedded: each may cost a call
)

// learnScale finds where the embedder's cosines lie, from pairs of passages
// and from what the pseudo-questions that the corpus answers find.
func (x *Index) learnScale(questions []pseudo, vectors [][]float32) scale {
	m := x.meaning
	s := scale{Floor: x.floor()}
	var tops []float64
	for i, q := range questions {
		if !q.held {
			continue
		}
		top := -1.0
		for _, nearest := range m.set.Top(vectors[i], 1, top, nil) {
			top = nearest.Value
		}
		tops = append(tops, top)
	}
	slices.Sort(tops)
	s.Ceiling = (1 + s.Floor) / 2 // where the corpus says nothing
	if len(tops) > 0 {
		s.Ceiling = tops[len(tops)/2]
	}
	return s
}

// floor is the mean cosine of passages drawn in pairs, of different documents
// where there are several.
func (x *Index) floor() float64 {
	n := x.meaning.len()
	if n < 2 {
		return 0
	}
	rng := rand.New(rand.NewPCG(floorSeed, uint64(n)))
	var sum float64
	pairs := 0
	for range floorPairs {
		a, b := rng.IntN(n), rng.IntN(n)
		if a == b || len(x.table.docs) > 1 && x.table.doc(int32(a)) == x.table.doc(int32(b)) {
			continue
		}
		sum += vector.Dot(x.meaning.row(a), x.meaning.row(b))
		pairs++
	}
	return sum / math.Max(1, float64(pairs))
}
