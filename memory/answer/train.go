package answer

// A Candidate is a stretch that Rank chose among, with what it was judged by.
type Candidate struct {
	Quote
	Features []float64
}

// Candidates are all stretches of some sources that may answer, for whoever fits the weights.
func Candidates(q string, sources []Source) []Candidate {
	asks := parse(q)
	p := newPool(reader{asks.lang}, sources, otherForms(asks, sources))
	asks.weigh(p)
	rows := p.features(asks)
	var out []Candidate
	for i := range p.sentences {
		if !p.candidate(i, nil) {
			continue
		}
		quote := p.window(asks, i, windows[0], nil)
		for j, w := range weights {
			quote.Score += w * rows[i][j]
		}
		out = append(out, Candidate{quote, rows[i][:]})
	}
	return out
}

// Weights are those of the features, in their order.
func Weights() []float64 { return weights[:] }
