package document

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// selector returns the CSS selector of the block-level element that n is or
// stands in: from the nearest element with an id, else from the page's root,
// each step by its tag and its place among the siblings of that tag.
func selector(n *html.Node) string {
	for n != nil && n.Type == html.ElementNode && !isBlock(n.DataAtom) && n.DataAtom != atom.Td && n.DataAtom != atom.Th {
		n = n.Parent
	}
	var steps []string
	for ; n != nil && n.Type == html.ElementNode; n = n.Parent {
		if id := idOf(n); id != "" {
			steps = append(steps, id)
			break
		}
		step := n.Data
		if place, only := placeOf(n); !only {
			step = fmt.Sprintf("%s:nth-of-type(%d)", n.Data, place)
		}
		steps = append(steps, step)
	}
	var b strings.Builder
	for i := len(steps) - 1; i >= 0; i-- {
		b.WriteString(steps[i])
		if i > 0 {
			b.WriteString(" > ")
		}
	}
	return b.String()
}

// idOf selects an element by its id, which authors give freely.
func idOf(n *html.Node) string {
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == "id" && a.Val != "" && !strings.ContainsAny(a.Val, "\"\\\n\r\f") {
			return fmt.Sprintf("[id=%q]", a.Val)
		}
	}
	return ""
}

// placeOf returns the place of an element among the siblings of its tag, from
// 1, and whether it is the only one.
func placeOf(n *html.Node) (place int, only bool) {
	place, only = 1, true
	for s := n.PrevSibling; s != nil; s = s.PrevSibling {
		if s.Type == html.ElementNode && s.Data == n.Data {
			place++
			only = false
		}
	}
	for s := n.NextSibling; s != nil && only; s = s.NextSibling {
		only = s.Type != html.ElementNode || s.Data != n.Data
	}
	return place, only
}
