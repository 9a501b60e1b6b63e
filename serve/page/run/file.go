package run

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"strings"

	"example.com/assay/serve/page/look"
)

// FileOptions configure File. Nil is the zero value.
type FileOptions struct {
	Version string // version of the writing program; default: not shown
	// Heading stands above the page, such as the question. Default: the graph's name.
	Heading string
	// Answer is the answer next to its documents, as HTML whose IDs differ from the other parts'.
	// Default: none.
	Answer template.HTML
}

// fileData is what file.tmpl shows.
type fileData struct {
	Frame  look.Frame
	Answer template.HTML
	Parts  []template.HTML
}

// mostSteps is how many supersteps a file holds, half of them from the beginning and half from the
// end. mostTasks is how many tasks its timeline shows.
const (
	mostSteps = 1000
	mostTasks = 2000
)

// File writes the whole run as one self-contained page without scripts.
func File(w io.Writer, r *Run, opts *FileOptions) error {
	var o FileOptions
	if opts != nil {
		o = *opts
	}
	alone := *r
	alone.Links = Links{}
	data := fileData{Frame: alone.frame(o), Answer: o.Answer}
	for _, part := range []func() (template.HTML, error){
		alone.Overview,
		func() (template.HTML, error) { return alone.Graph(nil) },
		alone.allSteps,
		func() (template.HTML, error) { return alone.timeline(0, mostTasks, look.Pager{}) },
	} {
		html, err := part()
		if err != nil {
			return err
		}
		data.Parts = append(data.Parts, html)
	}
	return look.Write(w, sections, data)
}

func (r *Run) frame(o FileOptions) look.Frame {
	v := &r.View
	eyebrow, foot := "", fmt.Sprintf("Graph %s, fingerprint %s.", v.Graph, cmp.Or(v.Fingerprint, "not recorded"))
	if v.Header != nil {
		eyebrow = v.Header.RunID
	}
	title := "Run of " + v.Graph
	if o.Heading != "" {
		eyebrow = strings.TrimSpace(title + " " + eyebrow)
		title = o.Heading
	}
	if o.Version != "" {
		foot = fmt.Sprintf("Written by Assay %s. %s", o.Version, foot)
	}
	if v.Started != "" {
		foot += " The run began at " + v.Started + "."
	}
	f := look.Frame{Title: title, Heading: title, Eyebrow: eyebrow, Full: o.Answer != "", Foot: foot}
	if o.Answer != "" {
		f.Parts = []look.Link{{Text: "Answer", Href: "#answer"}}
	}
	f.Parts = append(f.Parts, look.Link{Text: "Overview", Href: "#overview"}, look.Link{Text: "Graph", Href: "#graph"}, look.Link{Text: "Steps", Href: "#supersteps"}, look.Link{Text: "Timeline", Href: "#tasks"})
	return f
}

// allSteps shows the steps of a file.
func (r *Run) allSteps() (template.HTML, error) {
	n := len(r.View.Steps)
	return r.steps(look.Pager{}, [2]int{0, min(n, mostSteps/2)}, [2]int{max(mostSteps/2, n-mostSteps/2), n})
}

// leftOut reports whether a long run's file leaves out a superstep.
func (r *Run) leftOut(position int) bool {
	return position >= mostSteps/2 && position < len(r.View.Steps)-mostSteps/2
}
