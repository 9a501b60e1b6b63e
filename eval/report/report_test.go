package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.com/assay/eval"
	"example.com/assay/eval/figures"
	"example.com/assay/eval/metrics"
)

// shown is a page with a figure for every measurement, of which some are skipped.
func shown() *page {
	p := &page{date: "2026-01-02", commit: "abc", goVersion: "go1", machine: "m", read: map[string]figures.Set{}, skipped: map[string]string{}}
	for i, m := range figures.All {
		r := figures.Set{N: 100 + i, Trained: i == 3, Metrics: map[string]metrics.Interval{}}
		for _, f := range m.Figures {
			r.Metrics[f.Metric] = metrics.Interval{Value: .5, Lo: .4, Hi: .6}
		}
		p.read[m.Name] = r
	}
	p.skipped[figures.All[1].Name] = "no data"
	p.cases = eval.Results{N: 1, Metrics: map[string]metrics.Interval{"pass_rate": {Value: 1, Lo: 1, Hi: 1}}, Items: []eval.Item{{ID: "one"}, {ID: "one", Repeat: 2}}}
	return p
}

func TestMarkdown(t *testing.T) {
	text := shown().markdown()
	for _, part := range []string{
		"2026-01-02, commit abc, go1, m.",
		"| retrieval, ObliQA | 100 | R@10 | **.5000** [.4000, .6000] | ≥ .7890 | .8333 hybrid with an embedding model | `agent eval retrieval --format obliqa --corpus DATA/obliqa/corpus.jsonl.gz",
		"| – | not measured: no data |",
		"(a fit: weights were trained on it)",
		"| ≤ .0300 |",
		"| the project's own cases, all pipelines | 1 | pass_rate | 1.0000 [1.0000, 1.0000] |",
		"The cases are one.",
		"- retrieval, SciFact, nDCG@10: .5000; BGE-base reaches .7410.",
		"- the same, cause and effect exchanged, accepted: .5000; the target is ≤ .0300.",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the page lacks %q:\n%s", part, text)
		}
	}
	if text != shown().markdown() {
		t.Error("a second page differs")
	}
}

// docs/results.md is what the command wrote: its hash holds, and every measurement
// is on it.
func TestResultsPage(t *testing.T) {
	text := resultsPage(t)
	at := strings.LastIndex(text, hashed)
	if at < 0 || text[at:] != hashed+sumOf(text[:at])+" -->\n" {
		t.Error("docs/results.md was changed by hand; write it with: go run ./eval/report DATA")
	}
	for _, m := range figures.All {
		if !strings.Contains(text, "| "+m.Name) {
			t.Errorf("docs/results.md has no row for %q; write it anew with: go run ./eval/report DATA", m.Name)
		}
	}
}

// TestReadmeFigures holds the README's column of our own figures to docs/results.md.
func TestReadmeFigures(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	measured := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?:\| |\*\*)(\.\d{4})`).FindAllStringSubmatch(resultsPage(t), -1) {
		v, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		measured[strings.TrimPrefix(strconv.FormatFloat(v, 'f', 3, 64), "0")] = true
	}
	_, rest, _ := strings.Cut(string(data), "| what | Assay offline |")
	table, _, _ := strings.Cut(rest, "\n\n")
	found := 0
	for _, line := range strings.Split(table, "\n")[2:] {
		for _, figure := range regexp.MustCompile(`\.\d{3}`).FindAllString(strings.Split(line, " | ")[1], -1) {
			if found++; !measured[figure] {
				t.Errorf("%s of the README is not on docs/results.md: %s", figure, line)
			}
		}
	}
	if found < 10 {
		t.Errorf("the README has %d figures", found)
	}
}

func resultsPage(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "results.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
