package weaviate_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"example.com/assay/memory/index"
	"example.com/assay/memory/index/sourcetest"
	"example.com/assay/memory/index/weaviate"
	"example.com/assay/memory/index/weaviate/weaviatetest"
)

var classes atomic.Int64

func className() string { return fmt.Sprintf("Test%d", classes.Add(1)) }

func connect(t testing.TB, address string) *weaviate.Server {
	t.Helper()
	s, err := weaviate.New(address, "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCollection(t *testing.T) {
	s := connect(t, weaviatetest.Start(t, 1).Address(""))
	sourcetest.Run(t, func(*testing.T) index.Collection { return s.Collection(className()) })
}
