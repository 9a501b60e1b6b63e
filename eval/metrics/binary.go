package metrics

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// A Confusion counts the results of a yes-or-no decision.
type Confusion struct {
	TruePositive, FalsePositive, TrueNegative, FalseNegative int
}

// Count adds a decision.
func (c *Confusion) Count(gold, pred bool) {
	switch {
	case gold && pred:
		c.TruePositive++
	case gold:
		c.FalseNegative++
	case pred:
		c.FalsePositive++
	default:
		c.TrueNegative++
	}
}

// Precision is the share of the predicted yes that is right, 0 without any.
func (c Confusion) Precision() float64 {
	return Rate(c.TruePositive, c.TruePositive+c.FalsePositive)
}

// Recall is the share of the actual yes that is found, 0 without any.
func (c Confusion) Recall() float64 { return Rate(c.TruePositive, c.TruePositive+c.FalseNegative) }

// F1 is the harmonic mean of precision and recall, 0 if both are 0.
func (c Confusion) F1() float64 {
	return Rate(2*c.TruePositive, 2*c.TruePositive+c.FalsePositive+c.FalseNegative)
}

// Accuracy is the share of right decisions.
func (c Confusion) Accuracy() float64 {
	return Rate(c.TruePositive+c.TrueNegative, c.TruePositive+c.TrueNegative+c.FalsePositive+c.FalseNegative)
}

// BalancedAccuracy is the mean of the recalls of both classes; a class that does not occur counts
// as 0.
func (c Confusion) BalancedAccuracy() float64 {
	return (c.Recall() + Rate(c.TrueNegative, c.TrueNegative+c.FalsePositive)) / 2
}

// MacroF1 is the mean of F1 of yes and F1 of no.
func (c Confusion) MacroF1() float64 {
	no := Rate(2*c.TrueNegative, 2*c.TrueNegative+c.FalseNegative+c.FalsePositive)
	return (c.F1() + no) / 2
}

// Rate returns part/whole, or 0 if whole is 0.
func Rate(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// One is 1 for yes and 0 for no.
func One(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// AUC is the area under the ROC curve: the probability that a random yes scores higher than a
// random no, ties counting half (Hanley and McNeil, "The meaning and use of the area under a
// receiver operating characteristic curve", 1982). If one class is missing it is ½. Gold and scores
// have equal length.
func AUC(gold []bool, scores []float64) float64 {
	by := make([]int, len(gold))
	for i := range by {
		by[i] = i
	}
	slices.SortFunc(by, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	var wins, below, yes float64 // of the noes so far
	for first := 0; first < len(by); {
		last := first
		var tiedYes, tiedNo float64
		for ; last < len(by) && scores[by[last]] == scores[by[first]]; last++ {
			if gold[by[last]] {
				tiedYes++
			} else {
				tiedNo++
			}
		}
		wins += tiedYes * (below + tiedNo/2)
		below += tiedNo
		yes += tiedYes
		first = last
	}
	if yes == 0 || below == 0 {
		return .5
	}
	return wins / (yes * below)
}

// A Bin is a range of probabilities with the expected and the observed share.
type Bin struct {
	Lo, Hi   float64 // the last bin includes its upper end
	N        int
	Expected float64 // mean probability; 0 when N is
	Observed float64 // share of yeses; 0 when N is
}

// Reliability sorts probabilities into bins of equal width. Those below 0
// count in the first, those above 1 in the last.
func Reliability(gold []bool, probabilities []float64, bins int) []Bin {
	out := make([]Bin, max(bins, 1))
	width := 1 / float64(len(out))
	for i := range out {
		out[i].Lo, out[i].Hi = float64(i)*width, float64(i+1)*width
	}
	for i, p := range probabilities {
		b := &out[min(max(int(p/width), 0), len(out)-1)]
		b.N++
		b.Expected += p
		if gold[i] {
			b.Observed++
		}
	}
	for i := range out {
		if n := float64(out[i].N); n > 0 {
			out[i].Expected /= n
			out[i].Observed /= n
		}
	}
	return out
}

// CalibrationBins is the number of bins of ECE.
const CalibrationBins = 10

// ECE is the expected calibration error: the mean distance of expected and
// observed over ten bins of equal width, by their size (Guo et al., "On
// calibration of modern neural networks", ICML 2017). Without items it is 0.
func ECE(gold []bool, probabilities []float64) float64 {
	sum := 0.0
	for _, b := range Reliability(gold, probabilities, CalibrationBins) {
		sum += float64(b.N) * math.Abs(b.Expected-b.Observed)
	}
	if len(gold) == 0 {
		return 0
	}
	return sum / float64(len(gold))
}

// bootstrapOf returns a statistic of n items with its percentile interval, as [Bootstrap] does for
// means: items are drawn with replacement, and of gets the indices of those drawn, which it must
// not retain. Equal n and seeds give the same draws. An n below 1 is an error.
func bootstrapOf(n int, of func(items []int) float64, seed uint64, resamples int) (Interval, error) {
	if n < 1 {
		return Interval{}, errors.New("taking an interval: there are no items; measure at least one")
	}
	items := make([]int, n)
	for i := range items {
		items[i] = i
	}
	out := Interval{Value: of(items)}
	if math.IsNaN(out.Value) {
		return Interval{}, fmt.Errorf("taking an interval: the statistic of %d items is not a number", n)
	}
	random := rand.New(rand.NewPCG(seed, 1))
	values := make([]float64, resamples)
	for i := range values {
		for j := range items {
			items[j] = random.IntN(n)
		}
		values[i] = of(items)
	}
	slices.Sort(values)
	at := func(share float64) int { return min(max(int(share*float64(len(values))), 0), len(values)-1) }
	out.Lo, out.Hi = values[at(.025)], values[len(values)-1-at(.025)]
	return out, nil
}
