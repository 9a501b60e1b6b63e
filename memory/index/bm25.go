package index

import "fmt"

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
