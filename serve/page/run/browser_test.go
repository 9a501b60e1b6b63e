package run

import (
	"bytes"
	"html/template"
	"os"
	"path/filepath"
	"testing"

	"example.com/assay/graph/trace"
	"example.com/assay/internal/browsertest"
	"example.com/assay/serve/page/look"
	"example.com/assay/serve/view"
)

// The file of a run that asks, and what differs between two runs, are without fault in a
// browser.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("it opens a browser")
	}
	p := browsertest.Open(t)
	c := testGraph(t)
	dir := t.TempDir()
	var sides []*Side
	var records [][]trace.Record
	var b bytes.Buffer
	if err := File(&b, runOf(t, c, play(t, c)), nil); err != nil {
		t.Fatal(err)
	}
	p.Inspect(t, "file", write(t, dir, "file", b.Bytes()), nil)
	for _, reply := range []string{"yes", "no"} {
		other := testGraph(t)
		play(t, other)
		events := play(t, other, reply)
		var all []trace.Record
		for _, ev := range events {
			all = append(all, trace.Of(ev))
		}
		sides, records = append(sides, &Side{Run: *runOf(t, other, events), Name: "the run with " + reply, Answer: reply}), append(records, all)
	}
	found, err := view.Compare(records[0], records[1])
	if err != nil {
		t.Fatal(err)
	}
	for _, side := range sides {
		side.Links.Steps = "#"
	}
	html, err := Compare(sides[0], sides[1], found)
	if err != nil {
		t.Fatal(err)
	}
	b.Reset()
	page := look.Parse(nil, `{{define "body"}}{{.Body}}{{end}}`)
	if err := look.Write(&b, page, struct {
		Frame look.Frame
		Body  template.HTML
	}{look.Frame{Title: "Two runs", Heading: "Two runs"}, html}); err != nil {
		t.Fatal(err)
	}
	p.Inspect(t, "compare", write(t, dir, "compare", b.Bytes()), nil)
}

// write writes a page and returns its address.
func write(t *testing.T, dir, name string, page []byte) string {
	t.Helper()
	file := filepath.Join(dir, name+".html")
	if err := os.WriteFile(file, page, 0o600); err != nil {
		t.Fatal(err)
	}
	return "file://" + file
}
