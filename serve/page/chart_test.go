package page

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever the figures are, their dots lie in the plane, above one another as their values
// are, and each stands for a row.
func TestChart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rows []resultRow
		figures := 0
		for i := range rapid.IntRange(0, 40).Draw(t, "rows") {
			r := resultRow{Report: Report{Model: rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "model"), ID: fmt.Sprint(i)}}
			if rapid.Bool().Draw(t, "measured") {
				value, margin := rapid.Float64Range(-1e6, 1e6).Draw(t, "value"), rapid.Float64Range(0, 1e3).Draw(t, "margin")
				r.Figure = &Figure{Value: value, Lo: value - margin, Hi: value + margin}
				figures++
			}
			rows = append(rows, r)
		}
		c := chartOf(rows)
		dots, last := 0, 0.0
		for _, l := range c.Lines {
			last = 0
			for _, d := range l.Dots {
				dots++
				if d.X <= last || d.X < chartLeft || d.X > chartLeft+chartWidth || d.High < chartTop || d.Low > chartTop+chartHeight || d.High > d.Y || d.Y > d.Low {
					t.Fatalf("a dot behind %g is %+v", last, d)
				}
				last = d.X
			}
			if (l.Points == "") != (len(l.Dots) == 0) {
				t.Fatalf("line %+v", l)
			}
		}
		if dots != figures || figures > 0 && len(c.Ticks) != 5 {
			t.Fatalf("%d dots of %d figures, %d ticks", dots, figures, len(c.Ticks))
		}
		for _, r := range rows {
			if figures > 0 && r.Label == "" {
				t.Fatalf("row %s has no line", r.ID)
			}
		}
	})
}

// Shares are drawn from 0 to 1, so that charts of them can be compared.
func TestChartOfShares(t *testing.T) {
	rows := []resultRow{{Figure: &Figure{Value: .5, Lo: .25, Hi: .75, IsShare: true}}, {Figure: &Figure{Value: 1, Lo: 1, Hi: 1, IsShare: true}}}
	c := chartOf(rows)
	var ticks []string
	for _, tick := range c.Ticks {
		ticks = append(ticks, tick.Text)
	}
	if got := strings.Join(ticks, " "); got != "0 0.25 0.5 0.75 1" {
		t.Errorf("ticks %s", got)
	}
	if d := c.Lines[0].Dots; len(d) != 2 || d[0].Y != chartTop+chartHeight/2 || d[1].Y != chartTop {
		t.Errorf("%+v", d)
	}
}

func TestLabels(t *testing.T) {
	for n, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 27: "AB", 701: "ZZ", 702: "AAA"} {
		if got := label(n); got != want {
			t.Errorf("label %d is %s, want %s", n, got, want)
		}
	}
}
