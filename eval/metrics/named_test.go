package metrics

import (
	"strings"
	"testing"
)

func TestMeasure(t *testing.T) {
	gold, pred, scores := []bool{true, true, false, false}, []bool{true, false, true, false}, []float64{.9, .4, .6, .1}
	got, err := Measure(4,
		Decided("recall", Confusion.Recall, gold, pred), Scored("AUC", AUC, gold, scores), Mean("mean", []float64{1, 0, 1, 1}))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Metric{{"recall", Interval{Value: .5}}, {"AUC", Interval{Value: .75}}, {"mean", Interval{Value: .75}}} {
		if got[i].Name != want.Name || !near(got[i].Value, want.Value) || got[i].Lo > got[i].Value || got[i].Hi < got[i].Value {
			t.Errorf("%+v, want %s %v in its interval", got[i], want.Name, want.Value)
		}
	}
	if _, err := Measure(0, Statistic{Name: "F1"}); err == nil || !strings.Contains(err.Error(), "evaluating F1") {
		t.Errorf("no items: %v", err)
	}
}
