//go:build !amd64 && !arm64

package encode

const (
	fast        = false
	bytesAtOnce = 4
)

func bytesTileFast(*int32, int, *uint8, *int8, int) {}

func floatsTileFast(*float32, int, *float32, int, *float32, int, int) {}
