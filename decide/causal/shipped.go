package causal

import (
	_ "embed"
	"sync"
)

//go:embed weights.json
var weightsFile []byte

var shipped = sync.OnceValues(func() (*Weights, error) { return ReadWeights(weightsFile) })

// Shipped returns the program's weights. The error says that they do not fit the program's
// features; tests exclude that.
func Shipped() (*Weights, error) { return shipped() }

// PairP is the probability that a sentence presents one phrase as the cause of the other. It is 0
// unless the sentence contains both, word for word and without overlap.
func (w *Weights) PairP(s *Sentence, cause, effect string) float64 {
	c, e, ok := Locate(s, cause, effect)
	if !ok {
		return 0
	}
	return w.Pair.P(PairFeatures(s, c, e, Dimensions))
}

// NewsP is the probability that a news sentence states a cause.
func (w *Weights) NewsP(s *Sentence) float64 {
	joints := make([]float64, len(s.Tokens))
	for i := range joints {
		joints[i] = w.Joint.P(JointFeatures(s, i, Dimensions))
	}
	return NewsP(w.News.P(SentenceFeatures(s, Dimensions)), joints)
}
