package figures

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/assay/eval/metrics"
	"example.com/assay/eval/task"
)

// A Set is the result of one measurement.
type Set struct {
	Name    string                      `json:"name"`
	Folder  string                      `json:"folder"`
	Command string                      `json:"command"`
	Skipped string                      `json:"skipped,omitempty"` // reason for skipping it
	N       int                         `json:"n"`
	Trained bool                        `json:"trained_on_this_data"` // shipped weights were trained on these labels: a fit
	Metrics map[string]metrics.Interval `json:"metrics"`
}

// Run makes a measurement of a task on the folder of the data sets; schemas is
// case_studies/schemas. A missing set is skipped.
func (m Measurement) Run(ctx context.Context, tasks []task.Task, data, schemas string) (Set, error) {
	set := Set{Name: m.Name, Folder: m.Folder, Metrics: map[string]metrics.Interval{}}
	var args []string
	shown := []string{"agent"}
	for _, word := range strings.Fields(m.Command) {
		arg, show := word, word
		switch name := strings.TrimLeft(word, "@%"); word[0] {
		case '@':
			arg = filepath.Join(data, m.Folder, name)
			show = arg
			if _, err := os.Stat(arg); errors.Is(err, fs.ErrNotExist) {
				set.Command = "agent " + m.Command
				set.Skipped = fmt.Sprintf("there is no %s; the data come from %s", arg, m.Source)
				return set, nil
			}
		case '%':
			arg, show = filepath.Join(schemas, name), "case_studies/schemas/"+name
		}
		args, shown = append(args, arg), append(shown, show)
	}
	set.Command = strings.Join(shown, " ")
	r, err := run(ctx, tasks, args)
	if err != nil {
		return set, fmt.Errorf("measuring %s: %w", m.Folder, err)
	}
	set.N, set.Trained = r.N, r.Trained
	found := task.Intervals(r.Metrics)
	for _, f := range m.Figures {
		v, ok := found[f.Metric]
		if !ok {
			return set, fmt.Errorf("measuring %s: %s has no metric %s", m.Folder, set.Command, f.Metric)
		}
		set.Metrics[f.Metric] = v
	}
	return set, nil
}

// run runs the task that a command line names.
func run(ctx context.Context, tasks []task.Task, args []string) (*task.Report, error) {
	at := slices.IndexFunc(tasks, func(t task.Task) bool { return t.Name == args[1] })
	if at < 0 {
		return nil, fmt.Errorf("there is no task %q", args[1])
	}
	options := task.NewOptions(args[1])
	measure := tasks[at].New(options)
	if err := options.Parse(args[2:]); err != nil {
		return nil, err
	}
	r, err := measure(ctx, nil)
	if err == nil && r.Broken {
		err = errors.New("something was found that must not be; measured by itself, it says what")
	}
	return r, err
}
