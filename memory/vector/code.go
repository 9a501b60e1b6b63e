package vector

import (
	"math"
	"runtime"
	"sync"
)

const codeMax = 127

// codes are rows in eight bits a coordinate: a row is its codes times its
// step, within err.
type codes struct {
	width int // codes of a row; those beyond the dimensions are 0
	data  []int8
	step  []float32
	err   float64 // the greatest length of the difference between a row and its decoded codes
	norm  float64 // the greatest length of a decoded row
}

// encode codes rows. row returns the i-th of n.
func encode(n, dims int, row func(i int) []float32) *codes {
	c := &codes{width: (dims + lane - 1) / lane * lane, step: make([]float32, n)}
	c.data = make([]int8, n*c.width)
	errs, norms := make([]float64, blocks(n)), make([]float64, blocks(n))
	inBlocks(n, func(b, from, to int) {
		for i := from; i < to; i++ {
			e, norm := encodeRow(row(i), c.data[i*c.width:(i+1)*c.width], &c.step[i])
			errs[b], norms[b] = max(errs[b], e), max(norms[b], norm)
		}
	})
	for b := range errs {
		c.err, c.norm = max(c.err, errs[b]), max(c.norm, norms[b])
	}
	return c
}

// encodeRow returns a bound of the length of the difference, and the length of the decoded row. A
// coordinate differs by half a step at most, plus the rounding of single precision.
func encodeRow(v []float32, out []int8, step *float32) (diff, norm float64) {
	const (
		half = .5001
		sign = 1 << 31
	)
	var most uint32 // the bits of sizes are in the order of the sizes
	for _, x := range v {
		most = max(most, math.Float32bits(x)&^sign)
	}
	top := math.Float32frombits(most)
	if !(top > 0) || math.IsInf(float64(top), 0) {
		return length(v), 0
	}
	*step = top / codeMax
	inverse := codeMax / top
	for i, x := range v {
		out[i] = int8(int32(x*inverse + math.Float32frombits(math.Float32bits(.5)|math.Float32bits(x)&sign)))
	}
	return half * float64(*step) * math.Sqrt(float64(len(v))), normOf(out[:len(v)], *step)
}

func length(v []float32) float64 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

// A probe is a query in the integers that rows are multiplied by.
type probe struct {
	vector []float32
	codes  []int16
	step   float64 // of the query
	slack  float64 // by which a coded product may be off
}

// probe codes a query as finely as 32 bits of product allow.
func (c *codes) probe(query []float32) probe {
	p := probe{vector: query, codes: make([]int16, c.width)}
	most := float64(min(2047, math.MaxInt32/(codeMax*max(1, c.width))))
	var top float64
	for _, x := range query {
		top = max(top, math.Abs(float64(x)))
	}
	norm, diff := length(query), length(query)
	if top > 0 && !math.IsInf(top, 0) {
		p.step = top / most
		diff = 0
		for i, x := range query[:min(len(query), c.width)] {
			p.codes[i] = int16(math.Round(float64(x) / p.step))
			d := float64(x) - p.step*float64(p.codes[i])
			diff += d * d
		}
		diff = math.Sqrt(diff)
	}
	const (
		rounding  = 1e-5     // of Dot's single precision, relative to the lengths
		underflow = 0x1p-126 // below which single precision loses digits
	)
	p.slack = norm*c.err + diff*c.norm + rounding*norm*(c.norm+c.err) + underflow
	return p
}

const blockRows = 1024

func blocks(n int) int { return (n + blockRows - 1) / blockRows }

// inBlocks runs fn over the blocks of [0, n) on all processors and waits. fn gets the block's
// number, and must write only data of that block.
func inBlocks(n int, fn func(block, from, to int)) {
	count := blocks(n)
	workers := min(runtime.GOMAXPROCS(0), count)
	if workers <= 1 {
		for b := range count {
			fn(b, b*blockRows, min((b+1)*blockRows, n))
		}
		return
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for b := w; b < count; b += workers {
				fn(b, b*blockRows, min((b+1)*blockRows, n))
			}
		})
	}
	wg.Wait()
}
