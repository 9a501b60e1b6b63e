package main

import (
	"fmt"
	"math"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/eval/metrics"
	"example.com/assay/eval/retrieval"
)

// printRetrieval prints an evaluation for people.
func printRetrieval(a *cli.App, m measuredRetrieval) {
	set, result := m.set, m.result
	fmt.Fprintf(a.Stdout, "%s, ranker %s: n %d, %s\n", set.Format, m.flags.name(), len(result.Items), cli.Count(len(set.Passages), "passage"))
	for _, left := range []struct {
		n    int
		what string
	}{
		{set.Empty, "records without text, left out"},
		{set.Unjudged, "queries without a relevant passage, left out"},
		{set.Missing, "relevant passages that the corpus does not hold, counted as not found"},
	} {
		if left.n > 0 {
			fmt.Fprintf(a.Stdout, "  %s: %d\n", left.what, left.n)
		}
	}
	printMetrics(a, result.Metrics)
	fmt.Fprintf(a.Stdout, "\nlatency p50 %.2f ms, p95 %.2f ms; indexed in %.1f s\n", cli.Milliseconds(result.P50), cli.Milliseconds(result.P95), m.ingest.Seconds())
	fmt.Fprintf(a.Stdout, "intervals: %d bootstrap resamples, seed %d\n", result.Resample.Resamples, result.Resample.Seed)
	if m.comparison != nil {
		printComparison(a, m)
	}
	if m.flags.run != "" {
		fmt.Fprintf(a.Stdout, "run: %s\n", m.flags.run)
	}
}

func printComparison(a *cli.App, m measuredRetrieval) {
	fmt.Fprintf(a.Stdout, "\ncompared with %s, this minus that\n", m.flags.compare)
	if m.comparison.Absent > 0 {
		fmt.Fprintf(a.Stdout, "  queries that it does not have, counted as nothing found: %d\n", m.comparison.Absent)
	}
	fmt.Fprintf(a.Stdout, "%-17s  %7s  %7s  %10s  %-18s  %6s\n", "metric", "this", "that", "difference", "95 % interval", "p")
	for i, d := range m.comparison.Metrics {
		fmt.Fprintf(a.Stdout, "%-17s  %7.4f  %7.4f  %+10.4f  [%+.4f, %+.4f]  %6.4f\n", d.Name, m.result.Metrics[i].Value, d.Other, d.Value, d.Lo, d.Hi, d.P)
	}
	fmt.Fprintf(a.Stdout, "p: paired randomisation test, two-sided, %d flips, seed %d; each metric on its own\n", m.result.Resample.Flips, m.result.Resample.Seed)
}

// retrievalDocument is an evaluation as --json prints it.
type retrievalDocument struct {
	Schema   int                         `json:"schema"`
	Task     string                      `json:"task"` // "retrieval"
	Format   string                      `json:"format"`
	Ranker   string                      `json:"ranker"`
	N        int                         `json:"n"`
	Passages int                         `json:"passages"`
	LeftOut  leftOut                     `json:"left_out"`
	Metrics  map[string]metrics.Interval `json:"metrics"`
	Latency  latency                     `json:"latency_ms"`
	IngestMS float64                     `json:"ingest_ms"`
	Drawn    drawn                       `json:"resampling"`
	Compare  *compareDocument            `json:"compare,omitempty"`
	Items    []retrievalItem             `json:"items"`
}

type leftOut struct {
	Empty    int `json:"passages_without_text"`
	Unjudged int `json:"queries_without_relevant"`
	Missing  int `json:"relevant_not_in_corpus"` // counted as not found
}

type latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
}

type drawn struct {
	Seed      uint64 `json:"seed"`
	Resamples int    `json:"resamples"`
	Flips     int    `json:"flips"`
}

type retrievalItem struct {
	ID      string             `json:"id"`
	Gold    []string           `json:"gold"` // relevant passages, by id
	Pred    []string           `json:"pred"` // ranked passages, best first
	Metrics map[string]float64 `json:"metrics"`
}

type compareDocument struct {
	Run     string              `json:"run"`
	Absent  int                 `json:"absent"` // queries that it does not have
	Metrics map[string]deltaRow `json:"metrics"`
}

type deltaRow struct {
	Other float64 `json:"other"`
	metrics.Difference
}

func printRetrievalJSON(a *cli.App, m measuredRetrieval) {
	set, result := m.set, m.result
	out := retrievalDocument{
		Schema: 1, Task: "retrieval", Format: set.Format, Ranker: m.flags.name(),
		N: len(result.Items), Passages: len(set.Passages), LeftOut: leftOut{set.Empty, set.Unjudged, set.Missing},
		Metrics: intervals(result.Metrics), Latency: latency{cli.Milliseconds(result.P50), cli.Milliseconds(result.P95)}, IngestMS: cli.Milliseconds(m.ingest),
		Drawn: drawn{result.Resample.Seed, result.Resample.Resamples, result.Resample.Flips},
		Items: make([]retrievalItem, len(result.Items)),
	}
	for i, item := range result.Items {
		row := retrievalItem{ID: item.Query.ID, Gold: item.Query.Relevant(), Pred: make([]string, len(item.Ranked)), Metrics: map[string]float64{}}
		for j, s := range item.Ranked {
			row.Pred[j] = s.ID
		}
		for j, v := range item.Values {
			row.Metrics[result.Metrics[j].Name] = six(v)
		}
		out.Items[i] = row
	}
	if m.comparison != nil {
		out.Compare = compared(m.flags.compare, *m.comparison)
	}
	a.PrintJSON(out)
}

func compared(run string, c retrieval.Comparison) *compareDocument {
	out := &compareDocument{Run: run, Absent: c.Absent, Metrics: map[string]deltaRow{}}
	for _, d := range c.Metrics {
		out.Metrics[d.Name] = deltaRow{Other: six(d.Other), Difference: metrics.Difference{Interval: rounded(d.Interval), P: six(d.P)}}
	}
	return out
}

// printMetrics prints a table of figures below an empty line.
func printMetrics(a *cli.App, list []metrics.Metric) {
	fmt.Fprintf(a.Stdout, "\n%-17s  %7s  %s\n", "metric", "value", "95 % interval")
	for _, v := range list {
		fmt.Fprintf(a.Stdout, "%-17s  %7.4f  [%.4f, %.4f]\n", v.Name, v.Value, v.Lo, v.Hi)
	}
}

// intervals are figures as --json prints them.
func intervals(list []metrics.Metric) map[string]metrics.Interval {
	out := make(map[string]metrics.Interval, len(list))
	for _, v := range list {
		out[v.Name] = rounded(v.Interval)
	}
	return out
}

func rounded(v metrics.Interval) metrics.Interval {
	return metrics.Interval{Value: six(v.Value), Lo: six(v.Lo), Hi: six(v.Hi)}
}

// six rounds to six decimals.
func six(v float64) float64 { return math.Round(v*1e6) / 1e6 }
