package encode

import (
	"context"
	"math"
)

// A pass is the memory of one forward pass over some texts, whose pieces are the rows of its
// matrices. Texts are padded only to full tiles, not to a common length.
type pass struct {
	m     *Model
	a     *adapter // nil for none
	from  []int    // where each text's rows begin, and the end of the last
	rows  int
	x     []float32 // the pieces' vectors
	z     []float32 // added to them
	y     []float32 // output of attention
	wide  []float32
	bytes []uint8
	low   []float32 // of each row that was rounded to bytes
	by    []float32
	acc   []int32
	turn  []float32 // transposed keys of a head
	score []float32
}

// room returns n numbers, of s where it has them.
func room[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

func filled(n, unit int) int { return (n + unit - 1) / unit * unit }

func (p *pass) load(texts [][]int32) {
	m := p.m
	p.from, p.rows = append(p.from[:0], 0), 0
	for _, t := range texts {
		p.rows += filled(len(t), tileRows)
		p.from = append(p.from, p.rows)
	}
	wide := p.rows * max(3*m.Width, m.Inner)
	p.x, p.y, p.z = room(p.x, p.rows*m.Width), room(p.y, p.rows*m.Width), room(p.z, p.rows*m.Width)
	p.wide, p.acc, p.bytes = room(p.wide, wide), room(p.acc, wide), room(p.bytes, wide)
	p.low, p.by = room(p.low, p.rows), room(p.by, p.rows)
	clear(p.x)
	clear(p.z)
	for i, t := range texts {
		kind := 0
		for j, id := range t {
			m.embedding(p.x[(p.from[i]+j)*m.Width:][:m.Width], id, j, kind)
			if id == m.pieces.end {
				kind = 1
			}
		}
	}
}

// run leaves the last layer's vectors of all pieces in p.x.
func (p *pass) run(ctx context.Context, texts [][]int32) error {
	p.load(texts)
	p.norm(p.m.first)
	for i := range p.m.layers {
		if err := ctx.Err(); err != nil {
			return err
		}
		l := &p.m.layers[i]
		var a adapted
		if p.a != nil && i >= p.a.description.From {
			a = p.a.layers[i-p.a.description.From]
		}
		p.linear(p.wide, p.x, &l.own)
		p.adapt(p.wide, p.x, l.own.out, a.own)
		for t := range texts {
			p.attend(p.from[t], len(texts[t]))
		}
		p.linear(p.z, p.y, &l.mix)
		p.adapt(p.z, p.y, l.mix.out, a.mix)
		p.norm(l.mixed)
		p.linear(p.wide, p.x, &l.inner)
		p.adapt(p.wide, p.x, l.inner.out, a.inner)
		gelu(p.wide[:p.rows*p.m.Inner])
		p.linear(p.z, p.wide, &l.outer)
		p.adapt(p.z, p.wide, l.outer.out, a.outer)
		p.norm(l.output)
	}
	return nil
}

// linear multiplies x by a layer's matrix. Each row of x is quantised to bytes between its minimum
// and its maximum.
func (p *pass) linear(out, x []float32, l *linear) {
	for i := range p.rows {
		row := x[i*l.in : (i+1)*l.in]
		low, high := rangeOf(row)
		p.low[i], p.by[i] = low, (high-low)/255
		inverse := float32(0)
		if p.by[i] > 0 {
			inverse = 1 / p.by[i]
		}
		rounded(p.bytes[i*l.in:(i+1)*l.in], row, low, inverse)
	}
	columns := tileColumns
	if pairedTiles {
		columns *= 2
	}
	for j := 0; j < l.out; j += columns {
		w := l.weights[j*l.in : min(j+columns, l.out)*l.in]
		for i := 0; i < p.rows; i += tileRows {
			bytesTile(p.acc[i*l.out+j:], l.out, p.bytes[i*l.in:], w, l.in)
		}
	}
	for i := range p.rows {
		scaled(out[i*l.out:(i+1)*l.out], p.acc[i*l.out:], l.scale, l.sum, l.bias, p.by[i], p.low[i])
	}
}

// norm adds z to x, and gives each row a mean of 0 and a variance of 1 before it is weighed.
func (p *pass) norm(n layerNorm) {
	w := p.m.Width
	for i := range p.rows {
		x := p.x[i*w : (i+1)*w]
		mean := total(added(x, p.z[i*w:(i+1)*w])) / float32(w)
		variance := total(centred(x, mean)) / float32(w)
		weighed(x, n.weight, n.bias, 1/float32(math.Sqrt(float64(variance+1e-12))))
	}
}

// attend computes the attention of a text's n pieces: from query, key and value in wide to y.
func (p *pass) attend(from, n int) {
	w, size := p.m.Width, p.m.Width/p.m.Heads
	rows, columns := filled(n, tileRows), filled(n, tileColumns)
	by := 1 / float32(math.Sqrt(float64(size)))
	p.turn, p.score = room(p.turn, size*columns), room(p.score, rows*columns)
	clear(p.turn)
	for h := 0; h < w; h += size {
		for i := range n {
			for d, v := range p.wide[(from+i)*3*w+w+h:][:size] {
				p.turn[d*columns+i] = v * by
			}
		}
		for i := 0; i < rows; i += tileRows {
			for j := 0; j < columns; j += tileColumns {
				floatsTile(p.score[i*columns+j:], columns, p.wide[(from+i)*3*w+h:], 3*w, p.turn[j:], columns, size)
			}
		}
		for i := range rows {
			row := p.score[i*columns:][:n]
			_, high := rangeOf(row)
			inverse := 1 / total(expLess(row, high))
			for j := range row {
				row[j] *= inverse
			}
		}
		for i := 0; i < rows; i += tileRows {
			for j := 0; j < size; j += tileColumns {
				floatsTile(p.y[(from+i)*w+h+j:], w, p.score[i*columns:], columns, p.wide[from*3*w+2*w+h+j:], 3*w, n)
			}
		}
	}
}
