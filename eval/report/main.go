package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"example.com/assay/eval"
	"example.com/assay/eval/figures"
)

func main() {
	out := flag.String("out", filepath.Join("docs", "results.md"), "the page to write")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run ./eval/report [-out FILE] DATA\n\nDATA is the folder of the data sets; run it from the repository's root.")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := write(ctx, *out, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func write(ctx context.Context, out, data string) error {
	p, err := measure(ctx, data)
	if err != nil {
		return err
	}
	return os.WriteFile(out, []byte(p.markdown()), 0o644)
}

// measure runs every command.
func measure(ctx context.Context, data string) (*page, error) {
	if info, err := os.Stat(data); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder of data sets", data)
	}
	dir, err := os.MkdirTemp("", "report-*")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	agent := filepath.Join(dir, "agent")
	if _, err := run(ctx, "go", "build", "-o", agent, "./cmd/agent"); err != nil {
		return nil, err
	}
	commit, err := run(ctx, "git", "describe", "--always", "--dirty", "--abbrev=12")
	if err != nil {
		return nil, err
	}
	p := &page{
		date: time.Now().UTC().Format(time.DateOnly), commit: strings.TrimSpace(string(commit)), goVersion: runtime.Version(),
		machine: fmt.Sprintf("%s/%s, %d processors", runtime.GOOS, runtime.GOARCH, runtime.NumCPU()), read: map[string]figures.Set{}, skipped: map[string]string{},
	}
	all, err := run(ctx, agent, "eval", "all", data, "--json")
	if err != nil {
		return nil, err
	}
	if err := p.takeAll(all); err != nil {
		return nil, err
	}
	if err := p.takeTrained(ctx, data); err != nil {
		return nil, err
	}
	cases, err := run(ctx, agent, "eval", "cases", "case_studies", "--json")
	if err != nil {
		return nil, err
	}
	return p, json.Unmarshal(cases, &p.cases)
}

// run runs a command whose progress goes to standard error, and returns its standard output.
func run(ctx context.Context, name string, args ...string) ([]byte, error) {
	fmt.Fprintln(os.Stderr, "report:", filepath.Base(name), strings.Join(args, " "))
	cmd := exec.CommandContext(ctx, name, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s %s: %w", filepath.Base(name), strings.Join(args, " "), errors.Join(err, context.Cause(ctx)))
	}
	return out.Bytes(), nil
}

// takeAll parses the output of agent eval all.
func (p *page) takeAll(data []byte) error {
	var doc struct{ Sets []figures.Set }
	if err := json.Unmarshal(data, &doc); err != nil {
		return fmt.Errorf("reading agent eval all: %w", err)
	}
	for _, set := range doc.Sets {
		p.read[set.Name] = set
		if set.Skipped != "" {
			p.skipped[set.Name] = "no data"
		}
	}
	return nil
}

// takeTrained runs the cross-validation of each part of eval/train once. A part with a missing data
// set is left out.
func (p *page) takeTrained(ctx context.Context, data string) error {
	printed := map[string]string{}
	for _, m := range figures.All {
		if !m.Train {
			continue
		}
		if missing := missingOf(m.Command, data); missing != "" {
			p.skipped[m.Name] = "no " + missing
			continue
		}
		if _, ran := printed[m.Command]; !ran {
			out, err := run(ctx, "go", "run", "./eval/train", m.Command, "--data", data, "--out", "")
			if err != nil {
				return err
			}
			printed[m.Command] = string(out)
		}
		r, err := figures.ReadTable(printed[m.Command], m.Table)
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		p.read[m.Name] = r
	}
	return nil
}

// missingOf names a data set that a part of eval/train needs and that is not there.
func missingOf(part, data string) string {
	for _, m := range figures.All {
		if m.Train && m.Command == part {
			if _, err := os.Stat(filepath.Join(data, m.Folder)); err != nil {
				return m.Folder
			}
		}
	}
	return ""
}

// A page is the content of docs/results.md.
type page struct {
	date, commit, goVersion, machine string
	read                             map[string]figures.Set // by the measurement's name
	skipped                          map[string]string      // why, by name
	cases                            eval.Results
}

// names are the cases in order, each once.
func (p *page) names() (names []string) {
	for _, item := range p.cases.Items {
		if !slices.Contains(names, item.ID) {
			names = append(names, item.ID)
		}
	}
	return names
}
