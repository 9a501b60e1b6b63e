package page

import (
	"bytes"
	"html/template"
	"net/http"
	"net/url"

	"example.com/assay/serve/page/look"
	"example.com/assay/serve/page/run"
	"example.com/assay/serve/runs"
	"example.com/assay/serve/view"
)

var sectionPage = parsed("section.tmpl")

// part shows one part of a run on a page of its own.
func (v *visit) part(here string, w want, section func(*account) (template.HTML, error)) error {
	r, err := v.Run(v.r.Context(), v.r.PathValue("run"))
	if err != nil {
		return err
	}
	a, err := v.account(r, w)
	if err != nil {
		return err
	}
	html, err := section(a)
	if err != nil {
		return err
	}
	return v.show(sectionPage, "Runs", v.runFrame(r, here), html)
}

func (v *visit) graphPart() error {
	var open []string // those inside which something failed, asks or has not ended
	if list, chosen := v.r.URL.Query()["open"]; chosen {
		open = list
	}
	return v.part("graph", want{}, func(a *account) (template.HTML, error) { return a.Graph(open) })
}

func (v *visit) stepsPart() error {
	from, err := v.number("from", 0)
	if err != nil {
		return err
	}
	from = from / run.StepsPerPage * run.StepsPerPage
	return v.part("steps", want{from: from, steps: run.StepsPerPage}, func(a *account) (template.HTML, error) { return a.Steps(from) })
}

func (v *visit) timelinePart() error {
	from, err := v.number("from", 0)
	if err != nil {
		return err
	}
	return v.part("timeline", want{}, func(a *account) (template.HTML, error) { return a.Timeline(from) })
}

// file is the whole run as one file that needs nothing.
func (v *visit) file() error {
	r, err := v.Run(v.r.Context(), v.r.PathValue("run"))
	if err != nil {
		return err
	}
	a, err := v.account(r, want{all: true})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := run.File(&b, &a.Run, &run.FileOptions{Version: v.Version}); err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.Header().Set("Content-Disposition", `attachment; filename="run-`+plainName(r.ID)+`.html"`)
	_, _ = v.w.Write(b.Bytes()) // the browser has left
	return nil
}

// plainName is an ID with only what may stand in the name of a file.
func plainName(id string) string {
	return string(bytes.Map(func(c rune) rune {
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' {
			return c
		}
		return -1
	}, []byte(id)))
}

func comparePath(a, b string) string {
	return root + "compare?" + url.Values{"a": {a}, "b": {b}}.Encode()
}

// compare shows two runs side by side.
func (v *visit) compare() error {
	query := v.r.URL.Query()
	a, was, err := v.side(query.Get("a"))
	if err != nil {
		return err
	}
	b, is, err := v.side(query.Get("b"))
	if err != nil {
		return err
	}
	found, err := view.Compare(was.records, is.records)
	if err != nil {
		return err
	}
	html, err := run.Compare(a, b, found)
	if err != nil {
		return err
	}
	return v.show(sectionPage, "Runs", look.Frame{Title: "Two runs", Eyebrow: "Compare", Full: true}, html)
}

func (v *visit) side(id string) (*run.Side, *account, error) {
	if id == "" {
		return nil, nil, refuse(http.StatusBadRequest, "two runs are compared: name them as a and b")
	}
	r, err := v.Run(v.r.Context(), id)
	if err != nil {
		return nil, nil, err
	}
	a, err := v.account(r, want{all: true, records: true})
	if err != nil {
		return nil, nil, err
	}
	return &run.Side{Run: a.Run, Name: sideName(r), Href: join("runs", r.ID)}, a, nil
}

func sideName(r runs.Run) string { return title(r) + ", " + moment(r.Created) }
