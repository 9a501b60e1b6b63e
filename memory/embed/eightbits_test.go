package embed

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Rounding to eight bits changes a coordinate by half a step at the most, rounding again changes nothing,
// and the cache keeps such vectors, and no others, in a quarter of the room.
func TestEightBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 500 {
		v := make([]float32, 1+n)
		for i := range v {
			v[i] = float32(rng.NormFloat64()) * float32(math.Pow(10, float64(n%9-4)))
		}
		got := eightBits(v)
		step := largest(got) / most
		for i := range v {
			if math.Abs(float64(got[i]-v[i])) > .501*float64(step) {
				t.Fatalf("%v becomes %v; a step is %v", v[i], got[i], step)
			}
		}
		if !slices.Equal(eightBits(got), got) {
			t.Fatalf("%v is rounded again", got)
		}
		key := keyOf("key", string(rune(n)))
		data := encode(key, got)
		if len(data) != len(v)+8 || !slices.Equal(decode(key, data), got) {
			t.Fatalf("%d coordinates in %d bytes: %v, want %v", len(v), len(data), decode(key, data), got)
		}
		for at := range data {
			bad := bytes.Clone(data)
			bad[at] ^= 0x10
			if decode(key, bad) != nil {
				t.Fatalf("byte %d was changed, and nothing said so", at)
			}
		}
		if whole := encode(key, v); n > 2 && (len(whole) != 4*len(v)+4 || !slices.Equal(decode(key, whole), v)) {
			t.Fatalf("%d coordinates in %d bytes", len(v), len(whole))
		}
	}
	if zero := eightBits(make([]float32, 3)); !slices.Equal(zero, make([]float32, 3)) || packed(Key{}, zero) != nil {
		t.Errorf("nothing becomes %v", zero)
	}
}
