package encode

import "golang.org/x/sys/cpu"

// fast is whether this processor multiplies bytes by SDOT.
var fast = cpu.ARM64.HasASIMDDP

//go:noescape
func bytesTileSDOT(out *int32, n int, a *uint8, w *int8, k int)

//go:noescape
func floatsTileNEON(out *float32, n int, a *float32, m int, b *float32, l, k int)

func bytesTile(out []int32, n int, a []uint8, w []int8, k int) {
	const atOnce = 16
	if !fast || k%atOnce != 0 {
		bytesTileGo(out, n, a, w, k)
		return
	}
	_, _, _ = out[(tileRows-1)*n+tileColumns-1], a[tileRows*k-1], w[tileColumns*k-1]
	bytesTileSDOT(&out[0], n, &a[0], &w[0], k)
}

func floatsTile(out []float32, n int, a []float32, m int, b []float32, l, k int) {
	if !fast {
		floatsTileGo(out, n, a, m, b, l, k)
		return
	}
	_, _, _ = out[(tileRows-1)*n+tileColumns-1], a[(tileRows-1)*m+k-1], b[(k-1)*l+tileColumns-1]
	floatsTileNEON(&out[0], n, &a[0], m, &b[0], l, k)
}
