package eval_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/assay/eval"
)

// results are of n cases, of which those in fails fail, with a metric.
func results(t *testing.T, n int, deterministic bool, score float64, fails ...int) eval.Results {
	t.Helper()
	var items []eval.Item
	for i := range n {
		item := eval.Item{ID: fmt.Sprintf("c%02d", i), CaseHash: "h", Corpus: "k", Pass: true, Metrics: map[string]float64{eval.MetricFieldF1: score}, Usage: eval.SpentOf(stateUsage(i))}
		for _, f := range fails {
			if f == i {
				item.Pass, item.Misses = false, []string{"the choice is wrong"}
			}
		}
		items = append(items, item)
	}
	r, err := eval.Summarise(items, eval.Made{Deterministic: deterministic})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCompare(t *testing.T) {
	for _, test := range []struct {
		name        string
		was, is     eval.Results
		changed     int
		regressions []string
	}{
		{"nothing", results(t, 8, true, .5), results(t, 8, true, .5), 0, nil},
		{"one case, where runs are the same each time", results(t, 8, true, .5), results(t, 8, true, .5, 3), 1, []string{"pass_rate got worse in c03"}},
		{"a metric gets better", results(t, 8, true, .5), results(t, 8, true, .6), 8, nil},
		{"a case gets better and another worse", results(t, 8, true, .5, 1), results(t, 8, true, .5, 2), 2, []string{"pass_rate got worse in c02"}},
		{"one case of a model, which may be chance", results(t, 8, false, .5), results(t, 8, false, .5, 3), 1, nil},
		{"most cases of a model", results(t, 12, false, .5), results(t, 12, false, .5, 0, 1, 2, 3, 4, 5, 6, 7), 8, []string{"pass_rate went from 1 to 0.3333 (p 0.0"}},
		{"a replay against a model", results(t, 8, true, .5), results(t, 8, false, .5, 3), 1, nil},
	} {
		c, err := eval.Compare(test.was, test.is)
		if err != nil || len(c.Cases) != test.changed || len(c.Regressions) != len(test.regressions) {
			t.Errorf("%s: %v, changed %+v, regressions %q", test.name, err, c.Cases, c.Regressions)
			continue
		}
		for i, want := range test.regressions {
			if !strings.HasPrefix(c.Regressions[i], want) {
				t.Errorf("%s: %q, want %q", test.name, c.Regressions[i], want)
			}
		}
	}
	c, err := eval.Compare(results(t, 8, true, .5), results(t, 8, true, .25, 3))
	if err != nil || len(c.Cases) != 8 || c.Cases[3].Misses[0] != "the choice is wrong" || c.Cases[3].Metrics[eval.MetricFieldF1] != -.25 || c.Cases[0].Misses != nil {
		t.Errorf("%+v, %v", c.Cases, err)
	}
	for _, m := range c.Metrics {
		if m.Name == eval.MetricFieldF1 && (m.Was != .5 || m.Is != .25 || m.Difference != -.25 || m.N != 8 || m.P > .05) {
			t.Errorf("%+v", m)
		}
	}
}

// More hallucination is worse, though the number is larger; more calls are neither.
func TestCompareKnowsWhatIsWorse(t *testing.T) {
	was, is := results(t, 6, true, .5), results(t, 6, true, .5)
	for i := range is.Items {
		is.Items[i].Usage.Calls += 3
		was.Items[i].Metrics = map[string]float64{eval.MetricHallucination: .1}
		is.Items[i].Metrics = map[string]float64{eval.MetricHallucination: .2}
	}
	c, err := eval.Compare(was, is)
	if err != nil || len(c.Regressions) != 1 || !strings.HasPrefix(c.Regressions[0], eval.MetricHallucination+" got worse in c00, c01") {
		t.Errorf("%q, %v", c.Regressions, err)
	}
	if c, err := eval.Compare(is, was); err != nil || len(c.Regressions) > 0 {
		t.Errorf("less of it: %q, %v", c.Regressions, err)
	}
}

// Results of other cases or corpora are refused, with each difference.
func TestCompareRefuses(t *testing.T) {
	was, is := results(t, 4, true, .5), results(t, 5, true, .5)
	is.Items = is.Items[1:]
	is.Items[0].CaseHash, is.Items[1].Corpus = "other", "other"
	_, err := eval.Compare(was, is)
	mismatch, ok := errors.AsType[*eval.MismatchError](err)
	if !ok {
		t.Fatal(err)
	}
	want := "case c00 is not there any more; case c01 is not the same case; the corpus of case c02 is not the same; case c04 is new"
	if got := strings.Join(mismatch.Reasons, "; "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
