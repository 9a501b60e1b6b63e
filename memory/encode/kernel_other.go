//go:build !amd64

package encode

const pairedTiles = false

func bytesTilePaired(*int32, int, *uint8, *int8, int) {}

func scaled(out []float32, acc []int32, scale, sum, bias []float32, by, low float32) {
	scaledGo(out, acc, scale, sum, bias, by, low)
}

func rangeOf(x []float32) (low, high float32)                 { return rangeOfGo(x) }
func rounded(out []uint8, x []float32, low, by float32)       { roundedGo(out, x, low, by) }
func expLess(x []float32, most float32) (sums [lanes]float32) { return expLessGo(x, most) }
func gelu(x []float32)                                        { geluGo(x) }
func added(x, y []float32) (sums [lanes]float32)              { return addedGo(x, y) }
func centred(x []float32, mean float32) (sums [lanes]float32) { return centredGo(x, mean) }
func weighed(x, weight, bias []float32, by float32)           { weighedGo(x, weight, bias, by) }
