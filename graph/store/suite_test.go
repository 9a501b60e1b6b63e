package store_test

import (
	"testing"

	"example.com/assay/graph/store/internal/backends"
	"example.com/assay/graph/store/storetest"
)

func TestStores(t *testing.T) {
	for _, b := range backends.All() {
		t.Run(b.Name, func(t *testing.T) { storetest.Run(t, b.Place) })
	}
}
