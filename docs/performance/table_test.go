package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// scripted is an engine that gives the figures it is told, one a call.
func scripted(name string, figures ...float64) engine {
	return engine{name, "", func(context.Context, workload, time.Duration) (float64, error) {
		next := figures[0]
		figures = figures[1:]
		return next, nil
	}}
}

func TestTable(t *testing.T) {
	rows := []workload{{name: "x", title: "a row"}}
	none := engine{"other", "", func(context.Context, workload, time.Duration) (float64, error) {
		return 0, absent{"none"}
	}}
	// The first figure warms up. Of an even number the median is between two.
	engines := []engine{scripted("floor", 9, 30, 10, 20, 40), scripted("ours", 9, 2000, 1500, 3500, 900), none}
	progress := 0
	cells, err := compare(t.Context(), rows, engines, 4, 0, func(int, workload) { progress++ })
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"| | floor | ours | other | ours / floor | other / floor |",
		"|---|---|---|---|---|---|",
		"| a row | 25.0 ns (10.0–40.0) | 1.75 µs (0.90–3.50) | none | 70.0× | – |",
		"",
	}, "\n")
	if got := markdown(rows, engines, cells); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if progress != 5 {
		t.Errorf("progress was told %d times, not 5", progress)
	}
}

func TestCompareNamesWhatFailed(t *testing.T) {
	broken := errors.New("out of order")
	bad := engine{"bad", "", func(context.Context, workload, time.Duration) (float64, error) { return 0, broken }}
	_, err := compare(t.Context(), []workload{{name: "x"}}, []engine{scripted("floor", 1), bad}, 1, 0, func(int, workload) {})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), `"x" with bad`) {
		t.Errorf("got %v", err)
	}
}

func TestFiguresHaveThreeDigits(t *testing.T) {
	for _, c := range []struct {
		ns   float64
		want string
	}{
		{0.314, "0.31 ns (0.31–0.31)"},
		{9.999, "10.0 ns (10.0–10.0)"},
		{99.96, "100 ns (100–100)"},
		{232.4, "232 ns (232–232)"},
		{1234, "1.23 µs (1.23–1.23)"},
		{1.5e6, "1.50 ms (1.50–1.50)"},
		{2e12, "2000 s (2000–2000)"},
	} {
		if got := (cell{Samples: []float64{c.ns}}).String(); got != c.want {
			t.Errorf("%v ns is written %q, not %q", c.ns, got, c.want)
		}
	}
}

func TestFlagsAreChecked(t *testing.T) {
	for _, args := range [][]string{{"-only", "nothing"}, {"-rounds", "0"}, {"extra"}} {
		if err := command(t.Context(), args, nil, new(strings.Builder)); err == nil {
			t.Errorf("%v passes", args)
		}
	}
}
