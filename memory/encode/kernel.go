package encode

import "math"

// The kernels of the forward pass. Each has an equivalent in assembly on some processors, with the
// same bits: integer sums are exact, and floating-point sums run over k in order, with each product
// rounded before it is added (float32(a*b) keeps the compiler from fusing).

const (
	tileRows    = 4
	tileColumns = 16
	lanes       = 8
)

// bytesTile computes out[i][j] = Σ a[i][k]·w[j][k] for 4 rows of a and 16 of w, packed as in
// linear, or 32 if pairedTiles. k is a multiple of 4. Rows of a are k apart, those of out n.
func bytesTile(out []int32, n int, a []uint8, w []int8, k int) {
	_, _ = out[(tileRows-1)*n+len(w)/k-1], a[tileRows*k-1]
	switch {
	case pairedTiles && len(w) == 2*tileColumns*k && k%8 == 0:
		bytesTilePaired(&out[0], n, &a[0], &w[0], k)
	case len(w) > tileColumns*k:
		bytesTile(out, n, a, w[:tileColumns*k], k)
		bytesTile(out[tileColumns:], n, a, w[tileColumns*k:], k)
	case fast && k%bytesAtOnce == 0:
		bytesTileFast(&out[0], n, &a[0], &w[0], k)
	default:
		bytesTileGo(out, n, a, w, k)
	}
}

func bytesTileGo(out []int32, n int, a []uint8, w []int8, k int) {
	for i := range tileRows {
		var sum [tileColumns]int32
		row := a[i*k : (i+1)*k]
		for at := 0; at < k; at += 4 {
			b := w[at*tileColumns : (at+4)*tileColumns]
			a0, a1, a2, a3 := int32(row[at]), int32(row[at+1]), int32(row[at+2]), int32(row[at+3])
			for j := range tileColumns {
				sum[j] += a0*int32(b[4*j]) + a1*int32(b[4*j+1]) + a2*int32(b[4*j+2]) + a3*int32(b[4*j+3])
			}
		}
		copy(out[i*n:], sum[:])
	}
}

// floatsTile computes out[i][j] = Σ a[i][k]·b[k][j] for 4 rows of a and 16 columns of b.
func floatsTile(out []float32, n int, a []float32, m int, b []float32, l, k int) {
	if !fast {
		floatsTileGo(out, n, a, m, b, l, k)
		return
	}
	_, _, _ = out[(tileRows-1)*n+tileColumns-1], a[(tileRows-1)*m+k-1], b[(k-1)*l+tileColumns-1]
	floatsTileFast(&out[0], n, &a[0], m, &b[0], l, k)
}

func floatsTileGo(out []float32, n int, a []float32, m int, b []float32, l, k int) {
	for i := range tileRows {
		var sum [tileColumns]float32
		for at := range k {
			x := a[i*m+at]
			for j, y := range b[at*l : at*l+tileColumns] {
				sum[j] += float32(x * y)
			}
		}
		copy(out[i*n:], sum[:])
	}
}

// scaled gives the floating point that whole sums stand for: out = acc·(scale·by) + (sum·low + bias).
func scaledGo(out []float32, acc []int32, scale, sum, bias []float32, by, low float32) {
	for j := range out {
		s, t := float32(scale[j]*by), float32(sum[j]*low)+bias[j]
		out[j] = float32(float32(acc[j])*s) + t
	}
}

// rangeOf is the least and the greatest of x, which has one at least.
func rangeOfGo(x []float32) (low, high float32) {
	low, high = x[0], x[0]
	for _, v := range x[1:] {
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

// rounded gives bytes: out = (x-low)·by, rounded.
func roundedGo(out []uint8, x []float32, low, by float32) {
	for i, v := range x {
		out[i] = uint8(min(255, int32(float32((v-low)*by)+.5)))
	}
}

// The exponential function by a polynomial, off by less than 2·10⁻⁷ of its value.
const (
	log2e   = float32(1.4426950408889634)
	ln2High = float32(0.693359375)
	ln2Low  = float32(-2.12194440e-4)
	toWhole = float32(12582912) // 1.5·2²³: adding and subtracting it rounds a number
	least   = float32(-87)
)

var expPolynomial = [...]float32{1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1}

func exp(x float32) float32 {
	x = max(x, least)
	n := float32(float32(x*log2e)+toWhole) - toWhole
	r := x - float32(n*ln2High)
	r -= float32(n * ln2Low)
	p := expPolynomial[0]
	for _, c := range expPolynomial[1:] {
		p = float32(p*r) + c
	}
	p = float32(p*float32(r*r)) + r
	p++
	return p * math.Float32frombits(uint32(int32(n)+127)<<23)
}

// expLess gives e to the x-most, for each x ≤ most, and lanes of sums of them.
func expLessGo(x []float32, most float32) (sums [lanes]float32) {
	for i, v := range x {
		v = exp(v - most)
		x[i] = v
		sums[i%lanes] += v
	}
	return sums
}

// gelu is x·Φ(x), the error function by Abramowitz and Stegun 7.1.26.
func geluGo(x []float32) {
	const (
		p                  = float32(0.3275911)
		a1, a2, a3, a4, a5 = float32(0.254829592), float32(-0.284496736), float32(1.421413741), float32(-1.453152027), float32(1.061405429)
		root               = float32(0.7071067811865476)
	)
	for i, v := range x {
		z := v * root
		size := math.Float32frombits(math.Float32bits(z) &^ (1 << 31))
		t := 1 / (float32(size*p) + 1)
		y := float32(t*a5) + a4
		y = float32(y*t) + a3
		y = float32(y*t) + a2
		y = float32(y*t) + a1
		y = float32(y * t)
		y = 1 - float32(y*exp(-float32(size*size)))
		y = math.Float32frombits(math.Float32bits(y) | math.Float32bits(z)&(1<<31))
		x[i] = float32(v*.5) * (y + 1)
	}
}

// added is x + y, and lanes of sums of it.
func addedGo(x, y []float32) (sums [lanes]float32) {
	for i, v := range y {
		x[i] += v
		sums[i%lanes] += x[i]
	}
	return sums
}

// centred takes mean from x, and gives lanes of sums of its squares.
func centredGo(x []float32, mean float32) (sums [lanes]float32) {
	for i, v := range x {
		v -= mean
		x[i] = v
		sums[i%lanes] += float32(v * v)
	}
	return sums
}

// weighed is x·by·weight + bias.
func weighedGo(x, weight, bias []float32, by float32) {
	for i, v := range x {
		x[i] = float32(float32(v*by)*weight[i]) + bias[i]
	}
}

func total(s [lanes]float32) float32 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}
