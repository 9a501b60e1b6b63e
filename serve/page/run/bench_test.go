package run

import (
	"bytes"
	"fmt"
	"html/template"
	"testing"

	"example.com/assay/serve/view"
)

// What a page of a long run costs: the view of its events, and each part; and a file.
func BenchmarkPage(b *testing.B) {
	for _, steps := range []int{125, 5_000, 25_000} {
		events := long(steps)
		from := steps / 2 / StepsPerPage * StepsPerPage
		viewed := func(opts *view.Options) *Run {
			return &Run{View: viewOf(b, events, opts), Links: Links{Graph: "/g", Steps: "/s", Timeline: "/t"}}
		}
		window := &view.Options{From: from, Steps: StepsPerPage}
		r := viewed(window)
		parts := map[string]func() (template.HTML, error){
			"overview": r.Overview, "graph": func() (template.HTML, error) { return r.Graph(nil) },
			"steps": func() (template.HTML, error) { return r.Steps(from) }, "timeline": func() (template.HTML, error) { return r.Timeline(from) },
		}
		run := func(name string, do func() (int, error)) {
			b.Run(fmt.Sprintf("%d_events/%s", len(events), name), func(b *testing.B) {
				b.ReportAllocs()
				n := 0
				for b.Loop() {
					var err error
					if n, err = do(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(n), "html-B")
			})
		}
		run("view", func() (int, error) { return len(viewed(window).View.Steps), nil })
		for _, name := range []string{"overview", "graph", "steps", "timeline"} {
			run(name, func() (int, error) { html, err := parts[name](); return len(html), err })
		}
		whole := viewed(nil)
		run("file", func() (int, error) {
			var page bytes.Buffer
			err := File(&page, whole, nil)
			return page.Len(), err
		})
	}
}
