package claims

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"example.com/assay/llm"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// overconfident are n claims, of which four in five are as the judge says, with
// probabilities near 0 and 1.
func overconfident(n int) (*Dataset, []float64) {
	d := &Dataset{Format: FormatWice, Labels: []Label{Supported, Unsupported}}
	var p []float64
	for i := range n {
		said, gold := i%2 == 0, i%2 == 0
		if i%5 == 0 {
			gold = !said
		}
		item := Item{ID: fmt.Sprint(i), Group: fmt.Sprint(i), Gold: Unsupported}
		if gold {
			item.Gold = Supported
		}
		d.Items = append(d.Items, item)
		p = append(p, map[bool]float64{true: .999, false: .001}[said])
	}
	return d, p
}

func TestCalibrate(t *testing.T) {
	d, p := overconfident(200)
	fit, err := calibrate(d, p)
	if err != nil {
		t.Fatal(err)
	}
	if got := fit.Calibration.P(.999); math.Abs(got-.8) > .02 {
		t.Errorf("P(.999) = %.3f; four in five are right", got)
	}
	if fit.N != 200 || fit.ECE < .19 || fit.Calibrated > .03 {
		t.Errorf("%+v", fit)
	}
	p[0], p[1] = math.NaN(), math.NaN()
	if fit, err = calibrate(d, p); err != nil || fit.N != 198 {
		t.Errorf("%+v, %v", fit, err)
	}
	few, q := overconfident(10)
	if _, err := calibrate(few, q); err == nil || !strings.Contains(err.Error(), "asked about 10 claims") {
		t.Error(err)
	}
	if _, err := calibrate(d, q); err == nil {
		t.Error("probabilities of another dataset were taken")
	}
	for i := range p {
		p[i] = 1 - p[i]
	}
	if _, err := calibrate(d, p); err == nil || !strings.Contains(err.Error(), "do not rise with the truth") {
		t.Error(err)
	}
	for i := range d.Items {
		d.Items[i].Gold = Supported
	}
	if _, err := calibrate(d, p); err == nil || !strings.Contains(err.Error(), "alike") {
		t.Error(err)
	}
}

// What is heard is what the model said, also where code overrules it, and nothing
// where it is not asked or fails.
func TestHeard(t *testing.T) {
	h, err := newHeard(judging(func(claim string) (float64, error) {
		if claim == "Down." {
			return 0, fmt.Errorf("down")
		}
		return .93, nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	evidence := passage("p", "", "The permit lasts three years.")
	for _, claim := range []string{"The permit lasts five years.", "The permit lasts three years.", "Down.", "It is a permit."} {
		v, err := h.Judge(t.Context(), claim, []state.Evidence{evidence})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(claim, "five") && v.Status != "unsupported" {
			t.Errorf("%+v", v)
		}
	}
	got := h.Heard()
	if len(got) != 4 || got[0] != .93 || !math.IsNaN(got[1]) || !math.IsNaN(got[2]) || got[3] != .93 {
		t.Errorf("heard %v", got)
	}
}

type judging func(claim string) (float64, error)

func (j judging) Generate(_ context.Context, req llm.Request) (llm.Response, error) {
	var in skills.JudgeInput
	if err := json.Unmarshal(req.Vars, &in); err != nil {
		return llm.Response{}, err
	}
	p, err := j(in.Claim)
	return llm.Response{Text: fmt.Sprintf(`{"status":"supported","confidence":%v,"quotes":[{"source":1,"text":%q}],"against":[],"reason":""}`, p, in.Sources[0].Text)}, err
}
