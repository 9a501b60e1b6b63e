package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	casestudies "example.com/assay/case_studies"
	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/eval/figures"
	"example.com/assay/eval/metrics"
)

func evalAllCommand(a *cli.App) *cobra.Command {
	var asJSON bool
	var only string
	cmd := &cobra.Command{
		Use:   "all DIR",
		Short: "Measure on every data set that is there",
		Long: `All runs agent eval on each data set in a folder, offline, and prints the metrics
with their 95 % intervals. A set that is not there is left out, and it is said where
it comes from. Each set lies in a folder of its name:

` + listed() + `
Trained parts may have been trained on a part of a set; docs/results.md says which, and
has the cross-validated figures.`,
		Example: `  agent eval all data
  agent eval all data --only sroie
  agent eval all data --json > figures.json`,
		Args: cli.Exactly(1, "the folder of the data sets"),
		RunE: func(cmd *cobra.Command, args []string) error { return evalAll(a, cmd, args[0], only, asJSON) },
	}
	cmd.Flags().StringVar(&only, "only", "", "measure only sets with this `TEXT` in their name")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

// inCommand are the measurements that the command can make.
func inCommand() []figures.Measurement {
	return slices.DeleteFunc(slices.Clone(figures.All), func(m figures.Measurement) bool { return m.Train })
}

// listed names the data sets for people.
func listed() string {
	var b strings.Builder
	var seen []string
	for _, m := range inCommand() {
		if !slices.Contains(seen, m.Folder) {
			fmt.Fprintf(&b, "  %-24s%s\n", m.Folder, m.Source)
		}
		seen = append(seen, m.Folder)
	}
	return b.String()
}

// A measuredSet is what one measurement came to.
type measuredSet struct {
	Name    string                      `json:"name"`
	Folder  string                      `json:"folder"`
	Command string                      `json:"command"`
	Skipped string                      `json:"skipped,omitempty"` // why it was left out
	N       int                         `json:"n"`
	Trained bool                        `json:"trained_on_this_data"`
	Metrics map[string]metrics.Interval `json:"metrics"`
}

func evalAll(a *cli.App, cmd *cobra.Command, dir, only string, asJSON bool) (err error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return cli.Usagef("%s is no folder of data sets; agent help eval all lists them", dir)
	}
	schemas, err := os.MkdirTemp("", "agent-schemas-*")
	if err != nil {
		return err
	}
	defer func() { err = cli.Also(err, os.RemoveAll(schemas)) }()
	files, err := casestudies.Schemas()
	if err == nil {
		err = os.CopyFS(schemas, files)
	}
	if err != nil {
		return fmt.Errorf("writing the schemas: %w", err)
	}
	progress := render.NewBar(a, asJSON)
	chosen := slices.DeleteFunc(inCommand(), func(m figures.Measurement) bool { return !strings.Contains(m.Folder, only) })
	var sets []measuredSet
	for i, m := range chosen {
		progress.Update("measuring "+m.Folder, i, len(chosen))
		set, err := measureSet(a, cmd, dir, schemas, m)
		if err != nil {
			return errors.Join(err, progress.Close())
		}
		sets = append(sets, set)
	}
	if err := progress.Close(); err != nil {
		return err
	}
	if len(sets) == 0 {
		return cli.Usagef("no data set has %q in its name; there are:\n%s", only, listed())
	}
	if asJSON {
		a.PrintJSON(struct {
			Schema int           `json:"schema"`
			Task   string        `json:"task"`
			Sets   []measuredSet `json:"sets"`
		}{1, "all", sets})
		return nil
	}
	for _, set := range sets {
		printSet(a, set)
	}
	return nil
}

// measureSet runs one command of agent eval and reads what it prints.
func measureSet(a *cli.App, cmd *cobra.Command, dir, schemas string, m figures.Measurement) (measuredSet, error) {
	set := measuredSet{Name: m.Name, Folder: m.Folder, Metrics: map[string]metrics.Interval{}}
	var args []string
	shown := []string{"agent"}
	for _, word := range strings.Fields(m.Command) {
		arg, show := word, word
		switch name := strings.TrimLeft(word, "@%"); word[0] {
		case '@':
			arg = filepath.Join(dir, m.Folder, name)
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
	var out bytes.Buffer
	root := rootCommand(with(a, &out))
	root.SetArgs(append(args, "--json"))
	if err := root.ExecuteContext(cmd.Context()); err != nil {
		return set, fmt.Errorf("measuring %s: %w", m.Folder, err)
	}
	r, err := figures.Read(out.Bytes())
	if err != nil {
		return set, fmt.Errorf("measuring %s: %w", m.Folder, err)
	}
	set.N, set.Trained = r.N, r.Trained
	for _, f := range m.Figures {
		v, ok := r.Metrics[f.Metric]
		if !ok {
			return set, fmt.Errorf("measuring %s: %s printed no %s", m.Folder, set.Command, f.Metric)
		}
		set.Metrics[f.Metric] = v
	}
	return set, nil
}

// with is the same program that prints somewhere else, and no progress.
func with(a *cli.App, stdout *bytes.Buffer) *cli.App {
	return &cli.App{
		Stdin: a.Stdin, Stdout: cli.NewScreen(stdout, a.Env), Stderr: a.Stderr, Env: a.Env, Now: a.Now, Random: a.Random, Release: func() {}, Models: a.Models, Verbose: a.Verbose,
	}
}

func printSet(a *cli.App, set measuredSet) {
	fmt.Fprintf(a.Stdout, "%s\n  %s\n", set.Name, set.Command)
	if set.Skipped != "" {
		fmt.Fprintf(a.Stdout, "  skipped: %s\n", render.Visible(set.Skipped))
	}
	if set.Trained {
		fmt.Fprintln(a.Stdout, "  a fit: shipped weights were trained on these labels; docs/results.md has cross-validated figures")
	}
	for _, name := range slices.Sorted(maps.Keys(set.Metrics)) {
		v := set.Metrics[name]
		fmt.Fprintf(a.Stdout, "  %-26s  %.4f  [%.4f, %.4f]  n %d\n", name, v.Value, v.Lo, v.Hi, set.N)
	}
}
