package encode

import "golang.org/x/sys/cpu"

// fast is whether this processor multiplies bytes by SDOT.
var fast = cpu.ARM64.HasASIMDDP

// bytesAtOnce is the number of bytes of a row that bytesTileFast takes at a time.
const bytesAtOnce = 16

//go:noescape
func bytesTileFast(out *int32, n int, a *uint8, w *int8, k int)

//go:noescape
func floatsTileFast(out *float32, n int, a *float32, m int, b *float32, l, k int)
