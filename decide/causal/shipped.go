package causal

import (
	_ "embed"
	"sync"
)

//go:embed weights.json
var weightsFile []byte

var shipped = sync.OnceValues(func() (*Weights, error) { return ReadWeights(weightsFile) })

// Shipped returns the weights that the program ships. The error is that they are
// not of this program's features, which its tests rule out.
func Shipped() (*Weights, error) { return shipped() }

// PairP is the probability that a sentence holds one phrase to cause the other; 0
// when it does not hold both, word for word and apart from each other.
func (w *Weights) PairP(s *Sentence, cause, effect string) float64 {
	c, e, ok := Locate(s, cause, effect)
	if !ok {
		return 0
	}
	return w.Pair.P(PairFeatures(s, c, e, Dimensions))
}

// NewsP is the probability that a sentence of news speaks of a cause.
func (w *Weights) NewsP(s *Sentence) float64 {
	joints := make([]float64, len(s.Tokens))
	for i := range joints {
		joints[i] = w.Joint.P(JointFeatures(s, i, Dimensions))
	}
	return NewsP(w.News.P(SentenceFeatures(s, Dimensions)), joints)
}
