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
	"example.com/assay/eval/metrics"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/serve/page/look"
)

//go:embed page.tmpl
var pageText string

//go:embed case.tmpl
var caseText string

var page = look.Parse(template.FuncMap{"cost": cost}, pageText, caseText)

// A shownPage is everything that the page shows.
type shownPage struct {
	eval.Results
	Frame       look.Frame
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
// from 0 to 1, in percent; they are 0 for a figure that is not a share.
type shownMetric struct {
	Name              string
	Value, Lo, Hi     float64
	Left, Width, Mean float64
	IsShare           bool
}

// HTML writes results as one self-contained page, with the comparison to the baseline if c is not
// nil. It shows results of the given pipelines in full, other results as plain answers. The error
// is that of w, or names the item whose result is not one of its pipeline; nothing is written then.
func HTML(w io.Writer, r eval.Results, c *eval.Comparison, pipelines []pipeline.Pipeline) error {
	p := shownPage{Results: r, Frame: frameOf(r, c), Runs: len(r.Items), Facts: facts(r), Comparison: c, Reliability: reliability(r.Calibration), Curve: coverage(r.Coverage)}
	for i, item := range r.Items {
		one, err := show(item, i+1, pipelines)
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
		one := shownMetric{Name: name, Value: v.Value, Lo: v.Lo, Hi: v.Hi, IsShare: IsShare(name, v)}
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
	return look.Write(w, page, p)
}

// frameOf returns the frame of the page.
func frameOf(r eval.Results, c *eval.Comparison) look.Frame {
	passed := fmt.Sprintf("%d of %s passed", r.Passed, look.Count(r.N, "case"))
	parts := []look.Link{{Text: "Overview", Href: "#overview"}}
	if r.Passed < r.N {
		parts = append(parts, look.Link{Text: "What failed", Href: "#failed"})
	}
	if c != nil {
		parts = append(parts, look.Link{Text: "Since the baseline", Href: "#changes"})
	}
	return look.Frame{
		Title: passed + ", " + r.Model, Eyebrow: "Assay · " + r.Model, Heading: passed, Skip: "Skip to the results",
		Parts: append(parts, look.Link{Text: "Confidence", Href: "#confidence"}, look.Link{Text: "Pipelines", Href: "#pipelines"}, look.Link{Text: "Cases", Href: "#cases"}),
		Foot:  "Written by Assay " + r.Made.Version + ". This page needs no network and no script.",
	}
}

// IsShare reports whether a metric of results is from 0 to 1.
func IsShare(name string, v metrics.Interval) bool {
	return v.Lo >= 0 && v.Hi <= 1 && !slices.Contains(countedMetrics, name)
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
