package index

import (
	"fmt"
	"math"
)

// Defaults of BM25.
const (
	DefaultK1 = 1.2
	DefaultB  = .7
)

// BM25 are the parameters of the ranking function for passages and documents
// (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and
// Beyond", 2009), idf being ln(1 + (N − df + ½) / (df + ½)). They belong to a
// generation. The zero value means the defaults.
type BM25 struct {
	K1 float64 `json:"k1"` // above 0 and up to 10: how soon more of a word stops counting; 0 means DefaultK1 and DefaultB
	B  float64 `json:"b"`  // 0 to 1: how much a long passage is held against it
}

// Resolved returns the parameters with the defaults filled in.
func (p BM25) Resolved() BM25 {
	if p.K1 == 0 {
		return BM25{DefaultK1, DefaultB}
	}
	return p
}

// Check refuses parameters that rank nothing.
func (p BM25) Check() error {
	if r := p.Resolved(); !(r.K1 > 0 && r.K1 <= 10 && r.B >= 0 && r.B <= 1) {
		return fmt.Errorf("BM25's k1 is %v and b %v: k1 must be above 0 and up to 10, b from 0 to 1", p.K1, p.B)
	}
	return nil
}

// A Calibration turns what a search found into a confidence by a logistic curve,
// 1/(1+exp(-(PerSimilarity·similarity + PerStrength·strength + Offset))). Both factors
// are positive: more evidence never lowers a confidence.
type Calibration struct {
	PerSimilarity float64 `json:"per_similarity"`
	PerStrength   float64 `json:"per_strength"`
	Offset        float64 `json:"offset"`
}

// The curves of new generations were set on public collections and on manuals, and are the
// same for every corpus. Half way is where similarity is .52 and strength .71 by words alone; with
// the cosine of an embedder in the similarity, a little less is enough.
var (
	byWords   = Calibration{PerSimilarity: 9, PerStrength: 15, Offset: -15.33}
	byMeaning = Calibration{PerSimilarity: 7.5, PerStrength: 11, Offset: -11.21}
)

func (c Calibration) confidence(similarity, strength float64) float64 {
	if similarity <= 0 {
		return 0
	}
	return 1 / (1 + math.Exp(-(c.PerSimilarity*similarity + c.PerStrength*strength + c.Offset)))
}
