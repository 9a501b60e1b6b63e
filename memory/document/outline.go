package document

import (
	"strings"

	"example.com/assay/memory/text"
)

type outline struct {
	headings []heading
	section  string // their titles, joined
}

type heading struct {
	level int
	title string
}

func (o *outline) add(level int, title string) {
	path := o.headings
	for len(path) > 0 && path[len(path)-1].level >= level {
		path = path[:len(path)-1]
	}
	o.headings = append(path, heading{level, caption(title)})
	titles := make([]string, 0, len(o.headings))
	for _, h := range o.headings {
		if h.title != "" {
			titles = append(titles, h.title)
		}
	}
	o.section = strings.Join(titles, " > ")
}

// String joins the titles that are not empty, outermost first.
func (o *outline) String() string { return o.section }

// longestCaption bounds headings and titles in bytes: every passage contains those above it.
const longestCaption = 400

func caption(s string) string { return text.Clip(s, longestCaption) }
