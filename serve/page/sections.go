package page

import (
	"bytes"
	"html/template"
	"mime"
	"slices"

	"example.com/assay/graph/trace"
	"example.com/assay/serve/page/evidence"
	"example.com/assay/serve/page/look"
	"example.com/assay/serve/page/run"
	"example.com/assay/serve/runs"
	"example.com/assay/serve/view"
)

var sectionPage = parsed("section.tmpl")

// accountOf returns the run of the address, and its account.
func (v *visit) accountOf(w want) (runs.Run, *account, error) {
	r, err := v.Run(v.r.Context(), v.r.PathValue("run"))
	if err != nil {
		return r, nil, err
	}
	a, err := v.account(r, w)
	return r, a, err
}

// part shows one part of a run on its own page.
func (v *visit) part() error {
	from, err := v.number("from", 0)
	if err != nil {
		return err
	}
	from = from / run.StepsPerPage * run.StepsPerPage
	var section func(*account) (template.HTML, error)
	var w want
	here := v.r.PathValue("part")
	switch here {
	case "graph":
		open := v.r.URL.Query()["open"] // nil means the default: see run.Run.Graph
		section = func(a *account) (template.HTML, error) { return a.Graph(open) }
	case "steps":
		w = want{from: from, steps: run.StepsPerPage}
		section = func(a *account) (template.HTML, error) { return a.Steps(from) }
	case "timeline":
		section = func(a *account) (template.HTML, error) { return a.Timeline(from) }
	default:
		return v.missing()
	}
	r, a, err := v.accountOf(w)
	if err != nil {
		return err
	}
	html, err := section(a)
	if err != nil {
		return err
	}
	return v.show(sectionPage, "Runs", v.runFrame(r, here), html)
}

// file sends the whole run as one self-contained file.
func (v *visit) file() error {
	r, a, err := v.accountOf(want{all: true})
	if err != nil {
		return err
	}
	opts := &run.FileOptions{Version: v.Version, Heading: title(r)}
	if opts.Answer, err = v.proven(r, a, &evidence.Options{Saved: true}); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := run.File(&b, &a.Run, opts); err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": "run-" + r.ID + ".html"}))
	_, _ = v.w.Write(b.Bytes()) // the browser has left
	return nil
}

var comparePage = parsed("compare.tmpl")

// A comparison is the page of two runs.
type comparison struct {
	A, B string
	Runs []runRow // runs to choose from, newest first
	// Behind is the superstep of the first run that the second continued from; nil for none.
	Behind *int
	Found  template.HTML
}

// mostChosen is how many runs the comparison's form offers.
const mostChosen = 200

// compare shows two runs side by side, and a form to choose them.
func (v *visit) compare() error {
	out := comparison{A: v.r.URL.Query().Get("a"), B: v.r.URL.Query().Get("b")}
	all, err := v.AllRuns(v.r.Context(), nil)
	if err != nil {
		return err
	}
	for i, r := range all {
		if i < mostChosen || r.ID == out.A || r.ID == out.B {
			out.Runs = append(out.Runs, v.row(r))
		}
	}
	if out.A != "" && out.B != "" {
		if out.Found, out.Behind, err = v.compared(out.A, out.B); err != nil {
			return err
		}
	}
	return v.show(comparePage, "Runs", look.Frame{Title: "Two runs", Eyebrow: "Compare", Full: true}, out)
}

// compared compares two runs. If the second continued from a checkpoint of the first, the first
// run's events before that checkpoint are left out.
func (v *visit) compared(a, b string) (_ template.HTML, behind *int, err error) {
	second, is, err := v.side(b, nil)
	if err != nil {
		return "", nil, err
	}
	r, err := v.Run(v.r.Context(), b)
	if err != nil {
		return "", nil, err
	}
	if r.Forked == a && is.begins != "" {
		at, _, err := v.State(v.r.Context(), r.Thread, is.begins)
		if err == nil && at != nil { // a removed checkpoint means that everything is compared
			behind = &at.Step
		}
	}
	first, was, err := v.side(a, behind)
	if err != nil {
		return "", nil, err
	}
	if behind != nil && len(was.View.Steps) > 0 && len(is.View.Steps) > 0 {
		second.Shift = is.View.Steps[0].Step - was.View.Steps[0].Step // a fork counts as a superstep
		for i, rec := range is.records {
			if len(rec.Places) > 0 {
				is.records[i].Places = slices.Clone(rec.Places)
				is.records[i].Places[0].Step -= second.Shift
			}
		}
	}
	found, err := view.Compare(was.records, is.records)
	if err != nil {
		return "", nil, err
	}
	html, err := run.Compare(first, second, found)
	return html, behind, err
}

// side returns one of two compared runs, with its account.
func (v *visit) side(id string, behind *int) (*run.Side, *account, error) {
	r, err := v.Run(v.r.Context(), id)
	if err != nil {
		return nil, nil, err
	}
	a, err := v.account(r, want{all: true, records: true, behind: behind})
	if err != nil {
		return nil, nil, err
	}
	given := map[string]string{"what was asked": r.Asked}
	for name, value := range r.Settings {
		given["setting "+name] = look.Readable(value)
	}
	if len(a.records) > 0 {
		a.records[0].Header = &trace.Header{RunID: r.ID, Config: given}
	}
	out := &run.Side{Run: a.Run, Name: title(r) + ", " + moment(r.Created), Href: join("runs", r.ID)}
	p, _, err := v.proofOf(r, a)
	if p != nil {
		out.Answer = p.Answer
	}
	return out, a, err
}
