package sourcetest

import (
	"testing"

	"example.com/assay/memory/index"
)

func TestMemory(t *testing.T) {
	Run(t, func(*testing.T) index.Collection { return new(Memory) })
}
