package support

import (
	"fmt"
	"math"
)

// Buckets is how many places a table of IDF has.
const Buckets = 1 << 15

// idfScale is how many steps of the table one unit of IDF has.
const idfScale = 16

// An IDF is the inverse document frequency of stems, hashed: a byte per
// bucket, in sixteenths. Stems that share a bucket share a value.
type IDF []byte

// NewIDF counts in how many of the sentences each stem stands, and returns
// ln(1 + (N − df + ½) / (df + ½)), the IDF of BM25 (Robertson and Zaragoza,
// "The probabilistic relevance framework", 2009).
func NewIDF(sentences []string) IDF {
	df := make([]int, Buckets)
	l := newLexer()
	for _, s := range sentences {
		seen := map[uint32]bool{}
		for _, w := range l.words(s) {
			if b := bucket(w.stem); !seen[b] {
				seen[b] = true
				df[b]++
			}
		}
	}
	out := make(IDF, Buckets)
	n := float64(len(sentences))
	for b, d := range df {
		idf := math.Log(1 + (n-float64(d)+.5)/(float64(d)+.5))
		out[b] = byte(math.Round(min(idfScale*idf, 255)))
	}
	return out
}

func (t IDF) check() error {
	if len(t) != Buckets {
		return fmt.Errorf("the table of IDF has %d bytes: want %d; run the training command again", len(t), Buckets)
	}
	return nil
}

func (t IDF) of(stem string) float64 { return float64(t[bucket(stem)]) / idfScale }

// bucket is FNV-1a over the stem.
func bucket(stem string) uint32 {
	h := uint32(2166136261)
	for i := range len(stem) {
		h = (h ^ uint32(stem[i])) * 16777619
	}
	return (h ^ h>>15) % Buckets
}
