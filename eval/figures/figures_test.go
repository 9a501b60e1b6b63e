package figures

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/eval/metrics"
	"example.com/assay/eval/task"
)

// A command line finds its task, its data and its schema; without data it is skipped.
func TestRun(t *testing.T) {
	var got, schema string
	toy := task.Task{Name: "toy", New: func(o *task.Options) task.Measure {
		o.Need(&got, "data", "`FILE`")
		o.StringVar(&schema, "schema", "", "`FILE`")
		return func(context.Context, task.Progress) (*task.Report, error) {
			return &task.Report{N: 7, Trained: true, Broken: got == "", Metrics: []metrics.Metric{{Name: "gold/ECE", Interval: metrics.Interval{Value: 1. / 3}}, {Name: "F1"}}}, nil
		}
	}}
	data := t.TempDir()
	if err := os.MkdirAll(filepath.Join(data, "beads"), 0o755); err != nil {
		t.Fatal(err)
	}
	m := Measurement{Name: "beads, counted", Folder: "beads", Source: "the sea", Command: "eval toy --schema %bead.json --data @", Figures: []Figure{{Metric: "gold/ECE"}}}
	set, err := m.Run(t.Context(), []task.Task{toy}, data, "s")
	if err != nil || set.N != 7 || !set.Trained || len(set.Metrics) != 1 || set.Metrics["gold/ECE"].Value != .333333 || set.Command != "agent eval toy --schema case_studies/schemas/bead.json --data "+filepath.Join(data, "beads") {
		t.Errorf("%+v, %v", set, err)
	}
	if got != filepath.Join(data, "beads") || schema != filepath.Join("s", "bead.json") {
		t.Errorf("it read %s by %s", got, schema)
	}
	absent := m
	absent.Command = "eval toy --data @none.jsonl"
	if set, err := absent.Run(t.Context(), []task.Task{toy}, data, "s"); err != nil || !strings.Contains(set.Skipped, "none.jsonl; the data come from the sea") || set.N != 0 {
		t.Errorf("%+v, %v", set, err)
	}
	for command, want := range map[string]string{"eval toys --data @": `no task "toys"`, "eval toy": "--data is missing", "eval toy --data @ --more": "not defined: -more"} {
		m.Command = command
		if _, err := m.Run(t.Context(), []task.Task{toy}, data, "s"); err == nil || !strings.Contains(err.Error(), "measuring beads: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", command, err, want)
		}
	}
	m.Command, m.Figures = "eval toy --data @", []Figure{{Metric: "AUC"}}
	if _, err := m.Run(t.Context(), []task.Task{toy}, data, "s"); err == nil || !strings.Contains(err.Error(), "has no metric AUC") {
		t.Error(err)
	}
}

func TestReadTable(t *testing.T) {
	const printed = `
| pairs, n 30 | value | 95 % |
|---|---|---|
| F1 | 0.881 | 0.853 – 0.908 |
| AUC | 0.977 | 0.967 – 0.985 |

sha256 abc

| pairs, swapped, n 31 | value | 95 % |
|---|---|---|
| accepted | 0.011 | 0.007 – 0.015 |
`
	r, err := ReadTable(printed, "pairs")
	if err != nil || r.N != 30 || len(r.Metrics) != 2 || r.Metrics["AUC"].Lo != .967 {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err = ReadTable(printed, "pairs, swapped"); err != nil || r.N != 31 || r.Metrics["accepted"].Value != .011 {
		t.Errorf("%+v, %v", r, err)
	}
	for table, text := range map[string]string{
		"nothing": printed, "x": "| x, n many | value | 95 % |\n", "y": "| y, n 3 | value | 95 % |\n| F1 | high | a – b |\n",
	} {
		if r, err := ReadTable(text, table); err == nil {
			t.Errorf("%q was read as %+v", table, r)
		}
	}
}

// Each measurement can be told apart, and names what it reads.
func TestAll(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range All {
		if seen[m.Name] || m.Folder == "" || m.Source == "" || m.Command == "" || len(m.Figures) == 0 || m.Train != (m.Table != "") {
			t.Errorf("%+v", m)
		}
		seen[m.Name] = true
		if !m.Train && (!strings.HasPrefix(m.Command, "eval ") || !strings.Contains(m.Command, "@")) {
			t.Errorf("%s: %q names no data", m.Name, m.Command)
		}
	}
}
