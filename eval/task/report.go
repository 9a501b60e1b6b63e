package task

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"time"

	"example.com/assay/eval/metrics"
	"example.com/assay/internal/plainjson"
)

// A Report is the result of a measurement: a document for programs, whose keys keep their order,
// and a text for people.
type Report struct {
	N        int              // items
	Trained  bool             // shipped weights were trained on these labels, so the figures show a fit
	Metrics  []metrics.Metric // with a mode before the name if there are several: "gold/accuracy"
	Warnings []string
	Broken   bool  // the measurement found a violation, so the command fails
	File     *File // a file to write, nil for none

	text   strings.Builder
	fields []field // the document; never empty
}

// NewReport returns a report of n items, with the schema and the task's name.
func NewReport(name string, n int, figures []metrics.Metric) *Report {
	r := &Report{N: n, Metrics: figures}
	r.Put("schema", 1)
	r.Put("task", name)
	return r
}

// A File is an output file that an option asks for.
type File struct {
	Option, Path string
	Data         []byte
	Err          error // why it cannot be written
}

type field struct {
	key   string
	value any
}

// Put adds a key to the document.
func (r *Report) Put(key string, value any) { r.fields = append(r.fields, field{key, value}) }

// PutScore adds the metrics, the latency of items, and the parameters of the intervals.
func (r *Report) PutScore(s *Score) {
	r.Put("metrics", Intervals(s.Metrics))
	r.Put("latency_ms", s.Latency())
	r.Put("resampling", Resampling())
}

// MarshalJSON writes the document, with <, > and & unescaped.
func (r *Report) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	separator := '{'
	for _, f := range r.fields {
		value, err := plainjson.Encode(f.value)
		if err != nil {
			return nil, fmt.Errorf("writing %s: %w", f.key, err)
		}
		fmt.Fprintf(&b, "%c%q:%s", separator, f.key, value)
		separator = ','
	}
	return append(b.Bytes(), '}'), nil
}

// An Item is the row of a decided item.
type Item struct {
	ID    string  `json:"id"`
	Gold  string  `json:"gold"`
	Pred  string  `json:"pred"`
	Score float64 `json:"score"` // a probability
}

// A Bin is a range of probabilities, with the mean probability and the observed share in it.
type Bin struct {
	Lo       float64 `json:"lo"`
	Hi       float64 `json:"hi"`
	N        int     `json:"n"`
	Expected float64 `json:"expected"`
	Observed float64 `json:"observed"`
}

// Bins converts bins for a document.
func Bins(list []metrics.Bin) []Bin {
	var out []Bin
	for _, b := range list {
		out = append(out, Bin{Six(b.Lo), Six(b.Hi), b.N, Six(b.Expected), Six(b.Observed)})
	}
	return out
}

// Intervals converts metrics for a document.
func Intervals(list []metrics.Metric) map[string]metrics.Interval {
	out := make(map[string]metrics.Interval, len(list))
	for _, v := range list {
		out[v.Name] = Rounded(v.Interval)
	}
	return out
}

// Rounded rounds to six decimals.
func Rounded(v metrics.Interval) metrics.Interval {
	return metrics.Interval{Value: Six(v.Value), Lo: Six(v.Lo), Hi: Six(v.Hi)}
}

// Six rounds to six decimals.
func Six(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// Milliseconds converts a time for a document.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// A Latency holds percentiles of the time of an item, in milliseconds.
type Latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
}

// Latency returns the latency of a score.
func (s *Score) Latency() Latency { return Latency{Milliseconds(s.P50), Milliseconds(s.P95)} }

// A Drawn describes how intervals were resampled.
type Drawn struct {
	Seed      uint64 `json:"seed"`
	Resamples int    `json:"resamples"`
}

// Resampling returns the parameters of all intervals.
func Resampling() Drawn { return Drawn{metrics.Seed, metrics.Resamples} }

// Text is the report for people.
func (r *Report) Text() string { return r.text.String() }

// Linef adds a line to the text.
func (r *Report) Linef(format string, args ...any) { fmt.Fprintf(&r.text, format+"\n", args...) }

// Table adds metrics after an empty line, with the names in a column of the given width.
func (r *Report) Table(width int, list []metrics.Metric) {
	r.Linef("\n%-*s  %7s  %s", width, "metric", "value", "95 % interval")
	for _, v := range list {
		r.Linef("%-*s  %7.4f  [%.4f, %.4f]", width, v.Name, v.Value, v.Lo, v.Hi)
	}
}

// Names is the default width of the column of metric names.
const Names = 17

// Close adds the latency and the resampling parameters, with further text on each.
func (r *Report) Close(s *Score, latency, drawn string) {
	r.Linef("\nlatency p50 %.2f ms, p95 %.2f ms%s", Milliseconds(s.P50), Milliseconds(s.P95), latency)
	r.Drawn(drawn)
}

// Drawn adds the resampling parameters, with further text on what was resampled.
func (r *Report) Drawn(of string) {
	r.Linef("intervals: %d bootstrap resamples%s, seed %d", metrics.Resamples, of, metrics.Seed)
}

// Count is "1 document" or "2 documents".
func Count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
