package page

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"math"
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
	Set     string     // show only this set; empty for the newest sets
	Sets    []*caseSet // newest first
	Earlier []*caseSet // further sets, not shown
	Unread  []Fact
}

// A caseSet holds the results of the same cases.
type caseSet struct {
	ID     string
	Cases  int
	Newest string // date of the newest
	Href   string // link to all of them
	Total  int    // reports
	Rows   []resultRow
	Pager  pager
}

// A resultRow is a report with one figure, and its bar from 0 to 1000.
type resultRow struct {
	Report
	Figure        *Figure
	Lo, Hi, Value float64
}

const (
	// firstMetric is shown until another metric is chosen.
	firstMetric = "pass_rate"
	// setsShown is the number of sets on a page, and reportsShown the number of reports for one
	// set.
	setsShown, reportsShown = 10, 100
)

// results shows results of cases over time.
func (v *visit) results() error {
	from, err := v.number("from", 0)
	if err != nil {
		return err
	}
	reports, unread, err := v.Evals.List(v.r.Context(), v.tenant)
	if err != nil {
		return err
	}
	q := v.r.URL.Query()
	out := overview{Metric: cmp.Or(q.Get("metric"), firstMetric), Set: q.Get("set"), Unread: unread}
	if out.Set == "" {
		from = 0
	}
	for _, r := range reports {
		out.add(r)
	}
	if q.Get("metric") != "" && !slices.Contains(out.Metrics, out.Metric) {
		return refusal.New(http.StatusNotFound, "no results have the metric %.100q", out.Metric)
	}
	if out.Set != "" && len(out.Sets) == 0 {
		return refusal.New(http.StatusNotFound, "no results are of the set %.100q", out.Set)
	}
	slices.SortStableFunc(out.Sets, func(a, b *caseSet) int { return strings.Compare(b.Newest, a.Newest) })
	shown := min(len(out.Sets), setsShown)
	out.Sets, out.Earlier = out.Sets[:shown], out.Sets[shown:]
	for _, s := range out.Sets {
		s.Total = len(s.Rows)
		s.Pager = pages("reports", s.Href, from, reportsShown, s.Total)
		slices.Reverse(s.Rows) // newest first
		s.Rows = s.Rows[min(from, s.Total):min(from+reportsShown, s.Total)]
		slices.SortStableFunc(s.Rows, func(a, b resultRow) int { return strings.Compare(a.Model, b.Model) })
		scale(s.Rows)
	}
	return v.show(evalsPage, "Evals", look.Frame{Title: "Evals"}, out)
}

// add adds a report to its set.
func (o *overview) add(r Report) {
	row := resultRow{Report: r}
	for i, f := range r.Figures {
		if !slices.Contains(o.Metrics, f.Name) {
			o.Metrics = append(o.Metrics, f.Name)
		}
		if f.Name == o.Metric {
			row.Figure = &r.Figures[i]
		}
	}
	if o.Set != "" && r.Set != o.Set {
		return
	}
	at := slices.IndexFunc(o.Sets, func(s *caseSet) bool { return s.ID == r.Set })
	if at < 0 {
		at = len(o.Sets)
		o.Sets = append(o.Sets, &caseSet{ID: r.Set, Cases: r.Cases, Href: query(root+"evals", "set", r.Set, "metric", o.Metric)})
	}
	s := o.Sets[at]
	s.Newest, s.Rows = r.Date, append(s.Rows, row)
}

// scale makes the bars of rows comparable: from the least to the most, or from 0 to 1 for shares.
func scale(rows []resultRow) {
	least, most, share := math.Inf(1), math.Inf(-1), true
	for _, r := range rows {
		if f := r.Figure; f != nil {
			least, most, share = min(least, f.Lo, f.Value), max(most, f.Hi, f.Value), share && f.IsShare
		}
	}
	if share {
		least, most = 0, 1
	}
	at := func(value float64) float64 {
		return min(max(1000*(value-least)/max(most-least, 1e-9), 0), 1000)
	}
	for i, r := range rows {
		if f := r.Figure; f != nil {
			rows[i].Lo, rows[i].Hi, rows[i].Value = at(f.Lo), at(f.Hi), at(f.Value)
		}
	}
}

// Wide returns the width of the bar.
func (r resultRow) Wide() float64 { return r.Hi - r.Lo }

// report shows one result as a self-contained page: it contains its style, and its headers forbid
// scripts.
func (v *visit) report() error {
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
