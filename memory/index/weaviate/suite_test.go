package weaviate_test

import (
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"example.com/assay/memory/index"
	"example.com/assay/memory/index/sourcetest"
	"example.com/assay/memory/index/weaviate"
)

// server is the one that ASSAY_TEST_WEAVIATE names; without it the test is skipped.
func server(t testing.TB) *weaviate.Server {
	t.Helper()
	address := os.Getenv("ASSAY_TEST_WEAVIATE")
	if address == "" {
		t.Skip("set ASSAY_TEST_WEAVIATE to weaviate://HOST:PORT; .ci/scale starts one")
	}
	s, err := weaviate.New(address, os.Getenv("WEAVIATE_API_KEY"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var classes atomic.Int64

func className() string {
	return fmt.Sprintf("Test%d_%d", time.Now().UnixNano(), classes.Add(1))
}

func TestCollection(t *testing.T) {
	s := server(t)
	sourcetest.Run(t, func(*testing.T) index.Collection { return s.Collection(className()) })
}
