package page

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"slices"
	"strings"

	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/page/look"
)

// Evals give access to results of cases. For an unknown ID they return a *runs.NotFoundError.
type Evals interface {
	// List returns the results that a tenant may see, oldest first, and the files that could not be
	// read.
	List(ctx context.Context, tenant string) (reports []Report, unread []Fact, err error)
	// Write writes one result as a self-contained page.
	Write(ctx context.Context, tenant, id string, w io.Writer) error
}

// A Report describes the results of cases.
type Report struct {
	ID      string
	Date    string // RFC 3339, UTC
	Model   string
	Version string // version of the program that ran the cases
	Cases   int
	Passed  int    // cases that passed in every repeat
	Set     string // identifies the cases; results of different sets are not compared
	Figures []Figure
}

// A Figure is a metric with its 95 % interval.
type Figure struct {
	Name          string
	Value, Lo, Hi float64
	IsShare       bool // its value is from 0 to 1
}

var evalsPage = parsed("evals.tmpl")

// An overview is the page of results over time.
type overview struct {
	Metric  string
	Metrics []string
	Set     string    // show only this set; empty for the newest sets
	Sets    []caseSet // newest first
	Earlier []caseSet // further sets, not shown
	Unread  []Fact
}

// A caseSet holds the results of the same cases.
type caseSet struct {
	ID     string
	Cases  int
	Newest string // date of the newest
	Href   string // link to all of them
	Number int    // on the page, from 1
	Total  int    // reports
	Chart  chart
	Rows   []resultRow
	Pager  pager
}

// A resultRow is a report with one figure.
type resultRow struct {
	Report
	Label  string // its model's label in the chart
	Figure *Figure
	Href   string
}

// firstMetric is shown until another metric is chosen.
const firstMetric = "pass_rate"

// results shows results of cases over time.
func (v *visit) results() error {
	if err := off(v.Evals != nil, "results of cases"); err != nil {
		return err
	}
	reports, unread, err := v.Evals.List(v.r.Context(), v.tenant)
	if err != nil {
		return err
	}
	out := overview{Metric: v.r.URL.Query().Get("metric"), Unread: unread}
	for _, r := range reports {
		for _, f := range r.Figures {
			if !slices.Contains(out.Metrics, f.Name) {
				out.Metrics = append(out.Metrics, f.Name)
			}
		}
	}
	if out.Metric == "" {
		out.Metric = firstMetric
	} else if !slices.Contains(out.Metrics, out.Metric) {
		return refusal.New(http.StatusNotFound, "no results have the metric %.100q", out.Metric)
	}
	for _, r := range reports {
		at := slices.IndexFunc(out.Sets, func(s caseSet) bool { return s.ID == r.Set })
		if at < 0 {
			at = len(out.Sets)
			out.Sets = append(out.Sets, caseSet{ID: r.Set, Cases: r.Cases, Href: query(root+"evals", "set", r.Set, "metric", out.Metric)})
		}
		out.Sets[at].Newest = r.Date
		out.Sets[at].Rows = append(out.Sets[at].Rows, rowOf(r, out.Metric))
	}
	slices.SortStableFunc(out.Sets, func(a, b caseSet) int { return strings.Compare(b.Newest, a.Newest) })
	if err := out.choose(v); err != nil {
		return err
	}
	for i := range out.Sets {
		s := &out.Sets[i]
		s.Number = i + 1
		s.Chart = chartOf(s.Rows)
		slices.Reverse(s.Rows) // newest first
	}
	return v.show(evalsPage, "Evals", look.Frame{Title: "Evals"}, out)
}

const (
	// setsShown is the number of sets on a page, and reportsShown the number of reports for one
	// set.
	setsShown, reportsShown = 10, 100
)

// choose selects the sets and reports of a page: one set, or the newest reports of the newest sets.
func (o *overview) choose(v *visit) error {
	from, err := v.number("from", 0)
	if err != nil {
		return err
	}
	o.Set = v.r.URL.Query().Get("set")
	if o.Set != "" {
		at := slices.IndexFunc(o.Sets, func(s caseSet) bool { return s.ID == o.Set })
		if at < 0 {
			return refusal.New(http.StatusNotFound, "no results are of the set %.100q", o.Set)
		}
		o.Sets = o.Sets[at : at+1]
	} else {
		from = 0
	}
	shown := min(len(o.Sets), setsShown)
	o.Sets, o.Earlier = o.Sets[:shown], o.Sets[shown:]
	for i := range o.Sets {
		s := &o.Sets[i]
		s.Total = len(s.Rows)
		end := max(0, s.Total-from)
		s.Rows = s.Rows[max(0, end-reportsShown):end]
		s.Pager = pages("reports", s.Href, from, reportsShown, s.Total)
	}
	return nil
}

func rowOf(r Report, metric string) resultRow {
	row := resultRow{Report: r, Href: join("evals", r.ID)}
	if at := slices.IndexFunc(r.Figures, func(f Figure) bool { return f.Name == metric }); at >= 0 {
		row.Figure = &r.Figures[at]
	}
	return row
}

// report shows one result as a self-contained page: it contains its style, and its headers forbid
// scripts.
func (v *visit) report() error {
	if err := off(v.Evals != nil, "results of cases"); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := v.Evals.Write(v.r.Context(), v.tenant, v.r.PathValue("id"), &b); err != nil {
		return err
	}
	_, rest, _ := bytes.Cut(b.Bytes(), []byte("<style>"))
	style, _, _ := bytes.Cut(rest, []byte("</style>"))
	sum := sha256.Sum256(style)
	v.w.Header().Set("Content-Security-Policy", "default-src 'none'; img-src data:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = v.w.Write(b.Bytes()) // the browser has left
	return nil
}
