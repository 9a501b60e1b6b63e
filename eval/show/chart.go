package show

import (
	"fmt"
	"math"
	"strings"

	"example.com/assay/eval"
)

// The square in which figures are drawn, in units of their SVG.
const (
	plotLeft, plotTop = 44.0, 12.0
	plotSide          = 280.0
)

// A dot is a point of a figure.
type dot struct{ X, Y, R, Base float64 }

// A figure is points in the unit square, placed for drawing.
type figure struct {
	Dots  []dot
	Line  string // points of a polyline
	Ticks []tick
}

// A tick is a mark of both axes.
type tick struct {
	X, Y float64
	Text string
}

func across(v float64) float64 { return tenth(plotLeft + unit(v)*plotSide) }

func up(v float64) float64 { return tenth(plotTop + (1-unit(v))*plotSide) }

func unit(v float64) float64 { return min(max(v, 0), 1) }

func tenth(v float64) float64 { return math.Round(v*10) / 10 }

func newFigure() figure {
	var f figure
	for _, v := range []float64{0, .25, .5, .75, 1} {
		f.Ticks = append(f.Ticks, tick{across(v), up(v), fmt.Sprint(v)})
	}
	return f
}

// reliability plots the observed share of passes against the expected one. Larger dots represent
// more runs.
func reliability(c eval.Calibration) figure {
	f := newFigure()
	for _, b := range c.Bins {
		if b.N == 0 {
			continue
		}
		r := 4 + 8*math.Sqrt(float64(b.N)/float64(max(c.N, 1)))
		f.Dots = append(f.Dots, dot{across(b.Confidence), up(b.Passed), tenth(r), up(b.Confidence)})
	}
	return f
}

// coverage draws precision against coverage.
func coverage(points []eval.CoveragePoint) figure {
	f := newFigure()
	var line []string
	for _, p := range points {
		d := dot{X: across(p.Coverage), Y: up(p.Precision), R: 4}
		f.Dots = append(f.Dots, d)
		line = append(line, fmt.Sprintf("%g,%g", d.X, d.Y))
	}
	f.Line = strings.Join(line, " ")
	return f
}
