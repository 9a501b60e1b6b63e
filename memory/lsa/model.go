package lsa

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// unknownDims is the number of coordinates of an embedding for its unknown words.
const unknownDims = 32

// A Model embeds bags of terms. It is immutable and safe for concurrent use.
type Model struct {
	docs  int      // passages of the corpus that it was fitted on
	terms []string // sorted
	df    []uint32 // per term: passages with it
	dims  int
	u     []float32 // len(terms) × dims

	idf  []float64 // ln((docs+1)/df), of the vectors
	mass []float64 // squared BM25 idf, of Known
	id   string
}

// finish computes the tables from the stored fields.
func (m *Model) finish() {
	m.idf = make([]float64, len(m.df))
	m.mass = make([]float64, len(m.df))
	for t, n := range m.df {
		m.idf[t] = math.Log(float64(m.docs+1) / float64(n))
		m.mass[t] = m.termMass(int(n))
	}
}

func (m *Model) setRows(basis *mat.Dense) {
	rows, k := basis.Dims()
	m.dims = k
	m.u = make([]float32, rows*k)
	for i := range rows {
		for j, v := range basis.RawRowView(i)[:k] {
			m.u[i*k+j] = float32(v)
		}
	}
}

// termMass is the squared BM25 idf of a term in df passages.
func (m *Model) termMass(df int) float64 {
	idf := math.Log(1 + (float64(m.docs-df)+.5)/(float64(df)+.5))
	return idf * idf
}

func (m *Model) weight(t, n int) float64 {
	return (1 + math.Log(max(1, float64(n)))) * m.idf[t]
}

// Dims returns the number of dimensions of Project's vectors.
func (m *Model) Dims() int { return m.dims }

// Docs returns the number of passages of the corpus that the model was fitted
// on, whether or not they were in its sample.
func (m *Model) Docs() int { return m.docs }

// ID is a hash of the model's content. Vectors of models with different IDs cannot be compared.
func (m *Model) ID() string { return m.id }

func (m *Model) hash() string {
	sum := sha256.Sum256(m.content())
	return "lsa-" + hex.EncodeToString(sum[:12])
}

// Project returns the vector of a bag in the model's space, of unit length and Dims coordinates,
// and the share of the bag's idf² mass that the model knows, 0 to 1. Unknown terms do not affect
// the vector; their idf is that of a term in no passage, so they weigh the most in the share. A bag
// without a known term gives a zero vector and 0.
//
// The bag is sorted, as Bag returns it.
func (m *Model) Project(bag []Term) (vector []float32, known float64) {
	sum := make([]float64, m.dims)
	var have, all float64
	for _, term := range bag {
		t, ok := slices.BinarySearch(m.terms, term.Text)
		if !ok {
			all += m.termMass(0)
			continue
		}
		have += m.mass[t]
		all += m.mass[t]
		m.add(sum, t, term.N)
	}
	vector = make([]float32, m.dims)
	if !unit(sum, vector, 1) || all == 0 {
		return vector, 0
	}
	return vector, have / all
}

// Place returns the number of a term in the model's cells, or −1.
func (m *Model) Place(term string) int32 {
	if t, ok := slices.BinarySearch(m.terms, term); ok {
		return int32(t)
	}
	return -1
}

// ProjectCells writes the vector that Project returns for a bag whose terms are given by their
// places, in the order of the bag.
func (m *Model) ProjectCells(cells []Cell, vector []float32) {
	sum := make([]float64, m.dims)
	for _, cell := range cells {
		if cell.Term >= 0 {
			m.add(sum, int(cell.Term), int(cell.N))
		}
	}
	unit(sum, vector, 1)
}

// add adds a term's row to a sum.
func (m *Model) add(sum []float64, t, n int) {
	w := m.weight(t, n)
	for j, v := range m.u[t*m.dims : (t+1)*m.dims] {
		sum[j] += w * float64(v)
	}
}

// Embed returns a unit vector of Dims + 32 coordinates for comparing texts by dot product. The
// first Dims are the text's position in the model's space, scaled by √known; the other 32 encode
// its unknown words, each hashed to two of them, scaled by √(1 − known). So an unknown word lowers
// the similarity to every text without that word, and raises that of two texts that share it. A
// text without terms gives the zero vector.
func (m *Model) Embed(bag []Term) []float32 {
	out := make([]float32, m.dims+unknownDims)
	vector, known := m.Project(bag)
	var hashed [unknownDims]float64
	for _, term := range bag {
		if _, ok := slices.BinarySearch(m.terms, term.Text); ok {
			continue
		}
		h := sha256.Sum256([]byte(term.Text))
		for i := range 2 {
			sign := 1.0
			if h[2*i+1]&1 == 1 {
				sign = -1
			}
			hashed[h[2*i]%unknownDims] += sign
		}
	}
	unknown := unit(hashed[:], out[m.dims:], math.Sqrt(1-known))
	scale := float32(math.Sqrt(known))
	if !unknown && known > 0 {
		scale = 1
	}
	for j, v := range vector {
		out[j] = v * scale
	}
	return out
}

// unit writes v, scaled to the given length, to out and reports whether it
// has a direction.
func unit(v []float64, out []float32, length float64) bool {
	var sum float64
	for _, x := range v {
		sum += x * x
	}
	if sum < 1e-18 {
		return false
	}
	scale := length / math.Sqrt(sum)
	for i, x := range v {
		out[i] = float32(x * scale)
	}
	return true
}
