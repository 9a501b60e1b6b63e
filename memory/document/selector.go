package document

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// An Element is the position in a page where a block begins. Blocks share common ancestors: only
// Selector writes out the whole path.
type Element struct {
	within *Element // nil for the root, and for an element with an id
	step   string
}

// Selector returns the CSS selector of the element: from the nearest element with
// an id, else from the page's root, each step by its tag and its place among the
// siblings of that tag. It is empty for a nil element.
func (e *Element) Selector() string {
	var steps []string
	for ; e != nil; e = e.within {
		steps = append(steps, e.step)
	}
	slices.Reverse(steps)
	return strings.Join(steps, " > ")
}

// nodePlaces finds the positions of a page's nodes. It looks at the children of a node once,
// however often they are asked for.
type nodePlaces struct {
	known  map[*html.Node]*Element
	places map[*html.Node]int // among the siblings of its tag from 1; 0 for the only one
}

// of returns the block-level element that is or contains n.
func (e nodePlaces) of(n *html.Node) *Element {
	for n != nil && n.Type == html.ElementNode && !isBlock(n.DataAtom) && n.DataAtom != atom.Td && n.DataAtom != atom.Th {
		n = n.Parent
	}
	return e.at(n)
}

func (e nodePlaces) at(n *html.Node) *Element {
	if n == nil || n.Type != html.ElementNode {
		return nil
	}
	if known, ok := e.known[n]; ok {
		return known
	}
	found := &Element{step: idOf(n)}
	if found.step == "" {
		found.within, found.step = e.at(n.Parent), n.Data
		if place := e.place(n); place > 0 {
			found.step = fmt.Sprintf("%s:nth-of-type(%d)", n.Data, place)
		}
	}
	e.known[n] = found
	return found
}

// place returns the place of an element among the siblings of its tag, 0 for the
// only one.
func (e nodePlaces) place(n *html.Node) int {
	if n.Parent == nil {
		return 0
	}
	if _, counted := e.places[n]; !counted {
		last := map[string]*html.Node{}
		for s := n.Parent.FirstChild; s != nil; s = s.NextSibling {
			if s.Type != html.ElementNode {
				continue
			}
			e.places[s] = 0
			if before := last[s.Data]; before != nil {
				e.places[before] = max(1, e.places[before])
				e.places[s] = e.places[before] + 1
			}
			last[s.Data] = s
		}
	}
	return e.places[n]
}

// longestID bounds the IDs in a selector: every passage carries it.
const longestID = 256

// idOf selects an element by its id, which authors give freely.
func idOf(n *html.Node) string {
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == "id" && a.Val != "" && len(a.Val) <= longestID && !strings.ContainsAny(a.Val, "\"\\\n\r\f") {
			return fmt.Sprintf("[id=%q]", a.Val)
		}
	}
	return ""
}
