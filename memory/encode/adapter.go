package encode

import (
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"unsafe"
)

// adapterMagic begins a file of an adapter. Its description follows as in a file of weights; then, of
// each layer from From on, the two halves of each matrix of low rank, and the head.
// train/reader.py writes it.
const adapterMagic = "assay adapter 1\n"

// rank is the rank of the low-rank matrices.
const rank = tileColumns

// A Decision is made about two texts that are read together.
type Decision int

const (
	// Answers decides whether the second text, a part of a document, answers the first, a question.
	Answers Decision = iota
)

// A Pair is two texts that are read together.
type Pair struct{ First, Second string }

//go:embed answers.bin
var answers string

// An adapter makes the encoder read two texts together and decide one thing about them, by low-rank
// matrices added to its own and weights for the decision. It is immutable.
type adapter struct {
	description adapterDescription
	layers      []adapted
	head, bias  []float32 // weights for the mean of the pieces' vectors, and a constant
}

type adapterDescription struct {
	Of      string `json:"of"` // the encoder's sum, see weighed
	Layers  int    `json:"layers"`
	From    int    `json:"from"` // the first layer that it changes
	Width   int    `json:"width"`
	Inner   int    `json:"inner"`
	Longest int    `json:"longest"` // word pieces of a pair
	First   int    `json:"first"`   // word pieces of its first text
}

func (d *adapterDescription) check() error {
	if d.From < 0 || d.Layers <= d.From || d.Layers > 100 || d.Width < tileColumns || d.Width > mostWidth || d.Inner < tileColumns || d.Inner > 4*mostWidth ||
		d.Width%tileColumns != 0 || d.Inner%tileColumns != 0 || d.First < 1 || d.Longest < d.First+4 || d.Longest > mostWidth {
		return errors.New("its sizes are not plausible")
	}
	return nil
}

// An adapted layer has low-rank matrices that are added to those of a layer.
type adapted struct {
	own               []lowRank // of query, key and value
	mix, inner, outer []lowRank
}

// A lowRank is a matrix of low rank. What it gives is added from column at on.
type lowRank struct {
	in, out, at int
	down, up    []float32 // rows of in with rank numbers each, rows of rank with out
}

var adapters = [...]func() (*adapter, error){
	Answers: sync.OnceValues(func() (*adapter, error) { return parseAdapter(unsafe.Slice(unsafe.StringData(answers), len(answers))) }),
}

func parseAdapter(data []byte) (*adapter, error) {
	at := len(adapterMagic) + 4
	if len(data) < at || string(data[:len(adapterMagic)]) != adapterMagic {
		return nil, errors.New("not a file of an adapter of this version")
	}
	size := int(binary.LittleEndian.Uint32(data[len(adapterMagic):]))
	r := &reader{data: data}
	head := r.bytes(at + min(size, len(data)))
	if r.err != nil {
		return nil, r.err
	}
	a := &adapter{}
	d := &a.description
	if err := json.Unmarshal(head[at:], d); err != nil {
		return nil, fmt.Errorf("its description: %w", err)
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	for range d.Layers - d.From {
		var l adapted
		for i := range 3 {
			l.own = append(l.own, r.lowRank(d.Width, d.Width, i*d.Width))
		}
		l.mix = []lowRank{r.lowRank(d.Width, d.Width, 0)}
		l.inner = []lowRank{r.lowRank(d.Width, d.Inner, 0)}
		l.outer = []lowRank{r.lowRank(d.Inner, d.Width, 0)}
		a.layers = append(a.layers, l)
	}
	a.head, a.bias = r.floats(d.Width), r.floats(1)
	if r.err != nil {
		return nil, r.err
	}
	return a, nil
}

// lowRank reads both halves: each in bytes with a scale for each of its rank rows.
func (r *reader) lowRank(in, out, at int) lowRank {
	half := func(n int) (rows [][]float32) {
		bytes, scale := r.bytes(rank*n), r.floats(rank)
		if r.err != nil {
			return nil
		}
		for i := range rank {
			row := make([]float32, n)
			for j := range row {
				row[j] = float32(int8(bytes[i*n+j])) * scale[i]
			}
			rows = append(rows, row)
		}
		return rows
	}
	l := lowRank{in: in, out: out, at: at, down: make([]float32, in*rank)}
	for i, row := range half(in) {
		for j, v := range row {
			l.down[j*rank+i] = v
		}
	}
	for _, row := range half(out) {
		l.up = append(l.up, row...)
	}
	return l
}

// adapt adds the products of x with low-rank matrices to out, whose rows have n numbers.
func (p *pass) adapt(out, x []float32, n int, list []lowRank) {
	var few [tileRows * rank]float32
	var tile [tileRows * tileColumns]float32
	for _, l := range list {
		for i := 0; i < p.rows; i += tileRows {
			floatsTile(few[:], rank, x[i*l.in:], l.in, l.down, rank, l.in)
			for j := 0; j < l.out; j += tileColumns {
				floatsTile(tile[:], tileColumns, few[:], rank, l.up[j:], l.out, rank)
				for k := range tileRows {
					to := out[(i+k)*n+l.at+j:][:tileColumns]
					for c, v := range tile[k*tileColumns:][:tileColumns] {
						to[c] += v
					}
				}
			}
		}
	}
}

// Decides reports whether a decision can be asked of this model: its adapter was learnt with one model,
// and suits no other.
func (m *Model) Decides(d Decision) bool {
	a, err := adapters[d]()
	return err == nil && a.description.Of == m.weighed()
}

// Score reads the texts of each pair together, and returns the log-odds of the decision. That costs
// as much as embedding both. A model for which Decides is false returns an error; other errors are
// those of ctx.
func (m *Model) Score(ctx context.Context, decision Decision, pairs []Pair) ([]float64, error) {
	a, err := adapters[decision]()
	if err != nil {
		return nil, fmt.Errorf("reading an adapter of the encoder: %w", err)
	}
	d := &a.description
	if d.Of != m.weighed() {
		return nil, fmt.Errorf("reading pairs: the adapter was learnt with %q, and this is %q", d.Of, m.weighed())
	}
	pieces := make([][]int32, len(pairs))
	for i, p := range pairs {
		ids := append(m.pieces.of([]int32{m.pieces.begin}, p.First, d.First+1), m.pieces.end)
		pieces[i] = append(m.pieces.of(ids, p.Second, d.Longest-1), m.pieces.end)
	}
	vectors, err := m.encode(ctx, pieces, a)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(pairs))
	for i, v := range vectors {
		var sums [lanes]float32
		for k, w := range a.head {
			sums[k%lanes] += float32(w * v[k])
		}
		out[i] = float64(total(sums)/float32(len(pieces[i])) + a.bias[0])
	}
	return out, nil
}

// Answers returns the log-odds of each text that it answers a question: a Score.
func (m *Model) Answers(ctx context.Context, question string, texts []string) ([]float64, error) {
	pairs := make([]Pair, len(texts))
	for i, t := range texts {
		pairs[i] = Pair{question, t}
	}
	return m.Score(ctx, Answers, pairs)
}
