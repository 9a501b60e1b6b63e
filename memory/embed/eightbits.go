package embed

import (
	"encoding/binary"
	"hash/crc32"
	"math"
)

// most is the largest absolute value of a coordinate in eight bits.
const most = 127

// eightBits rounds a vector to whole numbers of eight bits times a step, of so few digits that the
// products are exact: rounding once more changes nothing.
func eightBits(v []float32) []float32 {
	const few uint32 = 0xffffff00 // of a step's bits: so many that the largest coordinate stays 127 steps
	top := largest(v)
	step := math.Float32frombits(math.Float32bits(top/most) & few)
	if step*most < top {
		step = math.Float32frombits(math.Float32bits(step) + ^few + 1)
	}
	out := make([]float32, len(v))
	if step == 0 {
		return out
	}
	for i, x := range v {
		out[i] = step * float32(math.Round(float64(x)/float64(step)))
	}
	return out
}

func largest(v []float32) float32 {
	top := float32(0)
	for _, x := range v {
		top = max(top, x, -x)
	}
	return top
}

// packed encodes a vector of eightBits for the cache: a number for each coordinate, the step, and
// the CRC-32C of both; nil for any other vector.
func packed(key Key, v []float32) []byte {
	step := largest(v) / most
	if step == 0 {
		return nil
	}
	out := make([]byte, 0, len(v)+8)
	for _, x := range v {
		n := math.Round(float64(x) / float64(step))
		if step*float32(n) != x {
			return nil
		}
		out = append(out, byte(int8(n)))
	}
	out = binary.LittleEndian.AppendUint32(out, math.Float32bits(step))
	return binary.LittleEndian.AppendUint32(out, packedSum(key, out))
}

// packedSum is a checksum that differs from checksum's for the same bytes.
func packedSum(key Key, data []byte) uint32 {
	return ^crc32.Update(crc32.Checksum(key[:], castagnoli), castagnoli, data)
}

func unpack(key Key, data []byte) []float32 {
	n := len(data) - 8
	if n < 1 || binary.LittleEndian.Uint32(data[n+4:]) != packedSum(key, data[:n+4]) {
		return nil
	}
	step := math.Float32frombits(binary.LittleEndian.Uint32(data[n:]))
	v := make([]float32, n)
	for i := range v {
		v[i] = step * float32(int8(data[i]))
	}
	return v
}
