package metrics

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestBootstrap(t *testing.T) {
	if _, err := Bootstrap(nil); err == nil {
		t.Error("a mean of nothing")
	}
	one, err := Bootstrap([]float64{.25})
	if err != nil || one != (Interval{.25, .25, .25}) {
		t.Errorf("one value: %+v, %v", one, err)
	}
	// With hits and misses the interval is that of the binomial distribution:
	// 95 % of 400 fair draws lie within 1.96 standard errors of .5.
	values := make([]float64, 400)
	for i := range values {
		values[i] = float64(i % 2)
	}
	drawn := func(values []float64, seed uint64, resamples int) (Interval, error) {
		return bootstrapOf(len(values), Mean("", values).Of, seed, resamples)
	}
	got, err := drawn(values, Seed, 20000)
	if err != nil {
		t.Fatal(err)
	}
	half := 1.96 * .5 / math.Sqrt(400)
	if got.Value != .5 || math.Abs(got.Lo-(.5-half)) > .004 || math.Abs(got.Hi-(.5+half)) > .004 {
		t.Errorf("%+v, want .5 ± %.4f", got, half)
	}
	again, err := drawn(values, Seed, 20000)
	if err != nil || again != got {
		t.Errorf("again %+v, first %+v, %v", again, got, err)
	}
	skewed := []float64{0, 0, 0, 0, .1, .3, .35, 1}
	a, err := drawn(skewed, 1, 101)
	if err != nil {
		t.Fatal(err)
	}
	b, err := drawn(skewed, 2, 101)
	if err != nil || a == b {
		t.Errorf("the seed does nothing: %+v, %v", b, err)
	}
}

// The interval holds the true mean about as often as it says.
func TestBootstrapCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	held := 0
	const trials = 400
	for trial := range trials {
		values := make([]float64, 60)
		for i := range values {
			values[i] = random.Float64()
		}
		got, err := bootstrapOf(len(values), Mean("", values).Of, uint64(trial+1), 400)
		if err != nil {
			t.Fatal(err)
		}
		if got.Lo <= .5 && .5 <= got.Hi {
			held++
		}
	}
	if share := float64(held) / trials; share < .91 || share > .98 {
		t.Errorf("the interval held the mean in %.3f of the trials, want about .95", share)
	}
}

// exactP tries every way to flip the signs.
func exactP(diffs []float64) float64 {
	observed := 0.0
	for _, d := range diffs {
		observed += d
	}
	extreme := 0
	for mask := range 1 << len(diffs) {
		sum := 0.0
		for i, d := range diffs {
			if mask>>i&1 == 1 {
				d = -d
			}
			sum += d
		}
		if math.Abs(sum) >= math.Abs(observed)-1e-9 {
			extreme++
		}
	}
	return float64(extreme) / float64(int(1)<<len(diffs))
}

func TestPaired(t *testing.T) {
	for _, b := range [][]float64{
		{0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		{.9, .1, .5, .2, .8, .7, .3, .4, .1, .6},
		{.4, .2, .7, .1, .9, .3, .2, .8, .6, .5},
	} {
		a := []float64{.5, .3, .8, .2, .9, .1, .4, .7, .8, .6}
		diffs := make([]float64, len(a))
		for i := range a {
			diffs[i] = a[i] - b[i]
		}
		got, err := Paired(a, b)
		if err != nil {
			t.Fatal(err)
		}
		if want := exactP(diffs); math.Abs(got.P-want) > .015 {
			t.Errorf("p %.4f, by trying all flips %.4f", got.P, want)
		}
		if !near(got.Value, Average(diffs)) || got.Lo > got.Value || got.Hi < got.Value {
			t.Errorf("difference %+v, want %v", got, Average(diffs))
		}
		back, err := Paired(b, a)
		if err != nil || !near(back.Value, -got.Value) || back.P != got.P {
			t.Errorf("the other way round: %+v, %v", back, err)
		}
	}
	same, err := Paired([]float64{.3, .4}, []float64{.3, .4})
	if err != nil || same.P != 1 || same.Value != 0 {
		t.Errorf("alike: %+v, %v", same, err)
	}
	if _, err := Paired([]float64{1}, nil); err == nil {
		t.Error("lists of unequal length")
	}
	if _, err := Paired(nil, nil); err == nil {
		t.Error("empty lists")
	}
}
