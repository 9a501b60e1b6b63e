package causal

import (
	"cmp"
	"math"
	"slices"
)

// A Vector is a sparse row of features: ascending indices below the model's dimensions, and their
// values.
type Vector struct {
	Index []uint32
	Value []float32
}

// A collector collects features by the hashes of their names.
type collector struct{ features []feature }

type feature struct {
	hash  uint64
	value float64
}

// add adds a feature. Its name is hashed with FNV-1a over its parts, each followed by a zero byte.
func (c *collector) add(value float64, parts ...string) {
	h := uint64(14695981039346656037)
	for _, p := range parts {
		for i := range len(p) {
			h = (h ^ uint64(p[i])) * 1099511628211
		}
		h *= 1099511628211
	}
	c.features = append(c.features, feature{h, value})
}

// vector returns the row, scaled to length 1, with each feature once at its highest value. After
// scaling, names with equal hashes are merged, and the highest value stays.
func (c *collector) vector(dimensions uint32) Vector {
	sum := 0.0 // values are halves and small integers: exact in any order
	for _, f := range c.once() {
		sum += f.value * f.value
	}
	if sum == 0 {
		return Vector{}
	}
	return c.row(dimensions, math.Sqrt(sum))
}

// once returns each feature once, with its highest value, in the order of hashes.
func (c *collector) once() []feature {
	slices.SortFunc(c.features, func(a, b feature) int { return cmp.Or(cmp.Compare(a.hash, b.hash), -cmp.Compare(a.value, b.value)) })
	c.features = slices.CompactFunc(c.features, func(a, b feature) bool { return a.hash == b.hash })
	return c.features
}

// row returns each feature's value divided by length. Names with equal hashes are merged, and the
// highest value stays.
func (c *collector) row(dimensions uint32, length float64) Vector {
	fs := c.once()
	for i := range fs {
		h := fs[i].hash
		fs[i].hash = uint64(uint32(h^h>>32) % dimensions)
		fs[i].value /= length
	}
	slices.SortFunc(fs, func(a, b feature) int { return cmp.Or(cmp.Compare(a.hash, b.hash), -cmp.Compare(a.value, b.value)) })
	fs = slices.CompactFunc(fs, func(a, b feature) bool { return a.hash == b.hash })
	v := Vector{make([]uint32, len(fs)), make([]float32, len(fs))}
	for i, f := range fs {
		v.Index[i], v.Value[i] = uint32(f.hash), float32(f.value)
	}
	return v
}
