//go:build !amd64 && !arm64

package encode

func bytesTile(out []int32, n int, a []uint8, w []int8, k int) { bytesTileGo(out, n, a, w, k) }

func floatsTile(out []float32, n int, a []float32, m int, b []float32, l, k int) {
	floatsTileGo(out, n, a, m, b, l, k)
}
