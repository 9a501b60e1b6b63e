package metrics

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestConfusion(t *testing.T) {
	var c Confusion
	for _, d := range []struct {
		gold, pred bool
		n          int
	}{{true, true, 6}, {true, false, 2}, {false, true, 3}, {false, false, 9}} {
		for range d.n {
			c.Count(d.gold, d.pred)
		}
	}
	for _, tt := range []struct {
		name      string
		got, want float64
	}{
		{"precision", c.Precision(), 6. / 9}, {"recall", c.Recall(), 6. / 8}, {"F1", c.F1(), 12. / 17},
		{"accuracy", c.Accuracy(), 15. / 20}, {"balanced accuracy", c.BalancedAccuracy(), (6./8 + 9./12) / 2},
		{"macro F1", c.MacroF1(), (12./17 + 18./23) / 2},
	} {
		if math.Abs(tt.got-tt.want) > 1e-12 {
			t.Errorf("%s is %v, want %v", tt.name, tt.got, tt.want)
		}
	}
	var none Confusion
	if none.Precision() != 0 || none.F1() != 0 || none.Accuracy() != 0 || none.BalancedAccuracy() != 0 || none.MacroF1() != 0 {
		t.Error("nothing counted is not 0")
	}
}

// AUC is the share of pairs in the right order, ties half.
func TestAUCOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		gold, scores := make([]bool, 30), make([]float64, 30)
		for i := range gold {
			gold[i], scores[i] = random.IntN(3) == 0, float64(random.IntN(8))
		}
		right, pairs := 0.0, 0.0
		for i := range gold {
			for j := range gold {
				if gold[i] && !gold[j] {
					pairs++
					switch {
					case scores[i] > scores[j]:
						right++
					case scores[i] == scores[j]:
						right += .5
					}
				}
			}
		}
		want := .5
		if pairs > 0 {
			want = right / pairs
		}
		if got := AUC(gold, scores); math.Abs(got-want) > 1e-12 {
			t.Fatalf("%v, want %v: %v %v", got, want, gold, scores)
		}
	}
	if AUC(nil, nil) != .5 || AUC([]bool{true}, []float64{1}) != .5 {
		t.Error("without both classes it is not one half")
	}
}

func TestECE(t *testing.T) {
	// Ten claims of .9, of which six are right, and two of .2, of which none is.
	var gold []bool
	var p []float64
	for i := range 10 {
		gold, p = append(gold, i < 6), append(p, .9)
	}
	gold, p = append(gold, false, false), append(p, .2, .2)
	if got, want := ECE(gold, p), (10*.3+2*.2)/12; math.Abs(got-want) > 1e-9 {
		t.Errorf("%v, want %v", got, want)
	}
	bins := Reliability(gold, p, 10)
	if b := bins[9]; b.N != 10 || math.Abs(b.Expected-.9) > 1e-9 || b.Observed != .6 {
		t.Errorf("%+v", b)
	}
	if b := bins[0]; b.N != 0 || b.Expected != 0 || b.Observed != 0 {
		t.Errorf("%+v", b)
	}
	out := Reliability([]bool{true, false}, []float64{1.5, -3}, 4)
	if out[3].N != 1 || out[0].N != 1 || ECE(nil, nil) != 0 || len(Reliability(nil, nil, 0)) != 1 {
		t.Errorf("%+v", out)
	}
}

// Of a mean it is the bootstrap of means.
func TestBootstrapOf(t *testing.T) {
	values := []float64{1, 2, 4, 8, 16, 3, 5}
	of := func(items []int) float64 {
		sum := 0.0
		for _, i := range items {
			sum += values[i]
		}
		return sum / float64(len(items))
	}
	got, err := bootstrapOf(len(values), of, Seed, Resamples)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Bootstrap(values)
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if _, err := bootstrapOf(0, of, Seed, Resamples); err == nil {
		t.Error("no items, no error")
	}
	if _, err := bootstrapOf(1, func([]int) float64 { return math.NaN() }, Seed, Resamples); err == nil {
		t.Error("not a number, no error")
	}
}
