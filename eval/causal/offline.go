package causal

import (
	"fmt"
	"slices"
	"strings"

	reading "example.com/assay/decide/causal"
)

// An Offline judges as the offline model reads sentences and pairs, with the
// weights that the program ships.
type Offline struct {
	format  string
	weights *reading.Weights
}

// NewOffline returns the offline judge for items of a format.
func NewOffline(format string) (*Offline, error) {
	switch format {
	case FormatPubMed, FormatCNC, FormatPairs:
	default:
		return nil, fmt.Errorf("there is no format %q; known: %s", format, strings.Join(formats(), ", "))
	}
	w, err := reading.Shipped()
	if err != nil {
		return nil, err
	}
	return &Offline{format, w}, nil
}

// Saw reports whether the shipped weights were trained on the labels of a dataset, or of a
// part of it.
func (o *Offline) Saw(d *Dataset) bool {
	return slices.ContainsFunc(o.weights.Trained, func(data reading.Data) bool { return data.SHA256 == d.Hash })
}

// Probabilities of a causal relation for each result of the rules, which give none: the rounded
// share of causal sentences among those with that result.
const (
	pDirect      = .75
	pCorrelation = .1
	pNone        = .15
)

// Judge judges an item.
func (o *Offline) Judge(item Item) Judgement {
	s := reading.Read(item.Text)
	switch o.format {
	case FormatPairs:
		p := o.weights.PairP(s, item.Cause, item.Effect)
		return Judgement{truth(p >= o.weights.Pair.Threshold), p}
	case FormatCNC:
		p := o.weights.NewsP(s)
		return Judgement{truth(p >= o.weights.News.Threshold), p}
	}
	switch s.Kind() {
	case reading.Direct:
		return Judgement{Direct, pDirect}
	case reading.Correlation:
		return Judgement{Correlation, pCorrelation}
	}
	return Judgement{None, pNone}
}
