package causal

import (
	"reflect"
	"strings"
	"testing"
)

func TestKind(t *testing.T) {
	for _, c := range []struct {
		sentence string
		want     Kind
	}{
		{"Hand washing prevents diarrhoea.", Direct},
		{"Hand washing may prevent diarrhoea in schools.", Direct},
		{"Diarrhoea was linked to dirty wells.", Correlation},
		{"Fever was more frequent in the north than in the south.", Correlation},
		{"Smoking was associated with an increased risk of stroke.", Correlation},
		{"Further trials are needed of the effect of tea on sleep.", None},
		{"We visited forty villages in spring.", None},
		{"", None},
	} {
		if got := Read(c.sentence).Kind(); got != c.want {
			t.Errorf("%q is of kind %d, want %d", c.sentence, got, c.want)
		}
	}
}

func TestLexicon(t *testing.T) {
	l := newLexicon(map[class]string{strong: "lead to, caus*, no + effect"})
	for sentence, want := range map[string][]found{
		"They lead to it":             {{strong, 1, 3}},
		"Causes and causing":          {{strong, 0, 1}, {strong, 2, 3}},
		"no clear effect":             {{strong, 0, 3}},
		"no very clear effect":        {{strong, 0, 4}},
		"no very clear direct effect": nil,
		"no effect":                   nil,
		"lead":                        nil,
		"no, effect":                  nil,
	} {
		if got := l.in(tokens(sentence)); !reflect.DeepEqual(got, want) {
			t.Errorf("in %q: %v, want %v", sentence, got, want)
		}
	}
}

// Turned round, a pair has other features, but for those that are of neither
// order.
func TestPairFeaturesKnowTheOrder(t *testing.T) {
	s := Read("Heavy rain caused the floods of May.")
	a, b, ok := Locate(s, "rain", "floods")
	if !ok {
		t.Fatal("not located")
	}
	right, turned := PairFeatures(s, a, b, Dimensions), PairFeatures(s, b, a, Dimensions)
	shared := map[uint32]bool{}
	for _, i := range right.Index {
		shared[i] = true
	}
	n := 0
	for _, i := range turned.Index {
		if shared[i] {
			n++
		}
	}
	if n > len(right.Index)/4 {
		t.Errorf("%d of %d features are the same both ways round", n, len(right.Index))
	}
	if _, _, ok := Locate(s, "rain", "rain"); ok {
		t.Error("one place was taken for two")
	}
}

func TestWeightsAreChecked(t *testing.T) {
	for _, data := range []string{"{}", "[", `{"pair": {"weights": "AAAA"}}`} {
		if _, err := ReadWeights([]byte(data)); err == nil {
			t.Errorf("%s was read", data)
		}
	}
}

func TestWeightsAreSmall(t *testing.T) {
	w := make([]float64, Dimensions)
	w[3], w[5] = 1.27, -.635
	m := NewLinear("x", w, .1, .5)
	if int8(m.Weights[3]) != 127 || int8(m.Weights[5]) != -64 {
		t.Errorf("weights %d and %d", int8(m.Weights[3]), int8(m.Weights[5]))
	}
	if p := m.P(Vector{[]uint32{3}, []float32{1}}); p < .79 || p > .80 {
		t.Errorf("the probability is %v", p)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("Heavy smoking causes lung cancer.", "smoking", "lung cancer")
	f.Add("No effect of x-rays (0.5 %) on “skin”; was it due to dust?", "x-rays", "skin of mice")
	f.Add("\xff a by ed by", "a", "by")
	f.Fuzz(func(t *testing.T, sentence, cause, effect string) {
		w, err := Shipped()
		if err != nil {
			t.Fatal(err)
		}
		s := Read(sentence)
		for _, tok := range s.Tokens {
			if tok.Start >= tok.End || tok.End > len(sentence) {
				t.Fatalf("token %+v of %d bytes", tok, len(sentence))
			}
		}
		a, okA := s.Between(NewVariable(cause), NewVariable(effect), &w.Pair)
		b, okB := Read(sentence).Between(NewVariable(cause), NewVariable(effect), &w.Pair)
		if okA != okB || a != b {
			t.Fatalf("two readings: %+v, %+v", a, b)
		}
		if okA && (a.From >= a.To || a.To > len(sentence) || !(a.Learned >= 0 && a.Learned <= 1)) {
			t.Fatalf("relation %+v", a)
		}
		SentenceFeatures(s, Dimensions)
		if from, to, _, ok := Draft(sentence); ok && (strings.TrimSpace(from) == "" || strings.TrimSpace(to) == "") {
			t.Fatalf("drafted %q → %q", from, to)
		}
	})
}
