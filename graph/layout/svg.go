package layout

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
)

// style is the style of a drawing in a file of its own.
const style = `text{font:12px monospace;fill:#1b1b1b;text-anchor:middle}
rect{fill:#fff;stroke:#4a4a4a}
.graph>rect{fill:#f4f4f2}
.border>rect{fill:#1b1b1b}
.border>text{fill:#fff}
path{fill:none;stroke:#4a4a4a}
.conditional{stroke-dasharray:5 3}
.join{stroke-width:2}
.label{font-size:11px;fill:#4a4a4a;stroke:#fff;stroke-width:4;paint-order:stroke}
@media (prefers-color-scheme:dark){svg{background:#1b1b1b}text{fill:#eee}rect{fill:#262626;stroke:#aaa}.graph>rect{fill:#202020}.border>rect{fill:#eee}.border>text{fill:#1b1b1b}path{stroke:#aaa}.label{fill:#bbb;stroke:#1b1b1b}}`

// SVG returns the layout as a self-contained file. Its description lists the edges for readers who
// do not see it. A broken line is an edge that a router chooses; a thick line is a join.
func (l Layout) SVG() string { return l.svg(style) }

// Inline returns the layout as an element of a page. The page's style sheet uses the classes node,
// graph, border, edge, conditional, join, label and those of [Mark]. A box with an Href is a link.
// A page can hold only one, since its parts have fixed ids.
func (l Layout) Inline() string { return l.svg("") }

func (l Layout) svg(style string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" class="drawing" role="%s" aria-labelledby="drawing-title drawing-desc">`, l.Width, l.Height, l.Width, l.Height, l.role())
	fmt.Fprintf(&b, "\n<title id=\"drawing-title\">%s</title>\n<desc id=\"drawing-desc\">%s</desc>\n", escape(l.Name), escape(l.words()))
	if style != "" {
		fmt.Fprintf(&b, "<style>%s</style>\n", style)
	}
	b.WriteString(`<marker id="drawing-head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0 8 4 0 8" /></marker>` + "\n")
	for _, x := range l.Boxes {
		kind := "node"
		if x.Graph {
			kind = "node graph"
		} else if x.Border {
			kind = "border"
		}
		if x.Class != "" {
			kind += " " + x.Class
		}
		textY := x.Y + x.H/2 + 4
		if x.Graph {
			textY = x.Y + 15
		}
		rect := fmt.Sprintf("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/>", x.X, x.Y, x.W, x.H)
		text := fmt.Sprintf("<text x=\"%d\" y=\"%d\">%s</text>", x.X+x.W/2, textY, escape(x.text()))
		box := rect + text
		switch open := fmt.Sprintf("<a href=\"%s\">", escape(x.Href)); {
		case x.Href == "":
		case x.Graph: // other boxes cover it
			box = rect + open + text + "</a>"
		default:
			box = open + box + "</a>"
		}
		fmt.Fprintf(&b, "<g class=\"%s\" data-node=\"%s\">%s</g>\n", escape(kind), escape(x.Path), box)
	}
	for _, r := range l.Routes {
		kind := "edge"
		if r.Conditional {
			kind += " conditional"
		}
		if r.Join {
			kind += " join"
		}
		points := make([]string, len(r.Points))
		for i, p := range r.Points {
			points[i] = fmt.Sprintf("%d %d", p.X, p.Y)
		}
		fmt.Fprintf(&b, "<path class=%q d=\"M%s\" marker-end=\"url(#drawing-head)\"/>\n", kind, strings.Join(points, "L"))
		if r.Label != "" {
			fmt.Fprintf(&b, "<text class=\"label\" x=\"%d\" y=\"%d\">%s</text>\n", r.At.X, r.At.Y+4, escape(r.Label))
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// role is "img" unless there are links, which an image would hide from screen readers.
func (l Layout) role() string {
	if slices.ContainsFunc(l.Boxes, func(b Box) bool { return b.Href != "" }) {
		return "group"
	}
	return "img"
}

// words describes the layout in words.
func (l Layout) words() string {
	var out []string
	for _, r := range l.Routes {
		edge := r.From + " to " + r.To
		if r.Label != "" {
			edge += " (" + r.Label + ")"
		}
		out = append(out, edge)
	}
	for _, b := range l.Boxes {
		if b.Note != "" {
			out = append(out, b.Path+": "+b.Note)
		}
	}
	return strings.Join(out, ", ")
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // writing to a strings.Builder cannot fail
	return b.String()
}
