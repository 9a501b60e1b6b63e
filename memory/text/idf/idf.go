// Package idf has the inverse document frequencies of English stems, approximated by a table of 32
// kB. It does not store words: stems in the same bucket have the same value.
//
//	idf.Default().Of(text.Stem("photosynthesis"))
package idf

import (
	_ "embed"
	"fmt"
	"math"
)

// buckets is the size of a table.
const buckets = 1 << 15

// scale is the number of table steps per unit of IDF.
const scale = 16

// A Table is the inverse document frequency of stems, hashed: a byte per
// bucket, in sixteenths.
type Table []byte

// New counts the sentences with each stem and returns the IDF of BM25, ln(1 + (N − df + ½) / (df +
// ½)) (Robertson and Zaragoza, "The probabilistic relevance framework", 2009). A sentence is a list
// of stems.
func New(sentences [][]string) Table {
	df := make([]int, buckets)
	for _, stems := range sentences {
		seen := map[uint32]bool{}
		for _, stem := range stems {
			if b := bucket(stem); !seen[b] {
				seen[b] = true
				df[b]++
			}
		}
	}
	out := make(Table, buckets)
	n := float64(len(sentences))
	for b, d := range df {
		v := math.Log(1 + (n-float64(d)+.5)/(float64(d)+.5))
		out[b] = byte(math.Round(min(scale*v, 255)))
	}
	return out
}

//go:embed idf.bin
var shipped []byte

// Default returns the built-in table. The training command of decide/claim makes it.
func Default() Table { return Table(shipped) }

// Check refuses a table of another size.
func (t Table) Check() error {
	if len(t) != buckets {
		return fmt.Errorf("the table of IDF has %d bytes: want %d; run the training command again", len(t), buckets)
	}
	return nil
}

// Of returns the IDF of a stem.
func (t Table) Of(stem string) float64 { return float64(t[bucket(stem)]) / scale }

// bucket is FNV-1a over the stem.
func bucket(stem string) uint32 {
	h := uint32(2166136261)
	for i := range len(stem) {
		h = (h ^ uint32(stem[i])) * 16777619
	}
	return (h ^ h>>15) % buckets
}
