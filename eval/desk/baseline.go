package desk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"example.com/assay/eval/metrics"
	"example.com/assay/eval/task"
	"example.com/assay/internal/plainfile"
)

// A Baseline is an earlier result that a later one is compared with.
type Baseline struct {
	Schema  int              `json:"schema"`
	Task    string           `json:"task"`
	Metrics map[string]Level `json:"metrics"`
}

// A Level is the value of a metric with its tolerance.
type Level struct {
	Value     float64 `json:"value"`
	N         int     `json:"n"`
	Tolerance float64 `json:"tolerance"`
}

// tolerated is the number of items that a metric may lose.
const tolerated = 2

// Baseline returns the result as a baseline, with a tolerance of two items for each metric.
func (e *Evaluation) Baseline() Baseline {
	b := Baseline{Schema: 1, Task: "desk", Metrics: map[string]Level{}}
	for _, m := range e.Metrics {
		n := e.N[m.Name]
		b.Metrics[m.Name] = Level{task.Six(m.Value), n, task.Six(tolerated / float64(max(n, 1)))}
	}
	return b
}

// Encode is the baseline as a file.
func (b Baseline) Encode() ([]byte, error) {
	data, err := json.MarshalIndent(b, "", "  ")
	return append(data, '\n'), err
}

// ReadBaseline reads the output of Encode.
func ReadBaseline(path string) (Baseline, error) {
	var b Baseline
	data, err := plainfile.Read(path, 1<<20)
	if err != nil {
		return b, fmt.Errorf("reading the baseline: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil || b.Schema != 1 || b.Task != "desk" {
		return b, fmt.Errorf("reading the baseline: %s is not one of papers", path)
	}
	return b, nil
}

// Worse says in one sentence each which metrics are worse by more than their tolerance. The
// error is that the baseline is of other items.
func (b Baseline) Worse(e *Evaluation) ([]string, error) {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(b.Metrics)) {
		was := b.Metrics[name]
		if e.N[name] != was.N {
			return nil, fmt.Errorf("the baseline's %s is of %s, and there are %d: the papers are others", name, task.Count(was.N, "item"), e.N[name])
		}
		at := slices.IndexFunc(e.Metrics, func(m metrics.Metric) bool { return m.Name == name })
		if at < 0 {
			return nil, fmt.Errorf("the baseline has %q, which is no metric", name)
		}
		lost := was.Value - e.Metrics[at].Value
		if name == noise {
			lost = -lost
		}
		if lost > was.Tolerance+1e-6 {
			out = append(out, fmt.Sprintf("%s is %.4f: worse than the baseline, %.4f, by more than %.4f", name, e.Metrics[at].Value, was.Value, was.Tolerance))
		}
	}
	return out, nil
}
