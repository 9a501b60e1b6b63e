package main

import (
	"fmt"
	"slices"
	"strings"
)

func insertSorted(samples []float64, v float64) []float64 {
	at, _ := slices.BinarySearch(samples, v)
	return slices.Insert(samples, at, v)
}

// median is of sorted samples, of which there is at least one.
func (c cell) median() float64 {
	n := len(c.Samples)
	return (c.Samples[(n-1)/2] + c.Samples[n/2]) / 2
}

// String is the median with the least and the greatest sample, in one unit.
func (c cell) String() string {
	if len(c.Samples) == 0 {
		return c.Absent
	}
	unit, name := unitOf(c.median())
	return fmt.Sprintf("%s %s (%s–%s)", digits(c.median()/unit), name,
		digits(c.Samples[0]/unit), digits(c.Samples[len(c.Samples)-1]/unit))
}

// unitOf returns the unit that a figure is written in, and how many nanoseconds
// it has.
func unitOf(ns float64) (unit float64, name string) {
	switch {
	case ns >= 1e9:
		return 1e9, "s"
	case ns >= 1e6:
		return 1e6, "ms"
	case ns >= 1e3:
		return 1e3, "µs"
	}
	return 1, "ns"
}

// digits keeps three significant digits of a number, and all before the point.
func digits(v float64) string {
	switch {
	case v < 9.995:
		return fmt.Sprintf("%.2f", v)
	case v < 99.95:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// ratio is of two medians.
func ratio(c, floor cell) string {
	if len(c.Samples) == 0 || len(floor.Samples) == 0 {
		return "–"
	}
	return digits(c.median()/floor.median()) + "×"
}

// markdown returns the table: a row per workload, a column per engine, of which
// the first is the floor, and a column with each other engine's ratio to it.
func markdown(rows []workload, engines []engine, cells [][]cell) string {
	var b strings.Builder
	b.WriteString("| |")
	for _, e := range engines {
		fmt.Fprintf(&b, " %s |", e.name)
	}
	for _, e := range engines[1:] {
		fmt.Fprintf(&b, " %s / %s |", e.name, engines[0].name)
	}
	b.WriteString("\n|" + strings.Repeat("---|", 2*len(engines)) + "\n")
	for i, w := range rows {
		fmt.Fprintf(&b, "| %s |", w.title)
		for _, c := range cells[i] {
			fmt.Fprintf(&b, " %s |", c)
		}
		for _, c := range cells[i][1:] {
			fmt.Fprintf(&b, " %s |", ratio(c, cells[i][0]))
		}
		b.WriteString("\n")
	}
	return b.String()
}
