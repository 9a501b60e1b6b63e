package encode

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

//go:embed weights.bin
var weights string

// longest is the number of word pieces read of a text, even by a model with more positions. A
// passage begins with its title and headings, so these pieces show its topic.
const longest = 160

// unitRows is the number of pieces that go through the layers together: enough to reuse a layer's
// weights while they are cached, few enough for a cancelled call to end soon.
const unitRows = 192

// A Model is an encoder. It is safe for concurrent use.
type Model struct {
	description
	pieces     *pieces
	table      []byte // of word pieces, two numbers a byte
	tableScale []byte // halves
	positions  []byte // halves
	kinds      []float32
	first      layerNorm
	layers     []layer

	passes sync.Pool // of *pass
}

// Builtin is the model in the program. It is read once.
var Builtin = sync.OnceValues(func() (*Model, error) {
	return Parse(unsafe.Slice(unsafe.StringData(weights), len(weights)))
})

// Open reads a model from a file that train/convert.py wrote.
func Open(path string) (*Model, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the encoder's weights: %w", err)
	}
	m, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

const idPrefix = "encoder "

// ID names the space of the vectors. Weights of the same name with another tuning have another ID,
// because the scales of their matrices differ, and so has a model that reads more of a text.
func (m *Model) ID() string {
	return fmt.Sprintf("%s%s %d/%d %s", idPrefix, m.Name, m.Width, m.Longest(), m.weighed())
}

// weighed returns a hash that distinguishes weights of the same name.
func (m *Model) weighed() string {
	sum := crc32.NewIEEE()
	for i := range m.layers {
		l := &m.layers[i]
		for _, matrix := range []*linear{&l.own, &l.mix, &l.inner, &l.outer} {
			_ = binary.Write(sum, binary.LittleEndian, matrix.scale) // a hash takes everything
		}
	}
	return fmt.Sprintf("%08x", sum.Sum32())
}

// IsID reports whether the space of an ID is one of this package's models.
func IsID(id string) bool { return strings.HasPrefix(id, idPrefix) }

// Longest is the number of word pieces read of a text.
func (m *Model) Longest() int { return min(longest, m.Positions) }

// Embed returns a vector of unit length for each text, in order. The cost of a text depends on the
// pieces read, not its length. Embed uses all processors; cancellation takes effect within a few
// hundredths of a second.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return m.embed(ctx, m.Passage, texts)
}

// An Asymmetric model wants other words before a question than before a passage.
type Asymmetric struct{ *Model }

// EmbedQuery is Embed for a question.
func (m Asymmetric) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	out, err := m.embed(ctx, m.Question, []string{text})
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

func (m *Model) embed(ctx context.Context, before string, texts []string) ([][]float32, error) {
	pieces := make([][]int32, len(texts))
	for i, t := range texts {
		pieces[i] = append(m.pieces.of([]int32{m.pieces.begin}, before+t, m.Longest()-1), m.pieces.end)
	}
	out, err := m.encode(ctx, pieces, nil)
	for _, v := range out {
		var sums [lanes]float32
		for d, x := range v {
			sums[d%lanes] += float32(x * x)
		}
		if by := float32(math.Sqrt(float64(total(sums)))); by > 0 {
			for d := range v {
				v[d] /= by
			}
		}
	}
	return out, err
}

// encode returns the sum of the vectors of each text's pieces, with or without an adapter.
func (m *Model) encode(ctx context.Context, texts [][]int32, a *adapter) ([][]float32, error) {
	order := make([]int, len(texts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(texts[b]), len(texts[a])) })
	var units [][]int
	for from, at, rows := 0, 0, 0; at < len(order); {
		rows += filled(len(texts[order[at]]), tileRows)
		at++
		if at == len(order) || rows+filled(len(texts[order[at]]), tileRows) > unitRows {
			units = append(units, order[from:at])
			from, rows = at, 0
		}
	}
	out := make([][]float32, len(texts))
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(units)) {
		wait.Go(func() {
			p, _ := m.passes.Get().(*pass)
			if p == nil {
				p = &pass{m: m}
			}
			p.a = a
			defer m.passes.Put(p)
			var list [][]int32
			for {
				i := int(next.Add(1)) - 1
				if i >= len(units) {
					return
				}
				list = list[:0]
				for _, at := range units[i] {
					list = append(list, texts[at])
				}
				if p.run(ctx, list) != nil {
					return
				}
				for j, at := range units[i] {
					n := len(list[j])
					if a == nil && m.Pooling == firstPiece {
						n = 1
					}
					out[at] = p.sum(p.from[j], n)
				}
			}
		})
	}
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return out, nil
}

// sum adds up rows.
func (p *pass) sum(from, n int) []float32 {
	w := p.m.Width
	out := make([]float32, w)
	for i := range n {
		for d, v := range p.x[(from+i)*w:][:w] {
			out[d] += v
		}
	}
	return out
}
