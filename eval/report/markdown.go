package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/eval/figures"
	"example.com/assay/eval/metrics"
)

// hashed begins the last line of the page, with the hash of all lines before it.
const hashed = "<!-- written by go run ./eval/report; sha256 of the lines above: "

// markdown draws the page.
func (p *page) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Results

Every figure that the README and the docs claim, measured offline by one command, which
writes this page; nothing on it is typed by hand:

`+"```\n"+`go run ./eval/report DATA
`+"```"+`

%s, commit %s, %s, %s.

Values have 95 %% bootstrap intervals (2,000 resamples, seed %d). DATA are third-party
data sets, which are not part of this repository. One half of each set is measured; the
other half is held back. *Target* is the goal that was set before; **bold** values miss
it. [measurements.md](measurements.md) tells how the figures came about, what was tried
and what did not help. [performance.md](performance.md) has the speed.

| what | n | figure | value | target | published | command |
|---|---|---|---|---|---|---|
`, p.date, p.commit, p.goVersion, p.machine, p.cases.Resample.Seed)
	for _, m := range figures.All {
		p.rows(&b, m)
	}
	p.caseRows(&b)
	p.losses(&b)
	text := b.String()
	return text + hashed + sumOf(text) + " -->\n"
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// rows writes the rows of one measurement.
func (p *page) rows(b *strings.Builder, m figures.Measurement) {
	if why := p.skipped[m.Name]; why != "" {
		fmt.Fprintf(b, "| %s | – | not measured: %s | | | | `%s` |\n", m.Name, why, commandOf(m))
		return
	}
	r := p.read[m.Name]
	for i, f := range m.Figures {
		name, n, command := m.Name, fmt.Sprint(r.N), "`"+commandOf(m)+"`"
		if r.Trained {
			name += " (a fit: weights were trained on it)"
		}
		if i > 0 {
			name, n, command = "", "", ""
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s |\n", name, n, f.Metric, valued(f, r.Metrics[f.Metric]), targeted(f), published(f), command)
	}
}

// commandOf returns the command of a measurement, with DATA for the folder.
func commandOf(m figures.Measurement) string {
	if m.Train {
		return "go run ./eval/train " + m.Command + " --data DATA --out ''"
	}
	words := strings.Fields(m.Command)
	for i, w := range words {
		switch w[0] {
		case '@':
			words[i] = strings.TrimSuffix("DATA/"+m.Folder+"/"+w[1:], "/")
		case '%':
			words[i] = "case_studies/schemas/" + w[1:]
		}
	}
	return "agent " + strings.Join(words, " ")
}

// decimals is a share as tables have it, without the leading zero.
func decimals(v float64) string {
	return strings.Replace(fmt.Sprintf("%.4f", v), "0.", ".", 1)
}

func valued(f figures.Figure, v metrics.Interval) string {
	text := decimals(v.Value)
	if missed(f, v) {
		text = "**" + text + "**"
	}
	return fmt.Sprintf("%s [%s, %s]", text, decimals(v.Lo), decimals(v.Hi))
}

// missed reports whether a value misses its target.
func missed(f figures.Figure, v metrics.Interval) bool {
	if f.AtMost {
		return v.Value > f.Target
	}
	return v.Value < f.Target
}

func targeted(f figures.Figure) string {
	switch {
	case f.AtMost:
		return "≤ " + decimals(f.Target)
	case f.Target > 0:
		return "≥ " + decimals(f.Target)
	}
	return ""
}

func published(f figures.Figure) string {
	if f.Published == 0 {
		return ""
	}
	return decimals(f.Published) + " " + f.By
}

// caseRows writes the rows of the project's own cases.
func (p *page) caseRows(b *strings.Builder) {
	c := p.cases
	const command = "`agent eval cases case_studies`"
	fmt.Fprintf(b, "| the project's own cases, all pipelines | %d | pass_rate | %s | ≥ 1.0000 | | %s |\n", c.N, valued(figures.Figure{Target: 1}, c.Metrics["pass_rate"]), command)
	for _, name := range []string{"claim_support", "citation_precision", "citation_recall", "quote_exactness", "hallucination_rate", "calls"} {
		if v, ok := c.Metrics[name]; ok {
			fmt.Fprintf(b, "| | | %s | %s [%s, %s] | | | |\n", name, decimals(v.Value), decimals(v.Lo), decimals(v.Hi))
		}
	}
	fmt.Fprintf(b, "\nThe cases are %s. In planted_errors four of eight\nclaims are wrong on purpose; they lower the figures of the claims.\n", strings.Join(p.names(), ",\n"))
}

// losses lists where the offline mode loses, and to whom.
func (p *page) losses(b *strings.Builder) {
	b.WriteString("\n## Where the offline mode loses\n\nCompared with the best comparable published figure:\n\n")
	var lines, misses []string
	for _, m := range figures.All {
		r, ok := p.read[m.Name]
		if !ok || p.skipped[m.Name] != "" {
			continue
		}
		for _, f := range m.Figures {
			v := r.Metrics[f.Metric]
			if f.Published > v.Value {
				lines = append(lines, fmt.Sprintf("- %s, %s: %s; %s reaches %s.\n", m.Name, f.Metric, decimals(v.Value), f.By, decimals(f.Published)))
			}
			if missed(f, v) {
				misses = append(misses, fmt.Sprintf("- %s, %s: %s; the target is %s.\n", m.Name, f.Metric, decimals(v.Value), targeted(f)))
			}
		}
	}
	b.WriteString(strings.Join(slices.Compact(lines), ""))
	b.WriteString("\nTargets that are missed:\n\n")
	if len(misses) == 0 {
		misses = []string{"- none.\n"}
	}
	b.WriteString(strings.Join(misses, ""))
	b.WriteString("\n")
}
