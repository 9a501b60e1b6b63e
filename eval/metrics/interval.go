package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// How intervals and differences are drawn.
const (
	Seed      = 20240607
	Resamples = 2000  // of the bootstrap
	Flips     = 10000 // of the randomisation test
)

// An Interval is a mean with its 95 % confidence interval.
type Interval struct {
	Value float64 `json:"value"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
}

// Bootstrap returns the mean of one value per query with the percentile interval of its resampled
// means (Efron and Tibshirani, "An introduction to the bootstrap", 1993, chapter 13): queries are
// drawn with replacement, and the interval contains the middle 95 % of the means. Lists of equal
// length use the same draws. Without values it returns an error.
func Bootstrap(values []float64) (Interval, error) {
	return bootstrapOf(len(values), Mean("", values).Of, Seed, Resamples)
}

// A Difference is the mean of paired differences with its 95 % interval and
// the probability of one at least as large, either way, if the two systems
// were alike.
type Difference struct {
	Interval
	P float64 `json:"p"`
}

// Paired compares two systems by their values on the same queries, in the
// same order: a − b. P is of the paired randomisation test (Fisher; Smucker,
// Allan and Carterette, "A comparison of statistical significance tests for
// information retrieval evaluation", CIKM 2007): the sign of each difference
// is flipped by chance, and P is the share of the flips, the observed one
// among them, whose mean is as far from 0. The errors are lists of unequal
// length and empty ones.
func Paired(a, b []float64) (Difference, error) {
	if len(a) != len(b) {
		return Difference{}, fmt.Errorf("comparing: %d values and %d; give one of each per query", len(a), len(b))
	}
	diffs := make([]float64, len(a))
	for i := range a {
		diffs[i] = a[i] - b[i]
	}
	interval, err := Bootstrap(diffs)
	if err != nil {
		return Difference{}, fmt.Errorf("comparing: %w", err)
	}
	return Difference{Interval: interval, P: randomisation(diffs)}, nil
}

func randomisation(diffs []float64) float64 {
	observed, scale := 0.0, 0.0
	for _, d := range diffs {
		observed += d
		scale += math.Abs(d)
	}
	// Flips that only round differently are as far from 0 as the observed sum.
	limit := math.Abs(observed) - 1e-9*scale
	random := rand.New(rand.NewPCG(Seed, 2))
	extreme := 1
	for range Flips {
		sum, bits := 0.0, uint64(0)
		for i, d := range diffs {
			if i%64 == 0 {
				bits = random.Uint64()
			}
			if bits&1 == 0 {
				d = -d
			}
			bits >>= 1
			sum += d
		}
		if math.Abs(sum) >= limit {
			extreme++
		}
	}
	return float64(extreme) / float64(Flips+1)
}

// Average returns the mean of values, which must not be empty.
func Average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// Percentile returns the smallest of the times that at least a share of them (0 to 1) does not
// exceed, or 0 without times. It does not change its argument.
func Percentile(times []time.Duration, share float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	at := int(math.Ceil(share*float64(len(sorted)))) - 1
	return sorted[min(max(at, 0), len(sorted)-1)]
}
