package encode

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"
)

// The adapter answers as it did before anything was rounded, nearly.
func TestAnswers(t *testing.T) {
	data, err := os.ReadFile("testdata/answers.json")
	if err != nil {
		t.Fatal(err)
	}
	var want []struct {
		Question string
		Texts    []string
		Odds     []float64
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	m := builtin(t)
	if !m.Decides(Answers) {
		t.Fatal("the encoder in the program does not read")
	}
	for _, w := range want {
		got, err := m.Answers(t.Context(), w.Question, w.Texts)
		if err != nil {
			t.Fatal(err)
		}
		for i, odds := range w.Odds {
			if off := math.Abs(odds - got[i]); off > .4 {
				t.Errorf("%q by %q: %.2f, want %.2f", w.Question, w.Texts[i], got[i], odds)
			}
		}
		alone, err := m.Answers(t.Context(), w.Question, w.Texts[:1])
		if err != nil || alone[0] != got[0] {
			t.Errorf("alone %v (%v), with others %v", alone, err, got)
		}
	}
}

// An adapter changes what pairs are told, and no vector.
func TestAdapterLeavesVectors(t *testing.T) {
	m := builtin(t)
	text := []string{"The gate is locked at nine."}
	before, _ := m.Embed(t.Context(), text)
	if _, err := m.Answers(t.Context(), "When is the gate locked?", text); err != nil {
		t.Fatal(err)
	}
	after, err := m.Embed(t.Context(), text)
	if err != nil || !slices.Equal(before[0], after[0]) {
		t.Errorf("the vector is another after pairs were read (%v)", err)
	}
}

func TestAdapterErrors(t *testing.T) {
	for name, data := range map[string][]byte{
		"nothing":    nil,
		"cut":        []byte(answers[:len(answers)/2]),
		"no adapter": []byte(weights[:4096]),
		"a size":     bytes.Replace([]byte(answers), []byte(`"width": 384`), []byte(`"width": 380`), 1),
		"a length":   append([]byte(adapterMagic), binary.LittleEndian.AppendUint32(nil, math.MaxUint32)...),
	} {
		if _, err := parseAdapter(data); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	other := *builtin(t)
	other.layers = slices.Clone(other.layers)
	other.layers[0].mix.scale = slices.Clone(other.layers[0].mix.scale)
	other.layers[0].mix.scale[0]++
	if _, err := other.Answers(t.Context(), "When?", []string{"At nine."}); err == nil || other.Decides(Answers) {
		t.Errorf("an adapter of another encoder is taken: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := builtin(t).Answers(ctx, "When?", []string{"At nine."}); err == nil {
		t.Error("a cancelled call has no error")
	}
}
