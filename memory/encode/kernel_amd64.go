package encode

import "golang.org/x/sys/cpu"

// fast is whether this processor has AVX2.
var fast = cpu.X86.HasAVX2

// pairedTiles reports whether this processor does two tiles of bytes at a time, by AVX-512 VNNI.
var pairedTiles = fast && cpu.X86.HasAVX512F && cpu.X86.HasAVX512VNNI

// bytesAtOnce is the number of bytes of a row that bytesTileFast takes at a time.
const bytesAtOnce = 4

//go:noescape
func bytesTileFast(out *int32, n int, a *uint8, w *int8, k int)

//go:noescape
func bytesTilePaired(out *int32, n int, a *uint8, w *int8, k int)

//go:noescape
func floatsTileFast(out *float32, n int, a *float32, m int, b *float32, l, k int)

//go:noescape
func scaledAVX2(out *float32, acc *int32, scale, sum, bias *float32, by, low float32, n int)

//go:noescape
func rangeOfAVX2(x *float32, n int, low, high *[lanes]float32)

//go:noescape
func roundedAVX2(out *uint8, x *float32, low, by float32, n int)

//go:noescape
func expLessAVX2(x *float32, most float32, n int, sums *[lanes]float32)

//go:noescape
func geluAVX2(x *float32, n int)

//go:noescape
func addedAVX2(x, y *float32, n int, sums *[lanes]float32)

//go:noescape
func centredAVX2(x *float32, mean float32, n int, sums *[lanes]float32)

//go:noescape
func weighedAVX2(x, weight, bias *float32, by float32, n int)

// whole returns the number of n elements done in assembly: full lanes.
func whole(n int) int {
	if !fast {
		return 0
	}
	return n / lanes * lanes
}

func scaled(out []float32, acc []int32, scale, sum, bias []float32, by, low float32) {
	n := whole(len(out))
	if n > 0 {
		_, _, _, _ = acc[n-1], scale[n-1], sum[n-1], bias[n-1]
		scaledAVX2(&out[0], &acc[0], &scale[0], &sum[0], &bias[0], by, low, n)
	}
	scaledGo(out[n:], acc[n:], scale[n:], sum[n:], bias[n:], by, low)
}

func rangeOf(x []float32) (low, high float32) {
	n := whole(len(x))
	if n == 0 {
		return rangeOfGo(x)
	}
	var lows, highs [lanes]float32
	rangeOfAVX2(&x[0], n, &lows, &highs)
	low, _ = rangeOfGo(lows[:])
	_, high = rangeOfGo(highs[:])
	for _, v := range x[n:] {
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

func rounded(out []uint8, x []float32, low, by float32) {
	n := whole(len(x))
	if n > 0 {
		_ = out[n-1]
		roundedAVX2(&out[0], &x[0], low, by, n)
	}
	roundedGo(out[n:], x[n:], low, by)
}

func expLess(x []float32, most float32) (sums [lanes]float32) {
	n := whole(len(x))
	if n > 0 {
		expLessAVX2(&x[0], most, n, &sums)
	}
	return plus(sums, expLessGo(x[n:], most))
}

func gelu(x []float32) {
	n := whole(len(x))
	if n > 0 {
		geluAVX2(&x[0], n)
	}
	geluGo(x[n:])
}

func added(x, y []float32) (sums [lanes]float32) {
	n := whole(len(x))
	if n > 0 {
		_ = y[n-1]
		addedAVX2(&x[0], &y[0], n, &sums)
	}
	return plus(sums, addedGo(x[n:], y[n:]))
}

func centred(x []float32, mean float32) (sums [lanes]float32) {
	n := whole(len(x))
	if n > 0 {
		centredAVX2(&x[0], mean, n, &sums)
	}
	return plus(sums, centredGo(x[n:], mean))
}

func weighed(x, weight, bias []float32, by float32) {
	n := whole(len(x))
	if n > 0 {
		_, _ = weight[n-1], bias[n-1]
		weighedAVX2(&x[0], &weight[0], &bias[0], by, n)
	}
	weighedGo(x[n:], weight[n:], bias[n:], by)
}

// plus adds the sums of a tail shorter than lanes, as one more addition in each lane.
func plus(sums, tail [lanes]float32) [lanes]float32 {
	for i, v := range tail {
		sums[i] += v
	}
	return sums
}
