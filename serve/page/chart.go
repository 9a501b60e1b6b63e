package page

import (
	"fmt"
	"math"
	"strings"

	"example.com/assay/serve/page/look"
)

// The plot area of a chart, in units of its SVG.
const (
	chartLeft, chartTop     = 46.0, 22.0
	chartWidth, chartHeight = 300.0, 150.0
)

// A chart shows a figure over time: one report after the other, evenly spaced.
type chart struct {
	Lines []chartLine
	Ticks []chartTick
	Says  string // the chart in words
}

// A chartLine holds the figures of one model.
type chartLine struct {
	Model, Label, Points string
	Dashes               string // the dash pattern, which distinguishes lines without colour
	Dots                 []chartDot
}

// A chartDot is a figure with its interval from Low to High.
type chartDot struct{ X, Y, Low, High float64 }

// A chartTick is a tick of the axis.
type chartTick struct {
	Y    float64
	Text string
}

// dashes are the patterns of the first lines; further lines use the last one.
var dashes = []string{"none", "6 3", "2 3", "9 3 2 3"}

// chartOf draws the figures of rows, oldest first, and sets the label of each row's model.
func chartOf(rows []resultRow) chart {
	var c chart
	least, most := 0.0, 1.0
	share, seen := true, false
	for _, r := range rows {
		if f := r.Figure; f != nil {
			if share = share && f.IsShare; !seen {
				least, most = f.Lo, f.Hi
			}
			least, most, seen = min(least, f.Lo, f.Value), max(most, f.Hi, f.Value), true
		}
	}
	if !seen {
		return c
	}
	if share {
		least, most = 0, 1
	} else if margin := (most - least) / 10; margin > 0 {
		least, most = least-margin, most+margin
	} else {
		least, most = least-1, most+1
	}
	up := func(value float64) float64 { return tenth(chartTop + (most-value)/(most-least)*chartHeight) }
	for i := range 5 {
		value := least + (most-least)*float64(i)/4
		c.Ticks = append(c.Ticks, chartTick{up(value), look.Number(tidy(value))})
	}
	byModel := map[string]int{}
	for i := range rows {
		at, known := byModel[rows[i].Model]
		if !known {
			at = len(c.Lines)
			byModel[rows[i].Model] = at
			c.Lines = append(c.Lines, chartLine{Model: rows[i].Model, Label: label(at), Dashes: dashes[min(at, len(dashes)-1)]})
		}
		rows[i].Label = c.Lines[at].Label
		f := rows[i].Figure
		if f == nil {
			continue
		}
		x := tenth(chartLeft + chartWidth*(float64(i)+.5)/float64(len(rows)))
		c.Lines[at].Dots = append(c.Lines[at].Dots, chartDot{x, up(f.Value), up(f.Lo), up(f.Hi)})
	}
	var says []string
	for i := range c.Lines {
		l := &c.Lines[i]
		var points []string
		for _, d := range l.Dots {
			points = append(points, fmt.Sprintf("%g,%g", d.X, d.Y))
		}
		l.Points = strings.Join(points, " ")
		says = append(says, fmt.Sprintf("%s: %s", l.Model, look.Count(len(l.Dots), "figure")))
	}
	c.Says = strings.Join(says, "; ") + ". The table has the figures."
	return c
}

// label names a line: A to Z, then AA and so on.
func label(n int) string {
	if n < 26 {
		return string(rune('A' + n))
	}
	return label(n/26-1) + label(n%26)
}

func tenth(v float64) float64 { return math.Round(v*10) / 10 }

// tidy rounds to three digits.
func tidy(v float64) float64 {
	if v == 0 {
		return 0
	}
	scale := math.Pow(10, 2-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}

// Last returns the last dot of a line, where its label stands.
func (l chartLine) Last() *chartDot {
	if len(l.Dots) == 0 {
		return nil
	}
	return &l.Dots[len(l.Dots)-1]
}
