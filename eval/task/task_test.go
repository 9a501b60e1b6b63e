package task

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/assay/eval/metrics"
)

func TestFirst(t *testing.T) {
	items := []int{1, 2, 3}
	for n, want := range map[int]int{0: 3, 2: 2, 3: 3, 9: 3} {
		if got := First(items, n); len(got) != want || got[0] != 1 {
			t.Errorf("the first %d are %v", n, got)
		}
	}
	if got := append(First(items, 1), 9); got[1] != 9 || items[1] != 2 {
		t.Errorf("appending to the first ones changed the rest: %v", items)
	}
}

// The error of an item names it and ends the measurement; so does cancellation.
func TestTimed(t *testing.T) {
	var done []int
	progress := Progress(func(phase string, n, total int) {
		if phase != "judging" || total != 3 {
			t.Errorf("%s of %d", phase, total)
		}
		done = append(done, n)
	})
	name := func(i int) string { return "item " + string(rune('a'+i)) }
	score, err := progress.Timed(t.Context(), "judging", 3, name, func(int) error { return nil })
	if err != nil || !slices.Equal(done, []int{1, 2, 3}) || score.P50 > score.P95 {
		t.Errorf("%+v, %v, %v", score, done, err)
	}
	failed := errors.New("no more")
	_, err = progress.Timed(t.Context(), "judging", 3, name, func(i int) error {
		if i == 1 {
			return failed
		}
		return nil
	})
	if !errors.Is(err, failed) || err.Error() != "evaluating item b: no more" {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Progress(nil).Timed(ctx, "judging", 1, name, func(int) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := score.Measure(2, metrics.Mean("a", []float64{0, 1}), metrics.Mean("b", []float64{1, 1})); err != nil || len(score.Metrics) != 2 || score.Metrics[1].Value != 1 {
		t.Errorf("%+v, %v", score.Metrics, err)
	}
}

// At most the allowed number of calls runs at the same time, and all calls are made. After an
// error no further call begins.
func TestTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most, made atomic.Int32
		do := func(_ context.Context, i int) error {
			most.Store(max(most.Load(), now.Add(1)))
			time.Sleep(time.Second)
			now.Add(-1)
			made.Add(1)
			return nil
		}
		if err := Together(t.Context(), 7, 3, do); err != nil || made.Load() != 7 || most.Load() != 3 {
			t.Errorf("%d made, %d at once, %v", made.Load(), most.Load(), err)
		}
		failed, gone := errors.New("no more"), errors.New("gone")
		made.Store(0)
		err := Together(t.Context(), 100, 2, func(ctx context.Context, i int) error {
			if i == 3 {
				return failed
			}
			return do(ctx, i)
		})
		if !errors.Is(err, failed) || made.Load() > 5 || now.Load() != 0 {
			t.Errorf("%v after %d, %d still at work", err, made.Load(), now.Load())
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(gone)
		if err := Together(ctx, 100, 2, do); !errors.Is(err, gone) {
			t.Error(err)
		}
		if err := Together(t.Context(), 0, 2, do); err != nil {
			t.Error(err)
		}
	})
}

// toy has every kind of option.
type toy struct {
	format, data, way string
	limit, k          int
	swap              bool
}

func (f *toy) register() *Options {
	o := NewOptions("toy")
	o.Format(&f.format, "file", []string{"beads", "shells"})
	o.Need(&f.data, "data", "`FILE`")
	o.OneOf(&f.way, "way", "", "`WAY`", "short", "long")
	o.BoolVar(&f.swap, "swap", false, "exchange")
	o.Limit(&f.limit, "count", "bead", "beads")
	o.Within(&f.k, "k", 10, 1, 100, "`PLACES`")
	o.Refuse(func(given func(string) bool) error {
		if f.swap && given("way") {
			return Usagef("--swap has no way")
		}
		return nil
	})
	return o
}

func TestOptions(t *testing.T) {
	for args, want := range map[string]string{
		"":                                          "--format is missing; see: agent help eval toy",
		"--format beds":                             "--data is missing; see: agent help eval toy",
		"--format beds --data x":                    `--format is "beds"; did you mean "beads"?; known: beads, shells`,
		"--format beads --data x --way lng":         `--way is "lng"; did you mean "long"?; known: short, long`,
		"--format beads --data x --limit 0":         "--limit is 0: it must be at least 1; leave it out to count every bead",
		"--format beads --data x --limit -1":        "--limit is -1",
		"--format beads --data x --k 0":             "--k is 0: it must be from 1 to 100",
		"--format beads --data x --swap":            "",
		"--format shells --data x --limit 3":        "",
		"--swap --way long --format beads --data x": "--swap has no way",
	} {
		err := new(toy).register().Parse(strings.Fields(args))
		_, usage := errors.AsType[*UsageError](err)
		if want == "" && err != nil || want != "" && (!usage || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
	f := new(toy)
	if err := f.register().Parse(strings.Fields("--format beads --data x --way long --k 3")); err != nil || f.data != "x" || f.way != "long" || f.k != 3 || f.limit != 0 {
		t.Errorf("%+v, %v", f, err)
	}
	for _, args := range []string{"--format beads --data x more", "--nosuch"} {
		if err := new(toy).register().Parse(strings.Fields(args)); err == nil {
			t.Errorf("%s was accepted", args)
		}
	}
}

// Keys keep their order, and texts keep <, > and &.
func TestReport(t *testing.T) {
	s := Score{Metrics: []metrics.Metric{{Name: "F1", Interval: metrics.Interval{Value: 1. / 3, Lo: .1, Hi: .5}}}, P50: 1500000, P95: 2000000}
	r := NewReport("toy", 2, s.Metrics)
	r.Put("data", "a<b>&c")
	r.PutScore(&s)
	r.Put("items", []Item{{ID: "1", Gold: "true", Pred: "false", Score: .5}})
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		t.Fatal(err)
	}
	want := `{"schema":1,"task":"toy","data":"a<b>&c","metrics":{"F1":{"value":0.333333,"lo":0.1,"hi":0.5}},"latency_ms":{"p50":1.5,"p95":2},"resampling":{"seed":20240607,"resamples":2000},"items":[{"id":"1","gold":"true","pred":"false","score":0.5}]}` + "\n"
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
	r.Linef("toys: n %d", r.N)
	r.Table(Names, s.Metrics)
	r.Close(&s, " each", " of toys")
	if want := "toys: n 2\n\nmetric               value  95 % interval\nF1                  0.3333  [0.1000, 0.5000]\n\nlatency p50 1.50 ms, p95 2.00 ms each\nintervals: 2000 bootstrap resamples of toys, seed 20240607\n"; r.Text() != want {
		t.Errorf("%q\nwant\n%q", r.Text(), want)
	}
	bad := NewReport("toy", 1, nil)
	bad.Put("f", func() {})
	if _, err := json.Marshal(bad); err == nil || !strings.Contains(err.Error(), "writing f") {
		t.Error(err)
	}
}
