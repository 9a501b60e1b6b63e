package store

import (
	"encoding/binary"
	"errors"
	"math"
)

// Vectors are stored as the length of the index's name, the name, the number of
// vectors, the dimensions of each (unsigned varints), and the elements as
// little-endian float32.

func encodeVectors(index string, vectors [][]float32) []byte {
	dimensions := 0
	if len(vectors) > 0 {
		dimensions = len(vectors[0])
	}
	b := make([]byte, 0, len(index)+3*binary.MaxVarintLen32+4*dimensions*len(vectors))
	b = binary.AppendUvarint(b, uint64(len(index)))
	b = append(b, index...)
	b = binary.AppendUvarint(b, uint64(len(vectors)))
	b = binary.AppendUvarint(b, uint64(dimensions))
	for _, v := range vectors {
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
	}
	return b
}

// decodeVectors returns the vectors of an index. It returns false for empty bytes and for vectors
// of another index.
func decodeVectors(index string, b []byte) ([][]float32, bool, error) {
	if len(b) == 0 {
		return nil, false, nil
	}
	errDamaged := errors.New("the stored vectors are damaged")
	next := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			b = nil
			return math.MaxUint64
		}
		b = b[n:]
		return v
	}
	size := next()
	if size > uint64(len(b)) {
		return nil, false, errDamaged
	}
	name := string(b[:size])
	b = b[size:]
	if name != index {
		return nil, false, nil
	}
	count, dimensions := next(), next()
	if count == 0 && dimensions == 0 && len(b) == 0 {
		return nil, true, nil
	}
	elements := uint64(len(b)) / 4
	if count == 0 || dimensions == 0 || count > elements || dimensions > elements || count*dimensions != elements || len(b)%4 != 0 {
		return nil, false, errDamaged
	}
	vectors := make([][]float32, count)
	for i := range vectors {
		v := make([]float32, dimensions)
		for j := range v {
			v[j] = math.Float32frombits(binary.LittleEndian.Uint32(b))
			b = b[4:]
		}
		vectors[i] = v
	}
	return vectors, true, nil
}

// cosine is 0 when a vector is zero. Both vectors must have the same length.
func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot += x * y
		aa += x * x
		bb += y * y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return dot / math.Sqrt(aa) / math.Sqrt(bb)
}
