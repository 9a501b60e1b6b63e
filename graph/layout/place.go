package layout

import (
	"math"
	"slices"
)

// passes is how often the layers are moved towards their neighbours.
const passes = 16

// place gives the cells their coordinates.
func (s *sheet) place() {
	y := 0
	for _, l := range s.layers {
		height := 0
		for _, c := range l {
			height = max(height, s.cells[c].h)
		}
		for _, c := range l {
			s.cells[c].y = y + (height-s.cells[c].h)/2
		}
		s.tops, s.bottoms = append(s.tops, y), append(s.bottoms, y+height)
		y += height + layerGap
	}
	s.height = y - layerGap
	for _, l := range s.layers {
		s.settle(l, func(*cell) []int { return nil })
	}
	for pass := range passes {
		down := pass%2 == 0
		for i := range s.layers {
			if !down {
				i = len(s.layers) - 1 - i
			}
			s.settle(s.layers[i], func(c *cell) []int {
				if down {
					return c.up
				}
				return c.down
			})
		}
	}
	leftmost := math.MaxInt
	for _, c := range s.cells {
		leftmost = min(leftmost, c.x)
	}
	for _, c := range s.cells {
		c.x -= leftmost
		s.width = max(s.width, c.x+c.w)
	}
}

// settle puts each cell of a layer as near as possible to the middle of its neighbours, in order
// and without overlap: the closest by least squares.
func (s *sheet) settle(layer []int, neighbours func(*cell) []int) {
	type block struct { // cells that touch each other
		sum   float64 // of the wanted positions of the first cell
		count int
	}
	offset, offsets := 0, make([]int, len(layer))
	var blocks []block
	for i, at := range layer {
		c := s.cells[at]
		offsets[i] = offset
		offset += c.w + between
		want := float64(c.x)
		if near := neighbours(c); len(near) > 0 {
			sum := 0
			for _, n := range near {
				sum += s.cells[n].middle()
			}
			want = float64(sum)/float64(len(near)) - float64(c.w/2)
		}
		b := block{want - float64(offsets[i]), 1}
		for len(blocks) > 0 {
			before := blocks[len(blocks)-1]
			if before.sum/float64(before.count) <= b.sum/float64(b.count) {
				break
			}
			b.sum, b.count = b.sum+before.sum, b.count+before.count
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	}
	i := 0
	for _, b := range blocks {
		first := int(math.Round(b.sum / float64(b.count)))
		for range b.count {
			s.cells[layer[i]].x = first + offsets[i]
			i++
		}
	}
}

// write adds a sheet to a layout, at an offset.
func (s *sheet) write(out *Layout, x, y int) {
	for _, c := range s.cells {
		if c.lane {
			continue
		}
		room := 0
		if len(c.own) > 0 {
			room = loopRoom
		}
		b := c.box
		b.X, b.Y, b.W, b.H = x+c.x+room, y+c.y, c.w-2*room, c.h
		out.Boxes = append(out.Boxes, b)
		if c.inner != nil {
			c.inner.write(out, b.X+(b.W-c.inner.width)/2, b.Y+titleBand)
		}
	}
	for _, l := range s.links {
		r := l.route
		r.Points = s.points(l)
		for _, at := range l.cells {
			if c := s.cells[at]; c.labelled {
				r.At = Point{x + c.middle(), y + c.y + c.h/2}
			}
		}
		for i := range r.Points {
			r.Points[i].X += x
			r.Points[i].Y += y
		}
		out.Routes = append(out.Routes, r)
	}
}

// points leads an edge from the box where it begins to the box where it ends: straight down within
// a layer, and aslant between layers.
func (s *sheet) points(l link) []Point {
	if len(l.cells) == 2 && l.cells[0] == l.cells[1] {
		c := s.cells[l.cells[0]]
		right, middle := c.x+c.w-loopRoom, c.y+c.h/2
		return []Point{{right, middle - 7}, {right + loopRoom - 8, middle - 7}, {right + loopRoom - 8, middle + 7}, {right, middle + 7}}
	}
	var out []Point
	add := func(x, y int) {
		if p := (Point{x, y}); len(out) == 0 || out[len(out)-1] != p {
			out = append(out, p)
		}
	}
	for i, at := range l.cells {
		c := s.cells[at]
		x := c.middle()
		if l.route.Back && !c.lane {
			x += c.w / 4 // next to the edges that point down
			if len(c.own) > 0 {
				x = c.middle() + (c.w-2*loopRoom)/4
			}
		}
		switch {
		case i == 0:
			add(x, c.y+c.h)
			add(x, s.bottoms[c.rank])
		case i == len(l.cells)-1:
			add(x, s.tops[c.rank])
			add(x, c.y)
		default:
			add(x, s.tops[c.rank])
			add(x, s.bottoms[c.rank])
		}
	}
	if l.route.Back {
		slices.Reverse(out)
	}
	return out
}
