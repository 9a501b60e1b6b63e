package page

import (
	"testing"

	"pgregory.net/rapid"
)

// Whatever the figures are, their bars lie in the track and have the order of their values.
func TestScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rows []resultRow
		for range rapid.IntRange(0, 40).Draw(t, "rows") {
			var r resultRow
			if rapid.Bool().Draw(t, "measured") {
				value, margin := rapid.Float64Range(-1e6, 1e6).Draw(t, "value"), rapid.Float64Range(0, 1e3).Draw(t, "margin")
				r.Figure = &Figure{Value: value, Lo: value - margin, Hi: value + margin, IsShare: rapid.Bool().Draw(t, "share")}
			}
			rows = append(rows, r)
		}
		scale(rows)
		for _, a := range rows {
			if a.Lo < 0 || a.Lo > a.Value || a.Value > a.Hi || a.Hi > 1000 {
				t.Fatalf("a bar is %+v", a)
			}
			for _, b := range rows {
				if a.Figure != nil && b.Figure != nil && a.Figure.Value < b.Figure.Value && a.Value > b.Value {
					t.Fatalf("%+v stands before %+v", b, a)
				}
			}
		}
	})
}

// Shares are drawn from 0 to 1, so that their bars can be compared between sets.
func TestScaleOfShares(t *testing.T) {
	rows := []resultRow{{Figure: &Figure{Value: .5, Lo: .25, Hi: .75, IsShare: true}}, {Figure: &Figure{Value: 1, Lo: 1, Hi: 1, IsShare: true}}, {}}
	scale(rows)
	if a, b := rows[0], rows[1]; a.Lo != 250 || a.Value != 500 || a.Hi != 750 || b.Lo != 1000 || b.Hi != 1000 {
		t.Errorf("%+v", rows)
	}
}
