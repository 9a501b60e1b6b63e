package show

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"

	"example.com/assay/eval"
)

//go:embed page.css
var style string

//go:embed page.tmpl
var pageText string

//go:embed case.tmpl
var caseText string

var page = template.Must(template.Must(template.New("page").Funcs(template.FuncMap{
	"number": number, "share": share, "duration": duration, "cost": cost, "count": count, "plain": plain, "tone": tone,
}).Parse(pageText)).Parse(caseText))

// A shownPage is everything that the page shows.
type shownPage struct {
	eval.Results
	Style       template.CSS
	Runs        int
	RunsPassed  int
	Facts       []fact
	Rows        []shownMetric
	Failed      []*shownCase
	Comparison  *eval.Comparison
	Changed     []eval.MetricChange // metrics that are not as they were
	Reliability figure
	Curve       figure
	Groups      []*group
	Cases       []*shownCase
	Corpora     []fact // fingerprint, and the cases that read it
	Hashes      []fact // of skills
}

// A shownMetric is a metric with its interval. Left and Width place it in a range
// from 0 to 1, in percent; a figure that is no share has none.
type shownMetric struct {
	Name              string
	Value, Lo, Hi     float64
	Left, Width, Mean float64
	IsShare           bool
}

// HTML writes results as one page that holds everything it needs, with the
// comparison to the baseline if there is one. The error is that of w, or names the
// item whose result is not that of its pipeline; nothing is written then.
func HTML(w io.Writer, r eval.Results, c *eval.Comparison) error {
	p := shownPage{Results: r, Style: template.CSS(style), Runs: len(r.Items), Facts: facts(r), Comparison: c, Reliability: reliability(r.Calibration), Curve: coverage(r.Coverage)}
	for i, item := range r.Items {
		one, err := show(item, i+1)
		if err != nil {
			return fmt.Errorf("writing the page: %w", err)
		}
		p.Cases = append(p.Cases, one)
		if item.Pass {
			p.RunsPassed++
		} else {
			p.Failed = append(p.Failed, one)
		}
	}
	p.Groups = groupsOf(p.Cases)
	for _, name := range r.MetricNames() {
		v := r.Metrics[name]
		one := shownMetric{Name: name, Value: v.Value, Lo: v.Lo, Hi: v.Hi, IsShare: v.Lo >= 0 && v.Hi <= 1 && !slices.Contains(countedMetrics, name)}
		one.Left, one.Width, one.Mean = v.Lo*100, (v.Hi-v.Lo)*100, v.Value*100
		p.Rows = append(p.Rows, one)
	}
	if c != nil {
		for _, m := range c.Metrics {
			if m.Difference != 0 {
				p.Changed = append(p.Changed, m)
			}
		}
	}
	p.Corpora, p.Hashes = corpora(r.Made.Corpora), hashes(r.Made.Skills)
	var b strings.Builder
	if err := page.Execute(&b, p); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// corpora lists fingerprints with the cases that read them.
func corpora(byCase map[string]string) []fact {
	cases := map[string][]string{}
	for _, id := range slices.Sorted(maps.Keys(byCase)) {
		cases[byCase[id]] = append(cases[byCase[id]], id)
	}
	var out []fact
	for _, fingerprint := range slices.Sorted(maps.Keys(cases)) {
		out = append(out, fact{fingerprint, strings.Join(cases[fingerprint], ", ")})
	}
	return out
}

func hashes(skills map[string]string) []fact {
	var out []fact
	for _, name := range slices.Sorted(maps.Keys(skills)) {
		out = append(out, fact{name, skills[name]})
	}
	return out
}

// tones are the classes by which verdicts are coloured. The word is always there
// too.
var tones = map[string]string{
	"pass": "good", "FAIL": "bad", "ERROR": "bad",
	"answered": "good", "no_evidence": "warn", "rejected": "bad", "interrupted": "bad", "failed": "bad",
	"supported": "good", "partially_supported": "warn", "unsupported": "bad",
	"grounded": "good", "high": "good", "medium": "warn", "low": "warn", "insufficient": "bad",
	"CRITICAL": "bad", "HIGH": "bad", "MEDIUM": "warn", "LOW": "warn",
}

func tone(v any) string {
	if class, ok := tones[fmt.Sprint(v)]; ok {
		return class
	}
	return "plain"
}
