package evals

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/eval"
	"example.com/assay/eval/show"
	"example.com/assay/eval/task"
	"example.com/assay/state"
)

// printCases prints the results of one model.
func printCases(w io.Writer, r eval.Results) {
	width := len("case")
	for _, item := range r.Items {
		width = max(width, len(item.Name()))
	}
	row := fmt.Sprintf("%%-%ds  %%-4s  %%5s  %%9s  %%9s  %%9s  %%s\n", width)
	fmt.Fprintf(w, row, "case", "", "calls", "read", "written", "ms", "cost")
	for _, item := range r.Items {
		u := item.Usage
		fmt.Fprintf(w, row, render.Visible(item.Name()), verdict(item.Pass), strconv.Itoa(u.Calls), strconv.Itoa(u.InputTokens), strconv.Itoa(u.OutputTokens),
			fmt.Sprintf("%.1f", item.LatencyMS), costOf(u.Usage()))
		if item.Error != "" && len(item.Misses) == 0 {
			fmt.Fprintf(w, "  not run: %s\n", render.Visible(item.Error))
		}
		for _, miss := range item.Misses {
			fmt.Fprintf(w, "  %s\n", render.Visible(miss))
		}
	}
	fmt.Fprintf(w, "\n%d of %s passed, model %s\n", r.Passed, task.Count(r.N, "case"), r.Model)
	if len(r.Flaky) > 0 {
		fmt.Fprintf(w, "not the same in %d repeats: %s\n", r.Repeats, render.Visible(strings.Join(r.Flaky, ", ")))
	}
	names := r.MetricNames()
	width = len("per case")
	for _, name := range names {
		width = max(width, len(name))
	}
	row = fmt.Sprintf("%%-%ds  %%9s  %%s", width)
	fmt.Fprintf(w, "\n"+row, "per case", "mean", "95 % interval")
	if r.Repeats > 1 {
		fmt.Fprint(w, "  deviation over repeats")
	}
	fmt.Fprintln(w)
	for _, name := range names {
		v := r.Metrics[name]
		fmt.Fprintf(w, row, name, number(v.Value), fmt.Sprintf("[%s, %s]", number(v.Lo), number(v.Hi)))
		if r.Repeats > 1 {
			fmt.Fprintf(w, "  %s", number(r.Variation[name]))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "\nlatency p50 %.1f ms, p95 %.1f ms, of runs at the same time\n", r.Latency.P50, r.Latency.P95)
	fmt.Fprintf(w, "intervals: %d bootstrap resamples, seed %d\n", r.Resample.Resamples, r.Resample.Seed)
	calibration(w, r)
	usage(w, r)
}

func verdict(pass bool) string {
	if pass {
		return "pass"
	}
	return "FAIL"
}

// calibration prints how well the confidence predicts a right answer.
func calibration(w io.Writer, r eval.Results) {
	if r.Calibration.N == 0 {
		return
	}
	fmt.Fprintf(w, "\nconfidence of %s that answered: expected calibration error %s\n", task.Count(r.Calibration.N, "run"), number(r.Calibration.ECE))
	fmt.Fprintf(w, "%-10s  %8s  %s\n", "confidence", "coverage", "precision")
	for _, p := range r.Coverage {
		fmt.Fprintf(w, ">= %-7s  %8s  %s\n", number(p.Confidence), number(p.Coverage), number(p.Precision))
	}
}

func usage(w io.Writer, r eval.Results) {
	nodes := slices.Sorted(maps.Keys(r.NodeUsage))
	width := len("all nodes")
	for _, node := range nodes {
		width = max(width, len(node))
	}
	row := fmt.Sprintf("%%-%ds  %%5s  %%9s  %%9s  %%s\n", width)
	fmt.Fprintf(w, "\n"+row, "node", "calls", "read", "written", "cost")
	line := func(name string, u eval.Spent) {
		fmt.Fprintf(w, row, name, strconv.Itoa(u.Calls), strconv.Itoa(u.InputTokens), strconv.Itoa(u.OutputTokens), costOf(u.Usage()))
	}
	for _, node := range nodes {
		line(node, r.NodeUsage[node])
	}
	line("all nodes", r.Usage)
}

// printChanges prints what changed since the baseline.
func printChanges(w io.Writer, c *eval.Comparison) {
	if c == nil {
		return
	}
	fmt.Fprintln(w)
	if len(c.Cases) == 0 {
		fmt.Fprintln(w, "nothing has changed since the baseline")
	}
	for _, change := range c.Cases {
		fmt.Fprintf(w, "changed: %s, passed %s, was %s\n", render.Visible(change.ID), number(change.Is), number(change.Was))
		for _, name := range slices.Sorted(maps.Keys(change.Metrics)) {
			fmt.Fprintf(w, "  %s %+.4g\n", name, change.Metrics[name])
		}
		for _, miss := range change.Misses {
			fmt.Fprintf(w, "  %s\n", render.Visible(miss))
		}
	}
	for _, m := range c.Metrics {
		if m.Difference != 0 {
			fmt.Fprintf(w, "%s: %s, was %s; difference %+.4g [%s, %s], p %.3g over %s\n", m.Name, number(m.Is), number(m.Was), m.Difference, number(m.Lo), number(m.Hi), m.P, task.Count(m.N, "case"))
		}
	}
	for _, sentence := range c.Regressions {
		fmt.Fprintf(w, "REGRESSION: %s\n", render.Visible(sentence))
	}
}

// printMatrix prints a table of cases and models.
func printMatrix(w io.Writer, all []eval.Results) {
	rows := [][]string{{"case"}}
	var cases []string
	for _, r := range all {
		rows[0] = append(rows[0], r.Model)
		for _, item := range r.Items {
			if !slices.Contains(cases, item.ID) {
				cases = append(cases, item.ID)
			}
		}
	}
	for _, id := range cases {
		row := []string{render.Visible(id)}
		for _, r := range all {
			passed, runs := 0, 0
			for _, item := range r.Items {
				if item.ID == id {
					runs++
					if item.Pass {
						passed++
					}
				}
			}
			cell := verdict(passed == runs)
			if runs > 1 {
				cell = fmt.Sprintf("%d of %d", passed, runs)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	names := map[string]bool{}
	for _, r := range all {
		for _, name := range r.MetricNames() {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		row := []string{name}
		for _, r := range all {
			cell := "-"
			if v, ok := r.Metrics[name]; ok {
				cell = number(v.Value)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	latencies := []string{"latency p50 ms"}
	for _, r := range all {
		latencies = append(latencies, number(r.Latency.P50))
	}
	columns(w, append(rows, latencies))
}

// columns prints a table; the first column is text, the others are aligned to the right.
func columns(w io.Writer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for _, row := range rows {
		for i, cell := range row {
			if i == 0 {
				fmt.Fprintf(w, "%-*s", widths[0], cell)
			} else {
				fmt.Fprintf(w, "  %*s", widths[i], cell)
			}
		}
		fmt.Fprintln(w)
	}
}

// costOf shows the cost of calls. Calls with an unknown cost are named, never counted as 0.
func costOf(u state.ModelUsage) string {
	text := u.Cost.String()
	switch {
	case u.Unpriced > 0 && u.Cost == 0:
		text = "unknown: " + task.Count(u.Unpriced, "call")
	case u.Unpriced > 0:
		text += " and unknown: " + task.Count(u.Unpriced, "call")
	}
	if u.RecordedCost > 0 || u.RecordedUnpriced > 0 {
		text += ", when recorded " + costOf(state.ModelUsage{Cost: u.RecordedCost, Unpriced: u.RecordedUnpriced})
	}
	return text
}

// number formats a mean for people.
func number(v float64) string { return strconv.FormatFloat(task.Six(v), 'g', 5, 64) }

// baseline reads the results to compare with.
func baseline(path string) (*eval.Results, error) {
	r, err := open.ReadResults(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading --baseline: %w; --out makes one", err)
	}
	return &r.Results, err
}

// writeResults writes results and their reports to a folder, if there is one.
func writeResults(dir string, r eval.Results, changes *eval.Comparison) error {
	if dir == "" {
		return nil
	}
	data, err := open.CaseResults{Results: r, Comparison: changes}.Encode()
	if err != nil {
		return err
	}
	files := []struct {
		name  string
		write func(io.Writer) error
	}{
		{"results.json", func(w io.Writer) error { _, err := w.Write(data); return err }},
		{"junit.xml", func(w io.Writer) error { return show.JUnit(w, r) }},
		{"summary.md", func(w io.Writer) error { return show.Markdown(w, r, changes) }},
		{"report.html", func(w io.Writer) error { return show.HTML(w, r, changes, open.Abouts()) }},
	}
	for _, file := range files {
		var out bytes.Buffer
		if err := file.write(&out); err != nil {
			return err
		}
		if err := cli.WriteFile(filepath.Join(dir, file.name), out.Bytes(), 0o644); err != nil {
			return fmt.Errorf("writing results: %w", err)
		}
	}
	return nil
}

// write writes results to a folder, if there is one, and adds them to the home with --keep.
func (f *evalCasesFlags) write(a *cli.App, dir string, r eval.Results, changes *eval.Comparison) error {
	if err := writeResults(dir, r, changes); err != nil || !f.keep {
		return err
	}
	home, err := a.Env.Home()
	if err != nil {
		return err
	}
	return open.KeepResults(open.ResultsDir(home), open.CaseResults{Results: r, Comparison: changes})
}
